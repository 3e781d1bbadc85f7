"""From facts to a report: the verdict's rule, the line of what was not checked, purity, what a report leaves out."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacheck.contracts import load_contract
from mediacheck.expectation import Expectation
from mediacheck.facts import MediaFacts, OtherStream, SpanTotals, Timeline, ZeroRun, totals
from mediacheck.judge import judge, not_checked, verdict_of
from mediacheck.serialise import from_json, to_json
from mediacheck.validators import load_validator
from mediacheck.verdict import Finding, Outcome, Report, Severity
from tests.frozen.record import records
from tests.unit.factory import audio, audio_of, facts, span, video, video_of

V1, V2 = load_validator("v1"), load_validator("v2")


def finding(outcome: Outcome, severity: Severity = "error", check: str = "a.b", message: str = "m") -> Finding:
    return Finding(check=check, version=1, outcome=outcome, severity=severity, message=message)


FINDINGS = st.lists(
    st.builds(finding, st.sampled_from(get_args(Outcome)), st.sampled_from(get_args(Severity))), max_size=6
).map(tuple)


@given(FINDINGS)
def test_the_verdict(findings: tuple[Finding, ...]) -> None:
    errors = [one.outcome for one in findings if one.severity == "error"]
    applicable = [one for one in findings if one.outcome != "not_applicable"]
    verdict = verdict_of(findings)
    if "fail" in errors:
        assert verdict == "fail"
    elif "inconclusive" in errors or not applicable:
        assert verdict == "inconclusive"
    else:
        assert verdict == "pass"


@given(FINDINGS, FINDINGS)
def test_warnings_never_decide(errors: tuple[Finding, ...], more: tuple[Finding, ...]) -> None:
    if all(one.outcome == "not_applicable" for one in errors):
        errors = (*errors, finding("pass"))
    warnings = tuple(msgspec.structs.replace(one, severity="warning") for one in more)
    assert verdict_of(errors + warnings) == verdict_of(errors)


@given(FINDINGS, FINDINGS)
def test_a_verdict_never_improves_by_more_faults(some: tuple[Finding, ...], more: tuple[Finding, ...]) -> None:
    if verdict_of(some) == "fail":
        assert verdict_of(some + more) == "fail"


def test_the_line_of_what_was_not_checked_is_grouped() -> None:
    line = not_checked(
        (
            finding("not_applicable", check="video.black", message="no video stream"),
            finding("pass", check="audio.finite"),
            finding("not_applicable", check="duration.contract", message="no contract"),
            finding("not_applicable", check="video.rate", message="no video stream"),
            finding("inconclusive", check="audio.loudness", message="the loudness could not be measured"),
        )
    )
    assert line == (
        "could not be determined, the loudness could not be measured: audio.loudness; "
        "no video stream: video.black, video.rate; no contract: duration.contract"
    )
    assert not_checked((finding("pass"),)) == ""


def test_good_sound_passes_and_says_what_was_not_checked() -> None:
    report = judge(facts(audio()), V2)
    assert report.verdict == "pass"
    assert "no video stream: " in report.not_checked
    assert "no contract: duration.contract, video.frame_grid" in report.not_checked
    assert (report.validator.id, report.validator.digest, report.validator.status) == ("v2", V2.digest, V2.status)
    assert report.subject.name == "out.wav"
    assert report.contract is None
    assert [f"{one.check}@{one.version}" for one in report.findings] == [pinned.check for pinned in V2.checks]


@pytest.mark.parametrize("validator", [V1, V2])
def test_what_is_not_media_fails(validator: Any) -> None:
    assert judge(facts(format=None, complete=None), validator).verdict == "fail"


def test_an_empty_expectation_is_none() -> None:
    assert judge(facts(audio()), V2, expect=Expectation()).expect is None
    asked = Expectation(samples=48000)
    assert judge(facts(audio()), V2, expect=asked).expect == asked


def test_a_check_may_lower_the_severity_and_never_raise_it() -> None:
    quiet = judge(facts(audio(50401), video(48)), V2)
    sync = next(one for one in quiet.findings if one.check == "sync.duration")
    assert (sync.outcome, sync.severity) == ("fail", "warning")
    assert quiet.verdict == "pass"
    header = judge(facts(audio(dc_offset=0.5)), V2)
    assert next(one for one in header.findings if one.check == "audio.dc_offset").severity == "warning"


def test_the_contract_is_named_in_the_report() -> None:
    contract = load_contract("minimax-h3-ref2va")
    report = judge(facts(audio(482400, 32000, 2), video(362)), V2, contract)
    assert report.verdict == "pass"
    assert report.contract is not None
    assert (report.contract.id, report.contract.digest) == (contract.id, contract.digest)
    assert judge(facts(audio(482400, 32000, 2), video(361)), V2, contract).verdict == "fail"
    assert judge(facts(audio(482400, 32000, 2), video(362)), V1).verdict == "fail"


def test_a_report_leaves_out_series_and_cuts_lists() -> None:
    runs = tuple(
        ZeroRun(
            start=Fraction(k), end=k + Fraction(1, 100), channel=0, samples=240, before_dbfs=-10.0, after_dbfs=-10.0
        )
        for k in range(150)
    )
    gaps = tuple(span(k, k + 1) for k in range(0, 300, 2))
    sound = audio_of(
        [0.1, 0.0] * 150,
        zero_runs=runs,
        zero_runs_totals=totals(runs),
        timeline=Timeline(first=Fraction(0), end=Fraction(3), gaps=gaps, gaps_totals=totals(gaps)),
    )
    picture = video_of([0.0] * 10, [0.1] * 10)
    other = OtherStream(index=2, codec="srt")
    report = judge(facts(sound, picture, other), V2)
    shown = report.facts.audio[0]
    assert shown.envelope is None
    assert len(shown.zero_runs) == len(shown.silences) == 100
    assert shown.zero_runs_totals == SpanTotals(count=150, total=Fraction(3, 2), longest=Fraction(1, 100))
    assert shown.timeline is not None
    assert len(shown.timeline.gaps) == 100
    assert report.facts.video[0].black_share is report.facts.video[0].change is None
    assert report.facts.video[0].frame_times is None
    assert report.facts.streams[2] == other
    dropout = next(one for one in report.findings if one.check == "audio.dropout")
    assert len(dropout.spans) == 100
    assert dropout.spans_totals is not None
    assert dropout.spans_totals.count == 150


ALL = tuple(records())


@given(st.sampled_from(ALL), st.sampled_from([V1, V2]))
def test_the_same_facts_give_the_same_bytes(record: Any, validator: Any) -> None:
    once = to_json(judge(record.facts, validator, expect=record.expect))
    assert once == to_json(judge(record.facts, validator, expect=record.expect))
    saved = from_json(to_json(record.facts), MediaFacts)
    assert once == to_json(judge(saved, validator, expect=record.expect))
    assert from_json(once, Report).verdict in ("pass", "fail", "inconclusive")


@given(st.sampled_from(ALL), st.sampled_from(ALL))
def test_a_report_depends_on_nothing_judged_before(first: Any, second: Any) -> None:
    alone = to_json(judge(second.facts, V2, expect=second.expect))
    judge(first.facts, V2, expect=first.expect)
    assert to_json(judge(second.facts, V2, expect=second.expect)) == alone


def test_every_finding_is_one_line() -> None:
    for record in ALL:
        for one in judge(record.facts, V2, expect=record.expect).findings:
            assert one.message
            assert "\n" not in one.message


def test_judging_loads_no_decoder() -> None:
    code = (
        "import sys, mediacheck.judge, mediacheck.validators, mediacheck.contracts;"
        "print([m for m in ('numpy', 'av', 'scipy', 'soundfile', 'click') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
