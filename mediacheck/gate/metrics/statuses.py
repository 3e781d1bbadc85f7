"""``status:missing``, ``status:crashed``, …, ``status:not_judged``: what became of every item expected."""

from __future__ import annotations

from typing import get_args

from mediacheck.batch.results import ItemResult, Status
from mediacheck.gate.metrics.metric import Metric, RunContext, indicator

_PREFIX = "status:"
ANY = "not_judged"


def names() -> tuple[str, ...]:
    return tuple(f"{_PREFIX}{name}" for name in (ANY, *(s for s in get_args(Status) if s != "judged")))


def find(name: str) -> Metric | None:
    if name not in names():
        return None
    wanted = name.removeprefix(_PREFIX)

    def read(item: ItemResult, context: RunContext) -> bool:
        return item.status != "judged" if wanted == ANY else item.status == wanted

    return indicator(name, "lower", read)
