"""Spans on saved series: the grid, limits met exactly, NaN, and speed."""

from __future__ import annotations

from array import array
from fractions import Fraction
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacheck.facts import Series, Span, SpanTotals, totals
from mediacheck.serialise import from_json, to_json
from mediacheck.spans import FrameTimes, black_spans, frozen_spans, silent_spans
from tests.unit.factory import span
from tests.work import calls

NAN = float("nan")
LOUD, QUIET = 0.1, 0.0001


def silent(*envelopes: list[float], threshold: float = -60.0, duration: Fraction | None = None) -> tuple[Span, ...]:
    saved = [Series.pack(array("f", envelope)).unpack() for envelope in envelopes]
    return silent_spans(saved, threshold, duration or Fraction(len(envelopes[0]), 100))


def test_silence_lies_on_the_ten_millisecond_grid() -> None:
    found = silent([QUIET, QUIET, LOUD, QUIET])
    assert found == (span(0, "2/100"), span("3/100", "4/100"))


def test_the_last_window_ends_with_the_stream() -> None:
    assert silent([LOUD, QUIET], duration=Fraction(13, 1000)) == (span("1/100", "13/1000"),)


def test_a_last_sample_that_starts_no_window_belongs_to_the_last_one() -> None:
    # 16207 samples at 11025 Hz: the 148th window would start at sample 16207.
    end = Fraction(16207, 11025)
    assert end > Fraction(147, 100)
    assert silent([LOUD] * 140 + [QUIET] * 7, duration=end) == (Span(start=Fraction(7, 5), end=end),)


def test_a_window_counts_by_its_loudest_channel() -> None:
    assert silent([QUIET, QUIET, QUIET], [QUIET, LOUD, QUIET]) == (span(0, "1/100"), span("2/100", "3/100"))


@pytest.mark.parametrize("threshold", [-60.0, -50.0, -45.5, -20.0])
def test_a_level_exactly_at_the_threshold_is_not_silent(threshold: float) -> None:
    at = 10 ** (threshold / 20)
    assert silent([at], threshold=threshold) == ()
    assert silent([at * 0.9999], threshold=threshold) == (span(0, "1/100"),)


def test_a_window_without_a_finite_sample_is_never_silent() -> None:
    assert silent([QUIET, NAN, QUIET]) == (span(0, "1/100"), span("2/100", "3/100"))
    assert silent([QUIET], [NAN]) == ()


def test_no_windows_give_no_spans() -> None:
    assert silent([], duration=Fraction(0)) == ()
    assert silent_spans([], -60.0, Fraction(1)) == ()


@given(
    st.lists(
        st.lists(st.sampled_from([0.0, QUIET, 0.001, LOUD, NAN]), min_size=12, max_size=12), min_size=1, max_size=3
    )
)
def test_silence_agrees_with_a_plain_loop(channels: list[list[float]]) -> None:
    limit = array("f", [0.001])[0]
    silences = silent(*channels)
    for k in range(12):
        expected = all(array("f", [channel[k]])[0] < limit for channel in channels)
        middle = Fraction(2 * k + 1, 200)
        assert expected == any(one.start < middle < one.end for one in silences)
    assert all(a.end < b.start for a, b in pairwise(silences))


@given(st.lists(st.integers(1, 4_000), min_size=1, max_size=20))
def test_silences_of_minutes_lie_where_they_were_put(lengths: list[int]) -> None:
    edges = [0, *accumulate(lengths)]
    envelope = array("f", (QUIET if k % 2 else LOUD for k, length in enumerate(lengths) for _ in range(length)))
    expected = [Span(start=Fraction(a, 100), end=Fraction(b, 100)) for a, b in pairwise(edges)][1::2]
    for shorter in (envelope, envelope[: max(1, len(envelope) - 7_000)]):
        found = silent_spans([envelope, array("f", bytes(4 * len(shorter)))], -60.0, Fraction(len(shorter), 100))
        end = Fraction(len(shorter), 100)
        assert list(found) == [Span(start=one.start, end=min(one.end, end)) for one in expected if one.start < end]


def test_an_hour_costs_by_its_silences_and_not_by_its_windows() -> None:
    envelope = array("f", [LOUD, LOUD, LOUD, QUIET] * 2 + [QUIET] * 992) * 360
    assert len(silent_spans([envelope, envelope], -60.0, Fraction(3600))) == 720
    assert calls(lambda: silent_spans([envelope, envelope], -60.0, Fraction(3600))) < len(envelope) / 10


def times(count: int, rate: int = 25) -> FrameTimes:
    return FrameTimes([k / rate for k in range(count)], Fraction(rate), True)


def test_black_from_exactly_the_share_on() -> None:
    share = Series.pack(array("f", [0.5, 0.98, 1.0, 0.9799])).unpack()
    assert black_spans(share, times(4), Fraction(4, 25)) == (span("1/25", "3/25"),)


def test_black_to_the_end_ends_with_the_stream() -> None:
    assert black_spans([1.0, 1.0], times(2), Fraction(2, 25)) == (span(0, "2/25"),)
    assert black_spans([NAN, NAN], times(2), Fraction(2, 25)) == ()


def test_frozen_starts_at_the_first_frame_that_repeats() -> None:
    change = Series.pack(array("f", [NAN, 0.02, 0.0, 0.001, 0.02, 0.0])).unpack()
    still = [NAN, NAN, 0.0, 0.001, NAN, 0.0]
    assert frozen_spans(change, still, times(6), Fraction(6, 25)) == (span("2/25", "4/25"), span("5/25", "6/25"))


def test_a_square_that_moves_is_no_frozen_picture() -> None:
    change = [NAN, 0.0005, 0.0005, 0.0005]
    assert frozen_spans(change, [NAN, 0.01, 0.018, 0.008], times(4), Fraction(4, 25)) == (
        span("1/25", "2/25"),
        span("3/25", "4/25"),
    )


def test_frame_times_are_exact_at_a_constant_rate() -> None:
    rate = Fraction(30000, 1001)
    saved = Series.pack(array("f", [float(k / rate) for k in range(5)])).unpack()
    assert list(FrameTimes(saved, rate, True)) == [k / rate for k in range(5)]
    assert FrameTimes(saved, rate, True)[-1] == 4 / rate
    assert FrameTimes(saved, rate, True)[1:3] == [1 / rate, 2 / rate]


def test_frame_times_of_a_changing_rate_stand_on_the_mpeg_clock() -> None:
    saved = Series.pack(array("f", [0.0, 0.04, 0.12, 12.345, 1 / 3])).unpack()
    times = [0, Fraction(1, 25), Fraction(3, 25), Fraction(12345, 1000), Fraction(1, 3)]
    assert list(FrameTimes(saved, Fraction(120, 7), False)) == times


def test_many_black_spans_of_a_changing_rate_can_be_read_back() -> None:
    # Two thousand spans at milliseconds of any kind: over one denominator each, their total once had 250 digits.
    steps = (17 + k * k % 61 for k in range(4000))
    stamps = array("f", (ms / 1000 for ms in accumulate(steps, initial=0)))
    times = FrameTimes(stamps, None, False)
    found = black_spans([k % 2 for k in range(len(stamps))], times, times[-1])
    assert len(found) == 2000
    sums = totals(found)
    assert from_json(to_json(sums), SpanTotals) == sums
