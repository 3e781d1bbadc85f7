"""The bounds that a rule may state, explained by the texts in ``mediacheck/gate/explained/bounds``."""

from __future__ import annotations

from typing import Final

from mediacheck.explain.entries import Entry, EntryKind
from mediacheck.explain.explanation import Property
from mediacheck.gate.policy import ABSOLUTE, BOUNDS, RATIOS, UPPER


def _entries() -> tuple[Entry, ...]:
    return tuple(Entry(f"bounds/{name}", name, properties=_properties) for name in BOUNDS)


def _properties(name: str) -> tuple[Property, ...]:
    unit = "ratio" if name in RATIOS else "the statistic's"
    return (
        Property(name="limits", value="from above" if name in UPPER else "from below"),
        Property(name="compares with", value="nothing" if name in ABSOLUTE else "a baseline, item by item"),
        Property(name="unit", value=unit),
    )


KIND: Final = EntryKind("Bounds", _entries, lambda name: "bound")
