"""The statistics that a rule may name, explained by the texts in ``mediacheck/gate/explained/statistics``."""

from __future__ import annotations

from typing import Final

from mediacheck.explain.entries import Entry, EntryKind
from mediacheck.explain.explanation import Property
from mediacheck.gate.metrics import find_metric
from mediacheck.gate.policy import EXACT, MINIMUM_COUNT

_SAMPLES: Final = {
    "wer": "error rates and their parts",
    "speaker": "values of scorers",
    "validity_rate": "what is yes or no of an item",
}
"""A metric of each kind, and what it stands for."""


def _entries() -> tuple[Entry, ...]:
    plain = {name: Entry(f"statistics/{name}", name, properties=_properties) for name in
             ("corpus", "mean", "median", "rate", "count", "each")}  # fmt: skip
    percentiles = Entry(
        "statistics/percentile",
        "pN",
        members=tuple(f"p{number}" for number in range(1, 100)),
        words=lambda name: {} if name == "pN" else {"pN": name, "N": name[1:]},
        properties=_properties,
    )
    first = ("corpus", "mean", "median")
    return (*(plain.pop(name) for name in first), percentiles, *plain.values())


def _properties(name: str) -> tuple[Property, ...]:
    asked = "p95" if name == "pN" else name
    of = [what for metric, what in _SAMPLES.items() if find_metric(metric).allows(asked)]
    exact = asked in EXACT
    return (
        Property(name="of", value=", ".join(of)),
        Property(name="speaks of", value="the items of this run" if exact else "items such as these, by an interval"),
        Property(name="least items", value=f"{1 if exact else MINIMUM_COUNT}, unless minimum_count says otherwise"),
    )


KIND: Final = EntryKind("Statistics", _entries, lambda name: "statistic")
