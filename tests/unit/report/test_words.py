from __future__ import annotations

import unicodedata
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacheck.report.escape import printable
from mediacheck.report.words import decimal, size, timecode


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (Fraction(0), "0:00:00.000"),
        (Fraction(3003, 40), "0:01:15.075"),
        (Fraction(181, 12), "0:00:15.083"),
        (Fraction(3_599_999_7, 10_000), "1:00:00.000"),
        (Fraction(-1, 2), "-0:00:00.500"),
        (Fraction(-1, 100_000), "0:00:00.000"),
        (Fraction(360_000), "100:00:00.000"),
    ],
)
def test_timecode(seconds: Fraction, text: str) -> None:
    assert timecode(seconds) == text


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_960, "1.0 MB"), (5 * 10**12, "5.0 TB")]
)
def test_size(count: int, text: str) -> None:
    assert size(count) == text


def test_decimal_keeps_whole_rates_whole() -> None:
    assert decimal(Fraction(24)) == "24"
    assert decimal(Fraction(30_000, 1001)) == "29.97"
    assert decimal(Fraction(100)) == "100"


@given(st.text())
def test_printable_text_cannot_steer_a_terminal(text: str) -> None:
    assert not any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for character in printable(text))


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S"], exclude_characters=":#")))
def test_visible_text_is_left_alone(text: str) -> None:
    assert printable(text) == text


def test_escapes_are_readable() -> None:
    assert printable("a\x1b[31m\nb\u202ec\udcff") == "a\\x1b[31m\\nb\\u202ec\\xff"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x.wav", "\\x3a:error::x.wav"),
        ("  ::stop-commands::x", "  \\x3a:stop-commands::x"),
        ("a ##[add-mask]x.wav", "a \\x23#[add-mask]x.wav"),
        ("###[error]", "#\\x23#[error]"),
        ("##vso[task.setvariable variable=a]b", "\\x23#vso[task.setvariable variable=a]b"),
        ("##teamcity[buildStatus text='x']", "\\x23#teamcity[buildStatus text='x']"),
        ("a::b", "a::b"),
        ("## heading [1]", "## heading [1]"),
    ],
)
def test_printable_text_is_no_command_to_a_ci_server(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert printable(shown) == shown
