"""What facts compute of themselves: totals of spans, packed series, and how much memory that takes."""

from __future__ import annotations

import sys
import tracemalloc
from array import array
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacheck.facts import Series, Span, SpanTotals, longest_of, totals
from mediacheck.spans import silent_spans

TIMES = st.fractions(min_value=-10, max_value=100_000, max_denominator=90_000)
FLOATS = st.floats(width=32, allow_nan=False)


@given(st.lists(st.builds(Span, start=TIMES, end=TIMES), max_size=20))
def test_totals_are_those_of_the_lengths(spans: list[Span]) -> None:
    lengths = [span.end - span.start for span in spans]
    found = totals(tuple(spans))
    assert (found.count, found.total) == (len(spans), sum(lengths))
    # Timestamps that go backwards have spans below zero, the greatest of which may be.
    assert found.longest == max(lengths, default=0)
    assert longest_of(tuple(spans)) is max(spans, key=lambda span: span.length, default=None)
    assert all(type(value) is Fraction for value in (found.total, found.longest))


def test_totals_of_nothing_are_zero() -> None:
    assert totals(()) == SpanTotals()


@given(st.lists(FLOATS, max_size=20))
def test_a_series_reads_as_it_was_packed_with_and_without_a_copy(values: list[float]) -> None:
    series = Series.pack(array("f", values))
    assert list(series.unpack()) == list(series.values()) == values


def test_a_series_reads_the_same_on_a_machine_of_the_other_byte_order(monkeypatch: pytest.MonkeyPatch) -> None:
    swapped = array("f", [1.5, -0.25])
    swapped.byteswap()
    series = Series(count=2, data=swapped.tobytes())
    monkeypatch.setattr(sys, "byteorder", "big")
    assert list(series.values()) == list(series.unpack()) == [1.5, -0.25]


def passing(made: Callable[[], Any]) -> int:
    """Bytes that a call takes at its worst beyond what it returns."""
    tracemalloc.start()
    try:
        result = made()
        kept, peak = tracemalloc.get_traced_memory()
        assert result
    finally:
        tracemalloc.stop()
    return peak - kept


def test_finding_and_adding_up_the_silences_of_an_hour_takes_little_more_than_they_do() -> None:
    windows = 360_000
    series = Series.pack(array("f", ([0.1] * 29 + [0.0]) * (windows // 30)))
    spans = silent_spans([series.values()], -60.0, Fraction(3600))
    assert len(spans) == windows // 30
    # A flag a window, while the spans are made.
    assert passing(lambda: silent_spans([series.values()], -60.0, Fraction(3600))) < 2 * windows
    assert passing(lambda: totals(spans)) < 10_000


def test_joining_the_channels_of_an_hour_takes_a_flag_a_window() -> None:
    windows = 360_000
    series = Series.pack(array("f", [0.0] * windows))
    # And what a minute takes.
    assert passing(lambda: silent_spans([series.values()] * 8, -60.0, Fraction(3600))) < 1.2 * windows
