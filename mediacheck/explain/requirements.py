"""What a gate requires of runs, explained by the texts in ``mediacheck/gate/explained/requirements``."""

from __future__ import annotations

from typing import Final

from mediacheck.explain.entries import Entry, EntryKind, Words
from mediacheck.explain.explanation import Property
from mediacheck.gate.policy import Requires

_SIDES: Final = ("candidate", "baseline")
_DEFAULTS: Final = Requires()


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


KIND: Final = EntryKind("Requirements", _entries, lambda name: "requirement")
