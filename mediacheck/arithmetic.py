"""The small arithmetic that contracts are written in: parsed, whitelisted, exact.

A formula is what Python would read as an expression of ``+ - * / // % **``, names, numbers and the functions of
``FUNCTIONS``. Everything is a ``Fraction``, a decimal too: ``0.99`` is 99/100. Inside ``float64(...)`` the same text is
computed as Python computes it, integers as ``int`` and everything else as IEEE double, and the exact value of the
result is handed back: so a contract can follow a reference implementation to its last rounding.

A contract file is user input: length, depth, literals and the size of every intermediate number are bounded.
"""

from __future__ import annotations

import ast
import keyword
import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache

from mediacheck.errors import ContractError, UsageError
from mediacheck.serialise import parse_fraction

Values = Mapping[str, Fraction]
_Exact = Callable[[Values], Fraction]
_Float = Callable[[Values], int | float]

# Far above any real count of samples (2**64 samples at 192 kHz are three million years), far below what takes time.
MAX_BITS = 2048
MAX_LENGTH = 500
MAX_NODES = 200
MAX_EXPONENT = 16

_LITERAL = re.compile(r"\d{1,40}(\.\d{1,40})?|\.\d{1,40}")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


def parse_number(text: str) -> Fraction:
    """A fraction from ``"603/40"``, ``"15.075"`` or ``"15"``, exactly as written.

    Raises:
        ContractError: if the text is anything else; powers of ten (``1e9``) are not read.
    """
    try:
        return parse_fraction(text)
    except UsageError as error:
        raise ContractError(str(error)) from error


def is_name(text: str) -> bool:
    """Whether ``text`` may name a quantity: lower case, and neither a function nor a word of the syntax."""
    return bool(_NAME.fullmatch(text)) and text not in FUNCTIONS and not keyword.iskeyword(text)


def round_half_even(value: Fraction) -> Fraction:
    """The nearest whole number, a tie to the even one."""
    return Fraction(round(value))


def round_half_up(value: Fraction) -> Fraction:
    """The nearest whole number, a tie towards plus infinity: floor(x + 1/2)."""
    return Fraction(math.floor(value + Fraction(1, 2)))


def _whole(value: Fraction) -> int:
    if value.denominator != 1:
        raise ArithmeticError(f"{value} is not a whole number")
    return value.numerator


def _ceil_div(a: Fraction, b: Fraction) -> Fraction:
    return Fraction(math.ceil(a / b))


# name: (exact, as Python's floats would do it, least and greatest number of arguments)
FUNCTIONS: dict[str, tuple[Callable[..., Fraction], Callable[..., int | float], int, int]] = {
    "floor": (lambda x: Fraction(math.floor(x)), math.floor, 1, 1),
    "ceil": (lambda x: Fraction(math.ceil(x)), math.ceil, 1, 1),
    "trunc": (lambda x: Fraction(math.trunc(x)), math.trunc, 1, 1),
    "round_half_even": (round_half_even, round, 1, 1),
    "round_half_up": (round_half_up, lambda x: math.floor(x + 0.5), 1, 1),
    "ceil_div": (_ceil_div, lambda a, b: -(-a // b), 2, 2),
    "min": (min, min, 2, 8),
    "max": (max, max, 2, 8),
    "lcm": (lambda *n: Fraction(math.lcm(*map(_whole, n))), math.lcm, 2, 8),
    "gcd": (lambda *n: Fraction(math.gcd(*map(_whole, n))), math.gcd, 2, 8),
    # Compiled apart: its argument is computed in doubles.
    "float64": (lambda x: x, lambda x: x, 1, 1),
}


class Expression:
    """A compiled formula. ``names`` are the quantities that it reads."""

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        body = _parse(self.text)
        self._evaluate = _Compiler(self.text).exact(body)
        self.names = frozenset(
            node.id for node in ast.walk(body) if isinstance(node, ast.Name) and node.id not in FUNCTIONS
        )

    def evaluate(self, values: Values) -> Fraction:
        """The value of the formula.

        Raises:
            ContractError: an unknown name, a division by zero, a number out of bounds, a float that is not finite.
        """
        try:
            return self._evaluate(values)
        except ZeroDivisionError:
            raise ContractError(f"the formula {self.text!r} divides by zero") from None
        except KeyError as error:
            raise ContractError(f"the formula {self.text!r} reads {error.args[0]}, which has no value") from None
        except (ArithmeticError, ValueError, TypeError) as error:
            raise ContractError(f"the formula {self.text!r} cannot be computed: {error}") from None


@lru_cache(maxsize=4096)
def compile_expression(text: str) -> Expression:
    """Parse a formula; the same text gives the same object.

    Raises:
        ContractError: if it is not the small arithmetic described above.
    """
    return Expression(text)


def _parse(text: str) -> ast.expr:
    if len(text) > MAX_LENGTH:
        raise ContractError(f"the formula {text[:40]!r}… is longer than {MAX_LENGTH} characters")
    try:
        body = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ContractError(
            f"the formula {text[:60]!r} cannot be read; write it as 'ceil(frames / fps * 40)'"
        ) from None
    if sum(1 for _ in ast.walk(body)) > MAX_NODES:
        raise ContractError(f"the formula {text[:40]!r}… has more than {MAX_NODES} parts; split it into several")
    return body


def _bounded(value: Fraction) -> Fraction:
    if value.numerator.bit_length() > MAX_BITS or value.denominator.bit_length() > MAX_BITS:
        raise ArithmeticError(f"a number in it grows beyond {MAX_BITS} bits")
    return value


def _from_float(value: int | float) -> Fraction:
    if isinstance(value, float) and not math.isfinite(value):
        raise ArithmeticError("a float in it is not finite")
    return _bounded(Fraction(value))


def _as_python_number(value: Fraction) -> int | float:
    """What the reference code holds: an int where the value is whole, the nearest double elsewhere."""
    return value.numerator if value.denominator == 1 else value.numerator / value.denominator


_EXACT_OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: Fraction(a // b),
    ast.Mod: lambda a, b: a % b,
}
_FLOAT_OPERATORS: dict[type[ast.operator], Callable[[int | float, int | float], int | float]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}


class _Compiler:
    """Turns a syntax tree into closures, and refuses whatever is not on the list."""

    def __init__(self, text: str) -> None:
        self.text = text

    def refuse(self, what: str) -> ContractError:
        known = ", ".join(FUNCTIONS)
        return ContractError(
            f"the formula {self.text[:120]!r} has {what}; allowed are + - * / // % **, names, numbers and {known}"
        )

    def exact(self, node: ast.expr) -> _Exact:
        match node:
            case ast.Constant():
                value = self.literal(node)
                return lambda values: value
            case ast.Name(id=name):
                return lambda values: values[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inner = self.exact(operand)
                return lambda values: -inner(values)
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                base, exponent = self.exact(left), self.exponent(right)
                return lambda values: _bounded(_bounded_power(base(values), exponent))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _EXACT_OPERATORS:
                a, b, operator = self.exact(left), self.exact(right), _EXACT_OPERATORS[type(op)]
                return lambda values: _bounded(operator(a(values), b(values)))
            case ast.Call(func=ast.Name(id="float64")):
                argument = self.double(self.arguments(node)[0])
                return lambda values: _from_float(argument(values))
            case ast.Call():
                function = FUNCTIONS[self.function(node)][0]
                parts = [self.exact(argument) for argument in self.arguments(node)]
                return lambda values: _bounded(function(*(part(values) for part in parts)))
        raise self.refuse(_describe(node))

    def double(self, node: ast.expr) -> _Float:
        match node:
            case ast.Constant():
                exact = self.literal(node)
                value = float(exact) if isinstance(node.value, float) else exact.numerator
                return lambda values: value
            case ast.Name(id=name):
                return lambda values: _as_python_number(values[name])
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inner = self.double(operand)
                return lambda values: -inner(values)
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                base, exponent = self.double(left), self.exponent(right)
                return lambda values: _bounded_int(base(values) ** exponent)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _FLOAT_OPERATORS:
                a, b, operator = self.double(left), self.double(right), _FLOAT_OPERATORS[type(op)]
                return lambda values: _bounded_int(operator(a(values), b(values)))
            case ast.Call():
                function = FUNCTIONS[self.function(node)][1]
                parts = [self.double(argument) for argument in self.arguments(node)]
                return lambda values: _bounded_int(function(*(part(values) for part in parts)))
        raise self.refuse(_describe(node))

    def literal(self, node: ast.Constant) -> Fraction:
        # Read from the text: the parser has already turned 0.1 into a double.
        written = ast.get_source_segment(self.text, node) or ""
        if isinstance(node.value, bool) or not _LITERAL.fullmatch(written):
            raise self.refuse(f"{written[:40]!r}")
        return Fraction(written)

    def exponent(self, node: ast.expr) -> int:
        if isinstance(node, ast.Constant) and type(node.value) is int and 0 <= node.value <= MAX_EXPONENT:
            return node.value
        raise self.refuse(f"an exponent that is not a whole number from 0 to {MAX_EXPONENT}")

    def function(self, node: ast.Call) -> str:
        if not isinstance(node.func, ast.Name):
            raise self.refuse("a call of something that is not a function's name")
        if node.func.id not in FUNCTIONS:
            raise self.refuse(f"a call of {node.func.id!r}")
        return node.func.id

    def arguments(self, node: ast.Call) -> list[ast.expr]:
        name = self.function(node)
        _, _, least, most = FUNCTIONS[name]
        if node.keywords or not least <= len(node.args) <= most:
            count = str(least) if least == most else f"{least} to {most}"
            raise self.refuse(f"{name} with other arguments than {count}")
        return node.args


def _bounded_power(base: Fraction, exponent: int) -> Fraction:
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if bits * exponent > 4 * MAX_BITS:
        raise ArithmeticError(f"a number in it grows beyond {MAX_BITS} bits")
    return base**exponent


def _bounded_int(value: int | float) -> int | float:
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise ArithmeticError(f"a number in it grows beyond {MAX_BITS} bits")
    return value


def _describe(node: ast.expr) -> str:
    kind = type(node).__name__
    return {"BinOp": "an operator", "UnaryOp": "an operator", "Compare": "a comparison"}.get(kind, f"a {kind.lower()}")
