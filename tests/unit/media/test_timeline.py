"""Gaps, overlaps, stamps that go back, and what rate a list of stamps is."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacheck.media.timeline import AudioTimeline, VideoTimeline

MS = Fraction(1, 1000)


def video(stamps: list[int | None], base: Fraction = MS, duration: int = 0) -> VideoTimeline:
    timeline = VideoTimeline(base, base)
    for stamp in stamps:
        timeline.frame(stamp, duration)
    return timeline


@given(
    st.sampled_from([Fraction(n) for n in (16, 24, 25, 60)] + [Fraction(30000, 1001), Fraction(24000, 1001)]),
    st.integers(12, 200),
    st.integers(0, 5000),
    st.sampled_from(["round", "floor", "ceil"]),
)
def test_a_constant_rate_in_milliseconds_is_constant(rate: Fraction, frames: int, start: int, how: str) -> None:
    exact = [start + k * 1000 / rate for k in range(frames)]
    rounding = {"round": round, "floor": math.floor, "ceil": math.ceil}[how]
    timeline = video([rounding(t) for t in exact])
    found = timeline.finish()
    assert (found.gaps, found.overlaps, found.non_monotonic.count) == ((), (), 0)
    assert timeline.rate(rate) == (rate, True)


def test_an_undeclared_rate_is_found_among_those_that_exist() -> None:
    assert video([round(k * 1001 / 30) for k in range(300)]).rate(None) == (Fraction(30000, 1001), True)
    assert video([round(k * 1000 / 12.5) for k in range(50)], MS).rate(None) == (Fraction(25, 2), True)


def test_a_hole_in_a_constant_rate_is_a_gap() -> None:
    found = video([40 * k for k in range(12)] + [960 + 40 * k for k in range(24)]).finish()
    assert [(g.start, g.end) for g in found.gaps] == [(Fraction(480, 1000), Fraction(960, 1000))]
    assert found.gaps_totals.total == Fraction(480, 1000)
    assert video([40 * k for k in range(12)] + [960 + 40 * k for k in range(24)]).rate(Fraction(25)) == (
        Fraction(875, 47),
        False,
    )


def test_a_variable_rate_has_no_gaps() -> None:
    stamps = [k // 2 * 120 + k % 2 * 40 for k in range(24)]
    timeline = video(stamps)
    assert timeline.finish().gaps == ()
    assert timeline.rate(Fraction(120, 7))[1] is False


def test_repeated_and_backward_stamps_are_counted_in_the_order_given() -> None:
    found = video([0, 40, 80, 80, 120, 100, 160]).finish()
    assert found.non_monotonic.count == 2
    assert [(s.start, s.end) for s in found.non_monotonic.spans] == [
        (Fraction(80, 1000), Fraction(80, 1000)),
        (Fraction(120, 1000), Fraction(100, 1000)),
    ]


def test_missing_stamps_are_counted() -> None:
    timeline = video([0, None, 40, None])
    assert timeline.missing == 2
    assert timeline.finish().first == 0


def test_one_frame_has_no_rate() -> None:
    assert video([7]).rate(Fraction(24)) == (None, None)


def audio(frames: list[tuple[int | None, int]], base: Fraction, rate: int, precision: Fraction | None = None):
    timeline = AudioTimeline(base, base if precision is None else precision)
    timeline.start(rate)
    for pts, samples in frames:
        timeline.packet(pts, samples)
        timeline.frame(pts, samples)
    return timeline


def test_aac_frames_in_milliseconds_leave_no_gap() -> None:
    frames = [(round(k * 1024 * 1000 / 44100), 1024) for k in range(500)]
    found = audio(frames, MS, 44100).finish(Fraction(0))
    assert (found.gaps, found.overlaps) == ((), ())


@pytest.mark.parametrize(("shift", "kind"), [(2000, "gaps"), (-900, "overlaps")])
def test_a_jump_is_a_gap_or_an_overlap(shift: int, kind: str) -> None:
    frames: list[tuple[int | None, int]] = [(k * 1024 + (shift if k >= 10 else 0), 1024) for k in range(20)]
    found = audio(frames, Fraction(1, 48000), 48000).finish(Fraction(0))
    (span,) = getattr(found, kind)
    assert span.length == Fraction(abs(shift), 48000)


def test_trimmed_padding_moves_the_end() -> None:
    found = audio([(0, 1024), (1024, 1024)], Fraction(1, 48000), 48000).finish(Fraction(928, 48000))
    assert found.end == Fraction(2048 - 928, 48000)
