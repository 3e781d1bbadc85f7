from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mediacheck.facts import Span, SpanTotals, longest_of, totals

TIMES = st.fractions(min_value=-10, max_value=100_000, max_denominator=90_000)
SPANS = st.lists(st.builds(lambda start, end: Span(start=start, end=end), TIMES, TIMES), max_size=20)


@given(SPANS)
def test_totals_are_those_of_the_lengths_one_by_one(spans: list[Span]) -> None:
    found = totals(tuple(spans))
    lengths = [span.length for span in spans]
    assert found.count == len(spans)
    assert found.total == sum(lengths)
    # Timestamps that go backwards have spans below zero, the greatest of which may be.
    assert found.longest == max(lengths, default=0)
    assert longest_of(tuple(spans)) is max(spans, key=lambda span: span.length, default=None)


def test_totals_of_nothing_are_zero() -> None:
    assert totals(()) == SpanTotals()
