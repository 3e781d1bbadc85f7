"""The types of an explanation."""

from __future__ import annotations

from mediacheck.facts import Struct
from mediacheck.validators import Setting
from mediacheck.verdict import Severity


class Use(Struct, frozen=True, kw_only=True):
    """How gravely a validator takes it."""

    validator: str
    severity: Severity


class Parameter(Struct, frozen=True, kw_only=True):
    """A limit."""

    name: str
    unit: str
    meaning: str
    default: str
    values: tuple[Setting, ...] = ()
    """By the validators that use it: ``name`` is the validator's id."""


class Example(Struct, frozen=True, kw_only=True):
    situation: str
    printed: str
    """What a report prints of it, line for line."""


class Explanation(Struct, frozen=True, kw_only=True):
    """Texts are Markdown: paragraphs, and lists with ``-``."""

    name: str
    """``audio.finite@1``."""
    title: str
    """One sentence: what holds where all is well."""
    uses: tuple[Use, ...] = ()
    what: str
    why: str
    how: str
    parameters: tuple[Parameter, ...] = ()
    example: Example
    fix: str
    source: str

    @property
    def id(self) -> str:
        """The name without a version."""
        return self.name.partition("@")[0]
