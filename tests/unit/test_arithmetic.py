"""The evaluator of formulas, held against arithmetic written out here and against Python's own evaluation."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacheck.arithmetic import MAX_BITS, compile_expression, is_name, parse_number
from mediacheck.errors import ContractError
from tests.work import ends


def exact(text: str, **values: int | Fraction) -> Fraction:
    return compile_expression(text).evaluate({name: Fraction(value) for name, value in values.items()})


# Roundings by integer division of numerator and denominator: another way than the evaluator's.
def by_floor(x: Fraction) -> Fraction:
    return Fraction(x.numerator // x.denominator)


def by_half_even(x: Fraction) -> Fraction:
    low, remainder = divmod(x.numerator, x.denominator)
    up = 2 * remainder > x.denominator or (2 * remainder == x.denominator and low % 2 == 1)
    return Fraction(low + up)


ROUNDINGS = {
    "floor": by_floor,
    "ceil": lambda x: -by_floor(-x),
    "trunc": lambda x: by_floor(x) if x >= 0 else -by_floor(-x),
    "round_half_even": by_half_even,
    "round_half_up": lambda x: Fraction((2 * x.numerator + x.denominator) // (2 * x.denominator)),
}


BINARY = {
    "({} + {})": lambda a, b: a + b,
    "({} - {})": lambda a, b: a - b,
    "({} * {})": lambda a, b: a * b,
    "({} / {})": lambda a, b: a / b,
    "({} // {})": lambda a, b: by_floor(a / b),
    "({} % {})": lambda a, b: a - b * by_floor(a / b),
    "ceil_div({}, {})": lambda a, b: -by_floor(-(a / b)),
    "min({}, {})": lambda a, b: a if a < b else b,
    "max({}, {})": lambda a, b: a if a > b else b,
}
UNARY = {
    "(-{})": lambda a: 0 - a,
    "(({})**2)": lambda a: a * a,
    **{name + "({})": rounding for name, rounding in ROUNDINGS.items()},
}
NAMED = {"x": Fraction(362, 24), "n": Fraction(17)}


@st.composite
def expressions(draw: st.DrawFn, depth: int = 4) -> tuple[str, Fraction]:
    """A formula and its value."""
    kind = draw(st.sampled_from(["number", "decimal", "name", *(["one", "two", "two"] if depth else [])]))
    if kind == "number":
        number = draw(st.integers(0, 10**6))
        return str(number), Fraction(number)
    if kind == "decimal":
        whole, thousandths = draw(st.integers(0, 999)), draw(st.integers(0, 999))
        return f"{whole}.{thousandths:03d}", Fraction(whole * 1000 + thousandths, 1000)
    if kind == "name":
        name = draw(st.sampled_from(sorted(NAMED)))
        return name, NAMED[name]
    left, a = draw(expressions(depth - 1))
    if kind == "one":
        form = draw(st.sampled_from(sorted(UNARY)))
        return form.format(left), UNARY[form](a)
    right, b = draw(expressions(depth - 1))
    form = draw(st.sampled_from(sorted(BINARY)))
    if b == 0 and ("/" in form or "%" in form or "div" in form):
        form = "({} + {})"
    return form.format(left, right), BINARY[form](a, b)


@given(expressions())
def test_every_expression_is_exact(case: tuple[str, Fraction]) -> None:
    text, value = case
    assert exact(text, **NAMED) == value


@given(
    st.sampled_from(
        [
            "frames / fps * (16000 / 160 / 4)",
            "frames / 25 * 50",
            "floor(frames / fps * 48000)",
            "ceil(frames * 0.1 * 25)",
            "round_half_even(frames / fps * 25)",
            "frames * 22050 // 256 % 7",
            "-frames / 3 + fps**2",
            "min(frames / 3, fps) + max(frames, fps) - trunc(frames / 7)",
        ]
    ),
    st.integers(1, 10**7),
    st.fractions(min_value=Fraction(1, 10), max_value=240, max_denominator=1001),
)
def test_float64_computes_as_python_does(text: str, frames: int, fps: Fraction) -> None:
    rate = int(fps) if fps.denominator == 1 else float(fps)
    names = {"floor": math.floor, "ceil": math.ceil, "trunc": math.trunc, "round_half_even": round}
    python = eval(text, {"__builtins__": {"min": min, "max": max}, **names}, {"frames": frames, "fps": rate})
    assert exact(f"float64({text})", frames=frames, fps=fps) == Fraction(python)


@pytest.mark.parametrize(
    ("value", "half_even", "half_up"),
    [("1/2", 0, 1), ("3/2", 2, 2), ("5/2", 2, 3), ("-1/2", 0, 0), ("-3/2", -2, -1), ("7/3", 2, 2)],
)
def test_ties_go_where_the_name_says(value: str, half_even: int, half_up: int) -> None:
    x = Fraction(value)
    assert exact("round_half_even(x)", x=x) == half_even
    assert exact("round_half_up(x)", x=x) == half_up


def test_a_decimal_is_what_is_written_and_float64_is_not() -> None:
    assert exact("0.1 + 0.2") == Fraction(3, 10)
    assert exact("float64(0.1 + 0.2)") == Fraction(0.1 + 0.2) != Fraction(3, 10)
    assert exact("floor(0.99 * 48000)") == 47520
    assert exact("ceil(float64(2.2 * 25))") == 56


def test_below_zero_trunc_is_not_floor() -> None:
    assert (exact("trunc(-3 / 2)"), exact("floor(-3 / 2)")) == (-1, -2)
    assert (exact("float64(trunc(-3 / 2))"), exact("float64(floor(-3 / 2))")) == (-1, -2)


def test_whole_numbers_stay_whole_in_float64_as_in_python() -> None:
    assert exact("float64(9007199254740993 * 1)") == 9007199254740993
    assert exact("float64(9007199254740993 * 1.0)") == 9007199254740992
    assert exact("float64(x // 2)", x=9007199254740993 * 2) == 9007199254740993


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 +",
        "__import__('os')",
        "open('x')",
        "x.numerator",
        "(1).real",
        "x[0]",
        "[1, 2]",
        "lambda: 1",
        "1 if x else 2",
        "x < 1",
        "not x",
        "x and 1",
        "x | 1",
        "x << 3",
        "'a'",
        "True",
        "None",
        "1j",
        "1e5",
        "0x10",
        "floor(x=1)",
        "floor()",
        "floor(1, 2)",
        "min(1)",
        "min(*x)",
        "floor(floor)(1)",
        "2**x",
        "2**17",
        "2**-1",
        "x := 1",
        "\x00",
        "x\n+ 1 y",
    ],
)
def test_what_is_not_on_the_list_is_refused(text: str) -> None:
    with pytest.raises(ContractError, match="formula"):
        exact(text, x=1)


@pytest.mark.parametrize(
    "text",
    [
        "9" * 400,
        "(" * 450 + "1" + ")" * 10,
        "-" * 480 + "1",
        "+".join(["1"] * 240),
        "((((((9**16)**16)**16)**16)**16)**16)**16",
        "*".join(["9999999999"] * 40) + "*" + "*".join(["x**16"] * 4),
        "float64(((9**16)**16)**16 * 1.0)",
        "float64(" + "*".join(["9**16"] * 90) + ")",
    ],
)
def test_a_hostile_formula_costs_one_sentence_and_no_time(text: str) -> None:
    with ends(), pytest.raises(ContractError) as caught:
        exact(text, x=10**40)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 800


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1 / (x - 1)", "divides by zero"),
        ("1 % (x - 1)", "divides by zero"),
        ("float64(1 / (x - 1))", "divides by zero"),
        ("y + 1", "reads y"),
        ("lcm(x, 1/2)", "not a whole number"),
        ("float64(1.5 ** 16) ** 16 ** 1", "exponent"),
        ("float64(0.5 * x ** 16 * 99999999999999999999 ** 16)", "cannot be computed"),
    ],
)
def test_an_error_names_the_formula_and_the_reason(text: str, says: str) -> None:
    with pytest.raises(ContractError, match=says) as caught:
        exact(text, x=1)
    assert text in str(caught.value)


def test_whole_number_helpers() -> None:
    assert exact("lcm(8, 12)") == 24
    assert exact("gcd(8, 12)") == 4
    assert exact("ceil_div(7, 2)") == 4
    assert compile_expression("floor(a / b) + float64(c)").names == {"a", "b", "c"}
    assert exact("2**16") == 65536
    assert exact(f"{'9' * 40} * {'9' * 40}").numerator.bit_length() < MAX_BITS


@pytest.mark.parametrize(
    ("text", "value"),
    [("15.075", Fraction(603, 40)), ("603/40", Fraction(603, 40)), (" 15 ", Fraction(15)), ("-1/2", Fraction(-1, 2))],
)
def test_numbers_are_read_as_written(text: str, value: Fraction) -> None:
    assert parse_number(text) == value


@pytest.mark.parametrize("text", ["", "nan", "inf", "1e9", "1e999999999", "1/0", "1/2/3", "0x1", "1_000", "9" * 50])
def test_what_is_no_number_is_refused_at_once(text: str) -> None:
    with pytest.raises(ContractError):
        parse_number(text)


def test_names() -> None:
    assert is_name("mel_frames")
    assert not any(is_name(name) for name in ("floor", "float64", "lambda", "Mel", "1st", "_x", "", "a" * 41, "a-b"))
