"""Which items there are, and the place that each has in one run or in several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Places: TypeAlias = npt.NDArray[np.int64]
"""Of items in a run's order, from 0; -1: it is not in the run."""


@dataclass(frozen=True, eq=False)
class Items:
    """Items of a candidate, and of a baseline where there is one."""

    ids: Sequence[str]
    """Of all items, these among them."""
    rows: Places
    """Where in ``ids`` each stands."""
    candidate: Places
    baseline: Places | None

    def __len__(self) -> int:
        return len(self.rows)

    def id(self, index: int) -> str:
        return self.ids[int(self.rows[index])]

    def take(self, which: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> Items:
        """Some of them, by index or by mask."""
        baseline = None if self.baseline is None else self.baseline[which]
        return Items(self.ids, self.rows[which], self.candidate[which], baseline)


def join(candidate: Sequence[str], baseline: Sequence[str] | None) -> Items:
    """Every item of either run, in the candidate's order; what only the baseline has comes last."""
    if baseline is None:
        ids, (own,) = align([candidate])
        return Items(ids, np.arange(len(ids)), own, None)
    ids, (own, other) = align([candidate, baseline])
    return Items(ids, np.arange(len(ids)), own, other)


def align(runs: Sequence[Sequence[str]]) -> tuple[Sequence[str], list[Places]]:
    """Every id of any run, in order of first appearance, and the place that each has in each run.

    Args:
        runs: ids, each once in its run.
    """
    first = runs[0]
    # Runs over one manifest have one order: nothing to look up, and no table of a million ids to build.
    if all(other is first or (len(other) == len(first) and all(map(str.__eq__, other, first))) for other in runs):
        return first, [np.arange(len(first)) for _ in runs]
    rows = {id: row for row, id in enumerate(dict.fromkeys(id for run in runs for id in run))}
    found = []
    for run in runs:
        places = np.full(len(rows), -1)
        places[np.array([rows[id] for id in run], np.int64)] = np.arange(len(run))
        found.append(places)
    return list(rows), found
