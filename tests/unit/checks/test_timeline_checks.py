"""timeline.* and audio.coverage: timestamps rise, join, start together, and are filled."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from mediacheck.checks.wording import timecode
from mediacheck.facts import NonMonotonic, SpanTotals, Timeline
from tests.unit.factory import audio, case, run, span, video

TICK = Fraction(1, 1000)


def timeline(first: Any = 0, end: Any = 2, **changes: Any) -> Timeline:
    return Timeline(first=Fraction(first), end=Fraction(end), precision=TICK, **changes)


def totals(*lengths: str) -> SpanTotals:
    values = [Fraction(length) for length in lengths]
    return SpanTotals(count=len(values), total=sum(values, Fraction(0)), longest=max(values))


def test_monotonic() -> None:
    assert run("timeline.monotonic@1", case(audio(), video())).outcome == "pass"


def test_a_repeated_stamp_is_named_with_its_time() -> None:
    broken = video(timeline=timeline(non_monotonic=NonMonotonic(count=1, spans=(span("9/25", "9/25"),))))
    result = run("timeline.monotonic@1", case(audio(), broken))
    assert (result.outcome, result.measured, result.stream) == ("fail", 1, 1)
    assert result.message == "stream 1: 1 timestamp does not rise, the first at 0:00:00.360 (repeated)"


@pytest.mark.parametrize(("first", "back"), [(0, 0), (0, "27/2000"), ("-13/2000", "-13/2000"), (10, 10)])
def test_a_clock_that_starts_again_is_told_from_one_that_slips(first: Fraction | int | str, back: Any) -> None:
    lap = NonMonotonic(count=1, spans=(span(Fraction(first) + 3, back),))
    joined = timeline(first=Fraction(first), non_monotonic=lap)
    result = run("timeline.monotonic@1", case(audio(timeline=joined)))
    assert result.outcome == "fail"
    assert "starts again" in result.message
    assert timecode(Fraction(first) + 3) in result.message
    slip = timeline(non_monotonic=NonMonotonic(count=1, spans=(span("61/20", 3),)))
    assert "starts again" not in run("timeline.monotonic@1", case(audio(timeline=slip))).message


def test_a_step_back_among_the_first_stamps_is_no_new_start() -> None:
    slip = timeline(non_monotonic=NonMonotonic(count=1, spans=(span("1/24", 0),)))
    assert "starts again" not in run("timeline.monotonic@1", case(video(timeline=slip))).message


@pytest.mark.parametrize(
    "check", ["timeline.monotonic@1", "timeline.continuity@1", "timeline.start@1", "audio.coverage@1"]
)
@pytest.mark.parametrize("missing", [None, Timeline()])
def test_without_timestamps_there_is_nothing_to_judge(check: str, missing: Timeline | None) -> None:
    assert run(check, case(audio(timeline=missing))).outcome == "not_applicable"
    assert run(check, case()).outcome == "not_applicable"


def test_continuity() -> None:
    assert run("timeline.continuity@1", case(video())).outcome == "pass"
    gap = video(timeline=timeline(gaps=(span("12/25", 1),), gaps_totals=totals("13/25")))
    result = run("timeline.continuity@1", case(gap))
    assert (result.outcome, result.measured) == ("fail", "13/25")
    assert result.message == "1 gap, the first at 0:00:00.480, the longest 13/25 s (0.52 s)"
    assert run("timeline.continuity@1", case(gap), max_gap=Fraction(13, 25)).outcome == "pass"


def test_an_overlap_is_no_better_than_a_gap() -> None:
    lap = audio(timeline=timeline(overlaps=(span(1, "3/2"),), overlaps_totals=totals("1/2")))
    assert run("timeline.continuity@1", case(lap)).outcome == "fail"


@pytest.mark.parametrize(
    ("first", "outcome"),
    [
        (0, "pass"),
        ("1/24", "pass"),
        (Fraction(1, 24) + TICK, "pass"),
        (Fraction(1, 24) + 2 * TICK, "fail"),
        (2, "fail"),
    ],
)
def test_skew_of_one_frame_and_the_clock_is_allowed(first: Any, outcome: str) -> None:
    picture = video(timeline=Timeline(first=Fraction(0), end=Fraction(2)))
    assert run("timeline.start@1", case(audio(timeline=timeline(first)), picture)).outcome == outcome


def test_late_sound_is_named_with_both_starts() -> None:
    result = run("timeline.start@1", case(audio(timeline=timeline("1/2")), video()))
    assert result.outcome == "fail"
    assert result.message.startswith("audio stream 0 starts at 1/2 s (0.5 s), video stream 1 at 0 s: 1/2 s (0.5 s)")


def test_both_streams_may_start_late_unless_a_limit_is_set() -> None:
    late = case(audio(timeline=timeline(2, 4)), video(timeline=timeline(2, 4)), format="matroska,webm")
    assert run("timeline.start@1", late).outcome == "pass"
    assert run("timeline.start@1", late, max_start=Fraction(1)).outcome == "fail"
    assert run("timeline.start@1", late, max_start=Fraction(2)).outcome == "pass"


def test_the_clock_of_a_transport_stream_does_not_start_at_zero() -> None:
    late = case(audio(timeline=timeline("7/5", 3)), video(timeline=timeline("141/100", 3)), format="mpegts")
    assert run("timeline.start@1", late, max_start=Fraction(0)).outcome == "pass"


def test_a_stream_without_stamps_leaves_the_skew_open() -> None:
    assert run("timeline.start@1", case(audio(timeline=None), video())).outcome == "inconclusive"
    rateless = video(1, declared_rate=None, measured_rate=None, constant_rate=None)
    assert run("timeline.start@1", case(audio(), rateless)).outcome == "inconclusive"


@pytest.mark.parametrize(
    ("samples", "changes", "outcome"),
    [
        (48000, {}, "pass"),
        (48000 - 48, {}, "pass"),
        (48000 - 49, {}, "fail"),
        (48000 - 1024, {"lossy": True, "frame_size": 1024}, "pass"),
        (48000 - 1200, {"lossy": True, "frame_size": 1024}, "fail"),
        (46000, {"lossy": True, "frame_size": 1024, "padding": 2000}, "pass"),
        (48000 + 1200, {"lossy": True, "frame_size": 1024}, "fail"),
        (48000 - 128, {"lossy": True}, "pass"),
        (0, {}, "not_applicable"),
    ],
)
def test_coverage(samples: int, changes: dict[str, Any], outcome: str) -> None:
    stream = audio(samples, 24000, timeline=timeline(), **changes)
    assert run("audio.coverage@1", case(stream)).outcome == outcome


def test_coverage_counts_what_is_missing() -> None:
    result = run("audio.coverage@1", case(audio(30000, 24000, timeline=timeline())))
    assert (result.measured, result.expected) == (30000, 48000)
    assert "18000 samples too few" in result.message
