"""What a gate requires of runs, explained by the texts in ``mediacheck/gate/explained/requirements``."""

from __future__ import annotations

from typing import Final

from mediacheck.explain import entries
from mediacheck.explain.entries import Entry, Words
from mediacheck.explain.explanation import Explanation, Property
from mediacheck.gate.policy import Requires

TITLE: Final = "Requirements"

_SIDES: Final = ("candidate", "baseline")
_DEFAULTS: Final = Requires()


def names() -> tuple[str, ...]:
    """Every requirement; of those that speak of one side, the pattern: ``whole:SIDE``."""
    return tuple(entry.name for entry in _entries())


def more_names() -> tuple[str, ...]:
    """As a report names them, ``whole:candidate``; and as a policy does, ``validator_digest``."""
    return entries.more_names(_entries())


def explain(name: str) -> Explanation:
    """The explanation of a requirement.

    Raises:
        InstallationError: its text is missing or malformed.
    """
    return entries.explained(name, "requirement", _entries())


def _entries() -> tuple[Entry, ...]:
    own = [name for name in Requires.__struct_fields__ if not name.startswith("same_")]
    return (
        *(
            Entry(f"requirements/{name}", name, properties=_properties)
            for name in Requires.__struct_fields__
            if name.startswith("same_")
        ),
        _of_sides("validator", aliases=tuple(own)),
        _of_sides("whole"),
    )


def _of_sides(id: str, *, aliases: tuple[str, ...] = ()) -> Entry:
    return Entry(
        f"requirements/{id}",
        f"{id}:SIDE",
        members=tuple(f"{id}:{side}" for side in _SIDES),
        aliases=aliases,
        sample=f"{id}:{_SIDES[0]}",
        words=_words,
        properties=_properties,
    )


def _words(name: str) -> Words:
    return {"SIDE": name.partition(":")[2]}


def _properties(name: str) -> tuple[Property, ...]:
    id = name.partition(":")[0]
    if id == "whole":
        return (Property(name="in a policy", value="nowhere: it is always required"),)
    default = getattr(_DEFAULTS, id)
    shown = "not required" if default is None else "required" if default else "not asked"
    return (Property(name="in a policy", value="[requires]"), Property(name="by default", value=shown))
