"""What a metric is: how an item becomes a number, which direction is worse, which statistics make sense."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

import msgspec

from mediacheck.batch.record import RunRecord
from mediacheck.batch.results import ItemResult

Kind = Literal["indicator", "value", "counted"]
PERCENTILE: Final = re.compile(r"p([1-9][0-9]?)")


class Reading(msgspec.Struct, frozen=True, gc=False):
    """An item's number. Where it is a rate, by what it is made: corpus rates add both up."""

    value: float
    numerator: float
    denominator: float

    @classmethod
    def of(cls, value: float) -> Reading:
        return cls(value, value, 1.0)


@dataclass(frozen=True)
class RunContext:
    """What a metric must know of the run besides the item."""

    record: RunRecord
    checks: frozenset[str] | None
    """Ids of the checks that the run's validator makes; None: its rules are not known here."""


@dataclass(frozen=True)
class Metric:
    """A number that each item of a run has, or lacks for a reason."""

    name: str
    unit: str
    """Of an item's value."""
    better: Literal["higher", "lower"] | None
    """None: neither, it may only be held between bounds."""
    kind: Kind
    """``indicator``: 0 or 1; ``counted``: a rate with its counts; ``value``: any number."""
    lowest: float | None
    highest: float | None
    worst_case: float | None
    """By how much one item can worsen, in ``unit``; None: nobody knows. It decides where almost all items are alike."""
    read: Callable[[ItemResult, RunContext], Reading | str]
    """The number, or one clause that says why there is none."""
    was_run: Callable[[RunContext], str | None] = lambda context: None
    """Why no item of this run can have it; None: the run set out to measure it."""

    @property
    def statistics(self) -> tuple[str, ...]:
        """What may be asked of it, percentiles as ``p1`` to ``p99``."""
        if self.kind == "indicator":
            return ("rate", "count")
        return (*(("corpus",) if self.kind == "counted" else ()), "mean", "median", "p1…p99", "each")

    def allows(self, statistic: str) -> bool:
        return statistic in self.statistics or (self.kind != "indicator" and bool(PERCENTILE.fullmatch(statistic)))

    def unit_of(self, statistic: str) -> str:
        """Of the statistic."""
        return {"count": "items", "rate": "fraction"}.get(statistic, self.unit)

    @property
    def has_zero(self) -> bool:
        """Whether ratios mean something: a true zero, and nothing below it."""
        return self.lowest == 0.0


def indicator(
    name: str, better: Literal["higher", "lower"], read: Callable[[ItemResult, RunContext], bool | str]
) -> Metric:
    """A metric that says of each item whether something holds."""

    def reading(item: ItemResult, context: RunContext) -> Reading | str:
        found = read(item, context)
        return found if isinstance(found, str) else Reading.of(float(found))

    return Metric(
        name=name,
        unit="fraction",
        better=better,
        kind="indicator",
        lowest=0.0,
        highest=1.0,
        worst_case=1.0,
        read=reading,
    )
