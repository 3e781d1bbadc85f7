"""Every media case: the facts that were established independently, and the verdict and findings of validator v2."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import mediacheck
from mediacheck.facts import AudioStream, MediaFacts
from mediacheck.verdict import Finding, Report

HERE = Path(__file__).parent
CASES: list[dict[str, Any]] = tomllib.loads((HERE / "cases.toml").read_text())["case"]
RUNS = [(case["file"], run) for case in CASES for run in case["run"]]


@pytest.fixture(scope="module")
def facts_of():
    measured: dict[str, MediaFacts] = {}

    def get(name: str) -> MediaFacts:
        if name not in measured:
            measured[name] = mediacheck.measure(HERE / "media" / name)
        return measured[name]

    return get


def word(finding: Finding) -> str:
    return "warning" if finding.outcome == "fail" and finding.severity == "warning" else finding.outcome


def judged(facts: MediaFacts, run: dict[str, Any], validator: str = "v2") -> Report:
    return mediacheck.judge(facts, validator=validator, expect=run.get("expect"))


IDS = [f"{name}-{'asked' if 'expect' in run else 'bare'}" for name, run in RUNS]


@pytest.mark.parametrize(("name", "run"), RUNS, ids=IDS)
def test_verdict_and_findings(facts_of, name: str, run: dict[str, Any]) -> None:
    report = judged(facts_of(name), run)
    assert report.verdict == run["verdict"], [f.message for f in report.findings if f.outcome == "fail"]
    found = {f.check: word(f) for f in report.findings}
    for check, wanted in run.get("findings", {}).items():
        if wanted == "not fail":
            assert found[check] != "fail"
        else:
            assert found[check] == wanted, check


@pytest.mark.parametrize("case", CASES, ids=[case["file"] for case in CASES])
def test_facts(facts_of, case: dict[str, Any]) -> None:
    facts = facts_of(case["file"])
    wanted = case["facts"]
    if {"sample_rate", "channels"} & set(wanted):
        (sound,) = facts.audio
        for key in ("sample_rate", "channels", "samples", "priming", "padding"):
            if key in wanted:
                assert getattr(sound, key) == wanted[key], key
        if "non_finite" in wanted:
            assert sound.non_finite.nan + sound.non_finite.inf == wanted["non_finite"]
        if "silent_channels" in wanted:
            levels = [c.loudest_window_dbfs for c in sound.channel_levels]
            assert [k for k, level in enumerate(levels) if level is None or level < -60] == wanted["silent_channels"]
        # The independent peaks were taken from FFmpeg's output; libsndfile decodes Vorbis's first block as well.
        if "peak" in wanted and sound.codec != "vorbis" and sound.peak_dbfs is not None:
            assert 10 ** (sound.peak_dbfs / 20) == pytest.approx(wanted["peak"], rel=1e-3)
    if "frames" in wanted:
        (film,) = facts.video
        assert (film.width, film.height, film.frames) == (wanted["width"], wanted["height"], wanted["frames"])
    else:
        assert facts.video == ()


GOOD = [case for case in CASES if case["file"].startswith("good")]


@pytest.mark.parametrize("case", GOOD, ids=[case["file"] for case in GOOD])
def test_good_files_have_no_failing_finding(facts_of, case: dict[str, Any]) -> None:
    report = judged(facts_of(case["file"]), {})
    wrong = {f.check: f.message for f in report.findings if f.outcome == "fail"}
    # Warnings that are right: one has a variable rate; in the other, six tones of -6 dBFS add up to -4.5 LUFS.
    right = {"good_vfr.mp4": {"video.rate"}, "good_6ch_ext.wav": {"audio.loudness"}}
    assert set(wrong) == right.get(case["file"], set())


def sound_of(facts: MediaFacts) -> AudioStream:
    (found,) = facts.audio
    return found


def finding(report: Report, check: str) -> Finding:
    (found,) = [f for f in report.findings if f.check == check]
    return found


def test_where_the_nan_are(facts_of) -> None:
    facts = facts_of("nan_block_f32.wav")
    (span,) = sound_of(facts).non_finite.spans
    assert (span.start * 24000, span.end * 24000) == (12000, 12240)
    assert sound_of(facts).rms_dbfs is not None
    message = finding(judged(facts, {}), "audio.finite").message
    assert "240" in message
    assert "0.5 s" in message


def test_leading_and_trailing_silence_to_the_sample(facts_of) -> None:
    sound = sound_of(facts_of("leading_trailing_silence.wav"))
    assert (sound.leading_silence * 8000, sound.trailing_silence * 8000) == (9600, 13600)


def test_the_frozen_tail_and_the_gap_are_where_they_are(facts_of) -> None:
    (film,) = facts_of("frozen_tail.mp4").video
    (span,) = film.frozen_spans
    # Frame 24 shows picture 24 for the first time; the 35 after it repeat it, to the end at 60/24 s.
    assert (span.start * 24, span.end * 24) == (25, 60)
    assert film.black_spans == ()
    (film,) = facts_of("timestamp_gap.mkv").video
    (gap,) = film.timeline.gaps
    assert (gap.start * 25, gap.end * 25) == (12, 24)


def test_undeclared_priming_is_named(facts_of) -> None:
    report = judged(facts_of("aac_no_edit_list.mp4"), {"expect": {"samples": "48000"}})
    message = finding(report, "audio.padding").message
    for part in ("1152", "1024", "128", "8/375"):
        assert part in message


def test_a_truncated_wav_gives_both_numbers(facts_of) -> None:
    message = finding(judged(facts_of("truncated_payload.wav"), {}), "media.complete").message
    assert "48000" in message
    assert "30000" in message


def test_counts_that_ffmpeg_alone_gets_wrong(facts_of) -> None:
    assert sound_of(facts_of("good_vorbis.ogg")).samples == 44100
    for name, rate in (("good_lame_gapless.mp3", 44100), ("good_cover_art.mp3", 44100), ("good_preskip.opus", 48000)):
        assert sound_of(facts_of(name)).samples == rate
    aac = sound_of(facts_of("good_aac.m4a"))
    assert (aac.samples, aac.priming, aac.padding) == (48000, 1024, 128)


def test_v1_has_the_rule_that_was_wrong(facts_of) -> None:
    report = judged(facts_of("shortest_drops_picture.mp4"), {}, validator="v1")
    assert finding(report, "duration.av_match").outcome == "fail"


def test_h3_crop_passes_with_the_tolerance_of_a_frame(facts_of) -> None:
    asked = {"duration": "437333/32000"}
    facts = facts_of("h3_crop_436800.flac")
    assert "533" in finding(judged(facts, {"expect": asked}), "duration.expected").message
    assert judged(facts, {"expect": asked | {"tolerance": "1/24"}}).verdict == "pass"


def test_mp3_without_xing_is_held_by_the_duration_asked_for(facts_of) -> None:
    facts = facts_of("mp3_vbr_no_xing.mp3")
    assert judged(facts, {"expect": {"duration": "3", "tolerance": "0.1"}}).verdict == "pass"
    assert judged(facts, {"expect": {"duration": "3.5", "tolerance": "0.1"}}).verdict == "fail"
