"""audio.silent and the silences at the start, the end and inside."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacheck.checks.registry import Result
from mediacheck.facts import AudioStream, NonFinite, SpanTotals
from tests.unit.factory import audio, audio_of, case, run, span

SILENCE = ("audio.silent@1", "audio.leading_silence@1", "audio.trailing_silence@1", "audio.internal_silence@1")
WITHIN = (*SILENCE[1:], "audio.dropout@1", "audio.truncated_end@1", "audio.loudness@1")
NAN = float("nan")


def windows(*parts: tuple[int, float]) -> list[float]:
    return [level for count, level in parts for _ in range(count)]


def judge(check: str, *parts: tuple[int, float], saved: bool = True, **parameters: Any) -> Result:
    return run(check, case(audio_of(windows(*parts), saved=saved)), **parameters)


def test_sound() -> None:
    for check in SILENCE:
        assert judge(check, (200, 0.1)).outcome == "pass"


def test_a_silent_track_fails_once() -> None:
    silent = case(audio_of([0.0] * 400))
    result = run("audio.silent@1", silent)
    assert (result.outcome, result.measured) == ("fail", None)
    assert result.message.startswith("the whole track is silent: 96000 of 96000 samples = 4 s")
    for check in WITHIN:
        found = run(check, silent)
        assert (found.outcome, found.message) == ("not_applicable", "the whole track is silent")


def test_an_empty_track_is_silent() -> None:
    empty = case(audio(0, loudest_window_dbfs=None))
    assert run("audio.silent@1", empty).message == "the track is empty: 0 samples"
    for check in WITHIN:
        assert run(check, empty).outcome == "not_applicable"


def test_quiet_noise_below_the_limit_is_silence() -> None:
    assert judge("audio.silent@1", (100, 0.0009)).outcome == "fail"
    assert judge("audio.silent@1", (100, 0.001)).outcome == "pass"
    assert judge("audio.silent@1", (100, 0.001), threshold_dbfs=-50.0).outcome == "fail"


def test_silence_around_samples_that_are_not_finite_is_still_silence() -> None:
    stream = audio_of([0.0] * 50 + [NAN] * 10 + [0.0] * 50, non_finite=NonFinite(nan=2400))
    assert run("audio.silent@1", case(stream)).outcome == "fail"


def test_a_track_without_one_finite_sample_has_no_level() -> None:
    stream = audio_of([NAN] * 100, non_finite=NonFinite(nan=24000))
    for check in ("audio.silent@1", *WITHIN):
        assert run(check, case(stream)).outcome == "inconclusive"


@pytest.mark.parametrize("level", [NAN, None])
def test_an_unknown_level_never_passes(level: float | None) -> None:
    stream = audio(loudest_window_dbfs=level)
    for check in ("audio.silent@1", *WITHIN):
        assert run(check, case(stream)).outcome == "inconclusive"


def test_leading_silence_is_told_in_samples_and_seconds() -> None:
    stream = audio_of(windows((120, 0.0), (320, 0.1), (170, 0.0)), rate=8000)
    result = run("audio.leading_silence@1", case(stream))
    assert (result.outcome, result.measured, result.expected) == ("fail", "6/5", "1/1")
    assert result.message == "leading silence 9600 samples = 6/5 s (1.2 s), limit 1.0 s"
    assert result.spans == (span(0, "6/5"),)
    trailing = run("audio.trailing_silence@1", case(stream))
    assert trailing.message == "trailing silence 13600 samples = 17/10 s (1.7 s), limit 1.5 s"
    assert trailing.spans == (span("22/5", "61/10"),)
    assert run("audio.internal_silence@1", case(stream)).outcome == "pass"


@pytest.mark.parametrize(("check", "limit"), [("audio.leading_silence@1", 100), ("audio.trailing_silence@1", 150)])
def test_exactly_at_the_limit_is_not_longer(check: str, limit: int) -> None:
    for count, outcome in ((limit, "pass"), (limit + 1, "fail")):
        quiet, sound = (count, 0.0), (1000, 0.1)
        parts = (quiet, sound) if "leading" in check else (sound, quiet)
        assert judge(check, *parts).outcome == outcome
        assert judge(check, *parts, max_silence=Fraction(count - 1, 100)).outcome == "fail"


@pytest.mark.parametrize(("hole", "outcome"), [(300, "pass"), (301, "fail")])
def test_a_hole_of_exactly_three_seconds_is_not_longer(hole: int, outcome: str) -> None:
    assert judge("audio.internal_silence@1", (1000, 0.1), (hole, 0.0), (1000, 0.1)).outcome == outcome


@pytest.mark.parametrize(
    ("sound", "silences", "outcome"),
    [(400, 4, "pass"), (399, 4, "fail"), (10, 3, "pass")],
)
def test_mostly_silent(sound: int, silences: int, outcome: str) -> None:
    # One second of silence each; three seconds in all never fail, half of the track does not either.
    parts = [part for _ in range(silences) for part in ((100, 0.0), (1, 0.1))]
    result = judge("audio.internal_silence@1", *parts, (sound - silences, 0.1) if sound > silences else (7, 0.1))
    assert result.outcome == outcome


def test_a_hole_is_told_with_its_time() -> None:
    result = judge("audio.internal_silence@1", (1000, 0.1), (350, 0.0), (1000, 0.1))
    assert result.message == "silent for 7/2 s (3.5 s) from 0:00:10.000 to 0:00:13.500, limit 3.0 s"
    assert result.spans == (span(10, "27/2"),)


@pytest.mark.parametrize("check", SILENCE[1:])
def test_another_threshold_is_judged_from_the_envelope(check: str) -> None:
    parts = ((400, 0.005), (500, 0.1), (400, 0.005), (500, 0.1), (400, 0.005))
    assert judge(check, *parts).outcome == "pass"
    assert judge(check, *parts, threshold_dbfs=-40.0).outcome == "fail"
    assert judge(check, *parts, threshold_dbfs=-40.0, saved=False).outcome == "inconclusive"


def test_a_cut_list_of_silences_is_not_trusted() -> None:
    whole = audio_of(windows((100, 0.1), (50, 0.0), (100, 0.1), (50, 0.0), (500, 0.1)))
    cut = msgspec.structs.replace(whole, silences=whole.silences[:1], envelope=None)
    assert run("audio.internal_silence@1", case(cut)).outcome == "inconclusive"
    mostly = msgspec.structs.replace(
        cut, silences_totals=SpanTotals(count=200, total=Fraction(5), longest=Fraction(1, 2))
    )
    assert run("audio.internal_silence@1", case(mostly)).outcome == "fail"


def test_the_worst_stream_speaks() -> None:
    good, bad = audio_of([0.1] * 100), audio_of([0.0] * 100)
    result = run("audio.silent@1", case(good, msgspec.structs.replace(bad, index=3)))
    assert (result.outcome, result.stream) == ("fail", 3)
    assert result.message.startswith("stream 3: ")


LEVELS = st.sampled_from([0.0, 0.0005, 0.002, 0.1, NAN])
TRACKS = st.lists(st.tuples(st.integers(1, 400), LEVELS), min_size=1, max_size=6)


@given(TRACKS, st.integers(1, 500), st.sampled_from([-60.0, -50.0]))
def test_appending_silence_never_turns_a_failure_into_a_pass(
    parts: list[tuple[int, float]], more: int, threshold: float
) -> None:
    before: AudioStream = audio_of(windows(*parts))
    after = audio_of(windows(*parts, (more, 0.0)))
    for check in SILENCE:
        if run(check, case(before), threshold_dbfs=threshold).outcome == "fail":
            assert run(check, case(after), threshold_dbfs=threshold).outcome == "fail"
