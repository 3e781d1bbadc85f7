"""Which items a rule speaks of, and their numbers side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mediacheck.gate.decision import SHOWN, Lost
from mediacheck.gate.items import Items
from mediacheck.gate.runs import Numbers, Series
from mediacheck.gate.statistics.means import Sums

NOT_THERE = "it is not in the run"


@dataclass(frozen=True, eq=False)
class Pairs:
    """Items with the number, on both sides where there is a baseline; and who lacks it."""

    items: Items
    candidate: Numbers
    baseline: Numbers | None
    expected: int
    lost_candidate: int
    lost_baseline: int
    lost_by_candidate_alone: int
    """That the baseline has, or that there is no baseline for."""
    lost: tuple[Lost, ...]

    @property
    def n(self) -> int:
        return len(self.items)


def pair(candidate: Series, baseline: Series | None, items: Items, expected: int) -> Pairs:
    """Keep the items that have the number.

    Args:
        candidate: its numbers.
        baseline: likewise; None: a rule without one, or there is none.
        items: every item of either run, in order; joined with the baseline where there is one.
        expected: how many there should be; more than ``items`` where a run lacks lines: these the candidate lost.
    """
    here = candidate.has(items.candidate)
    there = np.ones(len(items), bool)
    if baseline is not None:
        assert items.baseline is not None, "the items are those of both runs"
        there = baseline.has(items.baseline)
    lost: list[Lost] = []
    for index in np.flatnonzero(~(here & there))[:SHOWN].tolist():
        id = items.id(index)
        if not here[index]:
            lost.append(Lost(id=id, side="candidate", reason=candidate.why(int(items.candidate[index])) or NOT_THERE))
        if not there[index] and baseline is not None and items.baseline is not None:
            why = baseline.why(int(items.baseline[index])) or NOT_THERE
            lost.append(Lost(id=id, side="baseline", reason=why))
    kept = items.take(here & there)
    unlisted = expected - len(items)
    return Pairs(
        items=kept,
        candidate=candidate.take(kept.candidate),
        baseline=None if baseline is None or kept.baseline is None else baseline.take(kept.baseline),
        expected=expected,
        lost_candidate=int((~here).sum()) + unlisted,
        lost_baseline=int((~there).sum()),
        lost_by_candidate_alone=int((~here & there).sum()) + unlisted,
        lost=tuple(lost[:SHOWN]),
    )


def sums(numbers: Numbers, *, corpus: bool) -> Sums:
    """For the corpus rate, or for the mean of the items' values."""
    if corpus:
        return Sums(numbers.over, numbers.under)
    return Sums(numbers.value, np.ones(len(numbers.value)))
