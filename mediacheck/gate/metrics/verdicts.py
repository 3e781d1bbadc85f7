"""``validity_rate``, ``verdict:fail``, ``verdict:inconclusive``: what the validator said, of every item expected."""

from __future__ import annotations

from typing import get_args

from mediacheck.batch.results import ItemResult
from mediacheck.gate.metrics.metric import Metric, RunContext, indicator
from mediacheck.verdict import Verdict

_PREFIX = "verdict:"


def names() -> tuple[str, ...]:
    return ("validity_rate", *(f"{_PREFIX}{verdict}" for verdict in get_args(Verdict) if verdict != "pass"))


def find(name: str) -> Metric | None:
    if name not in names():
        return None
    wanted = "pass" if name == "validity_rate" else name.removeprefix(_PREFIX)

    # An item without a verdict is not valid: it counts as 0, and not as absent.
    def read(item: ItemResult, context: RunContext) -> bool:
        return item.verdict == wanted

    return indicator(name, "higher" if wanted == "pass" else "lower", read)
