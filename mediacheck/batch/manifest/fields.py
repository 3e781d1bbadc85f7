"""Take values of a line as what they must be; the first that is not is the line's problem."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from mediacheck.api import expectation
from mediacheck.errors import UsageError
from mediacheck.expectation import Expectation, parse_expectation
from mediacheck.scoring.registry import require_language
from mediacheck.serialise import is_text

LONGEST_ID = 1000
_LONGEST_CLAUSE = 400
_KINDS = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}


class Fields:
    """One line. What is wrong with it is remembered, and reading goes on: an id names even a bad line."""

    __slots__ = ("_values", "problem")

    def __init__(self, values: Mapping[str, Any], problem: str | None) -> None:
        self._values = values
        self.problem = problem

    def complain(self, clause: str) -> None:
        if self.problem is None:
            # Texts of the manifest stand in it: they may be long, or what JSON cannot hold.
            clean = clause.encode("utf-8", "backslashreplace").decode()
            clean = clean if clean.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in clean)
            self.problem = clean if len(clean) <= _LONGEST_CLAUSE else clean[: _LONGEST_CLAUSE - 1] + "…"

    def has(self, column: str | None) -> bool:
        return column is not None and self._values.get(column) not in (None, "")

    def id(self, column: str) -> str | None:
        """Text that is not empty, or a whole number."""
        value = self._values.get(column)
        if type(value) is int:
            value = str(value)
        if value is None or value == "":
            return None
        if not isinstance(value, str) or not is_text(value) or "\0" in value:
            self.complain(f"{column} is {_kind(value)}; an id is text, or a whole number")
            return None
        if len(value) > LONGEST_ID:
            self.complain(f"{column} has {len(value)} characters; an id has {LONGEST_ID:,} at most")
            return None
        return value

    def text(self, column: str) -> str | None:
        """Text, empty too."""
        value = self._values.get(column)
        if value is None or (isinstance(value, str) and is_text(value)):
            return value
        self.complain(f"{column} is {_kind(value)}, not a text")
        return None

    def word(self, column: str) -> str | None:
        """Text or a number as text; None where it is empty."""
        value = self._values.get(column)
        if type(value) is int:
            return str(value)
        return self.text(column) or None

    def texts(self, column: str) -> tuple[str, ...]:
        """One text or a list of them, those that are empty left out."""
        value = self._values.get(column)
        values = value if isinstance(value, list) else [value]
        for inner in values:
            if inner is not None and not (isinstance(inner, str) and is_text(inner)):
                self.complain(f"{column} holds {_kind(inner)}; write a text or a list of texts")
                return ()
        return tuple(inner for inner in values if inner)

    def language(self, column: str) -> str | None:
        value = self.text(column) or None
        if value is not None:
            try:
                require_language(value)
            except UsageError as error:
                self.complain(str(error).replace("--language", column, 1))
                return None
        return value

    def group(self, column: str) -> str | None:
        """Text, a number, or true or false, as text; None where it is not there."""
        value = self._values.get(column)
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int | float | Decimal):
            return str(value)
        return self.text(column) or None

    def expectation(self, column: str, expected: tuple[tuple[str, str], ...]) -> Expectation | None:
        """What was asked for: an object or KEY=VALUE texts in one column, and columns of single keys besides."""
        try:
            asked = self._expected_at_once(column)
            for key, own in expected:
                if self.has(own):
                    if key in asked:
                        self.complain(f"{column} and {own} both ask for {key}; leave one")
                        return None
                    asked[key] = self._values[own]
            for key, value in asked.items():
                if isinstance(value, Decimal):
                    asked[key] = Fraction(value)
                elif not isinstance(value, str | int | float) or (isinstance(value, str) and not is_text(value)):
                    self.complain(f"what is expected of {key} is {_kind(value)}; write a number, or yes or no")
                    return None
            return expectation(asked) if asked else None
        except (UsageError, ValueError, OverflowError) as error:
            self.complain(str(error).replace("--expect", "what is expected:", 1))
            return None

    def _expected_at_once(self, column: str) -> dict[str, Any]:
        value = self._values.get(column)
        if value is None or value == "":
            return {}
        if isinstance(value, dict):
            # Parquet has every key of a struct in every row.
            return {key: inner for key, inner in value.items() if inner is not None}
        pairs = value.replace(";", " ").replace(",", " ").split() if isinstance(value, str) else value
        if not isinstance(pairs, list) or not all(isinstance(pair, str) for pair in pairs):
            raise UsageError(f"{column} is {_kind(value)}; write an object, or a list of KEY=VALUE")
        parse_expectation(pairs)
        return {key.strip(): text.strip() for key, _, text in (pair.partition("=") for pair in pairs)}


def _kind(value: object) -> str:
    if isinstance(value, str):
        return "text with a NUL character" if "\0" in value else "text with half a character (a lone surrogate)"
    return _KINDS.get(type(value), f"of type {type(value).__name__}")
