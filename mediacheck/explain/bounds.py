"""The bounds that a rule may state, explained by the texts in ``mediacheck/gate/explained/bounds``."""

from __future__ import annotations

from typing import Final

from mediacheck.explain import entries
from mediacheck.explain.entries import Entry
from mediacheck.explain.explanation import Explanation, Property
from mediacheck.gate.policy import ABSOLUTE, BOUNDS, RATIOS, UPPER

TITLE: Final = "Bounds"


def names() -> tuple[str, ...]:
    """Every bound."""
    return tuple(BOUNDS)


def more_names() -> tuple[str, ...]:
    """None."""
    return ()


def explain(name: str) -> Explanation:
    """The explanation of a bound.

    Raises:
        InstallationError: its text is missing or malformed.
    """
    return entries.explained(name, "bound", [Entry(f"bounds/{one}", one, properties=_properties) for one in BOUNDS])


def _properties(name: str) -> tuple[Property, ...]:
    unit = "ratio" if name in RATIOS else "the statistic's"
    return (
        Property(name="limits", value="from above" if name in UPPER else "from below"),
        Property(name="compares with", value="nothing" if name in ABSOLUTE else "a baseline, item by item"),
        Property(name="unit", value=unit),
    )
