"""How findings speak of times, levels and counts."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacheck.checks.wording import counted, exact, level, limit, milliseconds, number, timecode


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (Fraction(0), "0:00:00.000"),
        (Fraction(75075, 1000), "0:01:15.075"),
        (Fraction(3725), "1:02:05.000"),
        (Fraction(-1, 2), "-0:00:00.500"),
        (Fraction(-1, 10000), "0:00:00.000"),
        (Fraction(59999999, 1000000), "0:01:00.000"),
    ],
)
def test_timecode(seconds: Fraction, text: str) -> None:
    assert timecode(seconds) == text


def test_seconds() -> None:
    assert [exact(Fraction(x)) for x in ("2", "603/40", "181/12")] == [
        "2 s",
        "603/40 s (15.075 s)",
        "181/12 s (15.083333 s)",
    ]
    assert [limit(Fraction(x)) for x in ("1", "0.02", "-1.5", "1e300")] == ["1.0", "0.02", "-1.5", f"{10**300}.0"]
    assert milliseconds(Fraction(1, 120)) == "1/120 s (8.33 ms)"


@given(st.fractions(min_value=-1000, max_value=1000))
def test_the_decimal_copy_is_the_fraction_to_six_places(value: Fraction) -> None:
    assert abs(Fraction(limit(value)) - value) <= Fraction(1, 2_000_000)


def test_counts_and_levels() -> None:
    assert counted(1, "sample") == "1 sample"
    assert counted(0, "sample") == "0 samples"
    assert counted(2, "packet does", "packets do") == "2 packets do"
    assert (level(None), level(-20.04)) == ("-inf dBFS", "-20.0 dBFS")


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), float("-inf")])
def test_what_cannot_be_compared_is_none(value: float | None) -> None:
    assert number(value) is None
