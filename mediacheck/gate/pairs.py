"""Which items a rule speaks of, and their numbers side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mediacheck.gate.decision import SHOWN, Lost
from mediacheck.gate.metrics import Reading
from mediacheck.gate.runs import Series
from mediacheck.gate.statistics.means import Floats, Sums

NOT_THERE = "it is not in the run"


@dataclass(frozen=True)
class Pairs:
    """Items with the number, on both sides where there is a baseline; and who lacks it."""

    ids: tuple[str, ...]
    candidate: tuple[Reading, ...]
    baseline: tuple[Reading, ...] | None
    expected: int
    lost_candidate: int
    lost_baseline: int
    lost_by_candidate_alone: int
    """That the baseline has, or that there is no baseline for."""
    lost: tuple[Lost, ...]

    @property
    def n(self) -> int:
        return len(self.ids)


def pair(candidate: Series, baseline: Series | None, ids: Sequence[str], expected: int) -> Pairs:
    """Join by id.

    Args:
        candidate: its readings.
        baseline: likewise; None: a rule without one.
        ids: every item of either run, in order.
        expected: how many there should be; more than ``ids`` where a run lacks lines: these the candidate lost.
    """
    kept: list[str] = []
    lost: list[Lost] = []
    candidate_lost = baseline_lost = 0
    alone = expected - len(ids)
    for id in ids:
        here = id in candidate.readings
        there = baseline is None or id in baseline.readings
        if here and there:
            kept.append(id)
        if not here:
            candidate_lost += 1
            alone += there
            if len(lost) < SHOWN:
                lost.append(Lost(id=id, side="candidate", reason=candidate.absent.get(id, NOT_THERE)))
        if baseline is not None and not there:
            baseline_lost += 1
            if len(lost) < SHOWN:
                lost.append(Lost(id=id, side="baseline", reason=baseline.absent.get(id, NOT_THERE)))
    return Pairs(
        ids=tuple(kept),
        candidate=tuple(candidate.readings[id] for id in kept),
        baseline=None if baseline is None else tuple(baseline.readings[id] for id in kept),
        expected=expected,
        lost_candidate=candidate_lost + expected - len(ids),
        lost_baseline=baseline_lost,
        lost_by_candidate_alone=alone,
        lost=tuple(lost),
    )


def values(readings: Sequence[Reading]) -> Floats:
    return np.array([reading.value for reading in readings], np.float64)


def sums(readings: Sequence[Reading], *, corpus: bool) -> Sums:
    """For the corpus rate, or for the mean of the items' values."""
    if corpus:
        over = np.array([reading.numerator for reading in readings], np.float64)
        return Sums(over, np.array([reading.denominator for reading in readings], np.float64))
    own = values(readings)
    return Sums(own, np.ones(len(own)))
