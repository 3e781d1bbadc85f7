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


class Property(Struct, frozen=True, kw_only=True):
    """Something that the code says of it: a unit, a default."""

    name: str
    value: str


class Example(Struct, frozen=True, kw_only=True):
    situation: str
    policy: str = ""
    """Of a rule: what the policy says, as TOML; empty where it has no part in it."""
    printed: str
    """What is printed of it, line for line."""


class Explanation(Struct, frozen=True, kw_only=True):
    """Texts are Markdown: paragraphs, and lists with ``-``."""

    name: str
    """``audio.finite@1``, ``wer``; of a family ``findings:CHECK``."""
    kind: str
    """``check``, ``metric``, …"""
    title: str
    """One sentence: of a check, what holds where all is well."""
    uses: tuple[Use, ...] = ()
    """Of a check."""
    properties: tuple[Property, ...] = ()
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
