"""Gates between runs that are alike, simulated: what ``calibrate`` derives its margins from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from mediacheck.gate.metrics import Metric
from mediacheck.gate.statistics.bounds import POWER, Bounds, normal_quantile
from mediacheck.gate.statistics.means import FEWEST_DIFFERENT, Floats, Sums, rate_bounds
from mediacheck.gate.statistics.rare import Support, counted_bounds, expanded_quantile

CONFIDENCE: Final = 0.95
_RESAMPLES: Final = 199
_CELLS: Final = 1_000_000
"""Items times simulations that are drawn: larger runs vary less, and are simulated less often."""
MANY: Final = 5_000
"""Items above which simulated gates come from the law of their intervals: equal runs differ symmetrically, so that the
normal law is good long before a gate's own interval is the normal one."""
_ENOUGH: Final = 10 * FEWEST_DIFFERENT
"""Items that differ between two runs, on average, above which no simulated gate has fewer than it takes."""
_EXPANDED: Final = 20
"""Items that turned, above which the draws of Gaffke's bound are left out."""


@dataclass(frozen=True, eq=False)
class Table:
    """Numbers of the items that every run has: (runs, items)."""

    metric: Metric
    over: Floats
    under: Floats

    @property
    def values(self) -> Floats:
        return np.asarray(self.over / np.where(self.under > 0, self.under, 1.0))

    def statistic(self, run: int) -> float:
        return float(self.over[run].sum() / self.under[run].sum())


class Simulator:
    """Gates between runs that are alike: each item's two numbers come from two of the runs, drawn anew.

    Items are drawn with replacement, so that the simulated runs vary as runs over other items of this kind do; whole
    runs are moved by their own effect, where they have one. A worsening is added as it would arise: errors by a Poisson
    law per word, items that turn bad, a value that shifts.

    Of items that are 0 or 1 only the numbers of each kind of pair are drawn, which is the same law. Above ``MANY``
    items the two ends of an interval are drawn from the law that they then have. Either takes as long for a million
    items as for a thousand.
    """

    def __init__(self, table: Table, effect: float, seed: int, simulations: int) -> None:
        self._table, self._effect, self._seed = table, effect, seed
        self._items = table.over.shape[1]
        self._pairs = _pairs(table) if table.metric.kind == "indicator" else None
        self._law = _law(table) if table.metric.kind != "indicator" and self._items > MANY else None
        drawn = self._pairs is None and self._law is None
        self.simulations = min(simulations, max(100, _CELLS // self._items)) if drawn else simulations

    def worsened(self, by: float, sign: float) -> tuple[Floats, Floats] | None:
        """Lower and upper bounds of the worsening, one a simulation; None where no bound can be given."""
        random = np.random.default_rng(self._seed)
        if self._law is not None:
            lows, highs = self._law.ends(random, self._table.metric.kind == "counted", by, sign, self.simulations)
            shifts = random.normal(0.0, self._effect * math.sqrt(2.0), self.simulations) if self._effect else 0.0
            return lows + shifts, highs + shifts
        lows, highs = np.empty(self.simulations), np.empty(self.simulations)
        for k in range(self.simulations):
            bounds = self._gate(random, by, sign, self._seed + k)
            if bounds.low is None or bounds.high is None:
                return None
            shift = random.normal(0.0, self._effect * math.sqrt(2.0)) if self._effect else 0.0
            ends = sign * bounds.low, sign * bounds.high
            lows[k], highs[k] = min(ends) + shift, max(ends) + shift
        return lows, highs

    def smallest(self, margin: float, sign: float, ends: Floats, *, side: int) -> float:
        """The worsening at which the bound of this side lies above the margin in 80 % of the simulations."""
        by = margin - float(np.quantile(ends, 1.0 - POWER))
        if self._table.metric.kind == "value":
            # A shift moves every bound by itself.
            return by
        if self._table.metric.kind == "counted":
            # Errors that are added also scatter: the bound moves by more or less than they are.
            for _ in range(2):
                by += margin - float(np.quantile(self._ends(by, sign, side), 1.0 - POWER))
            return by
        low, high = 0.0, 1.0
        for _ in range(12):
            by = (low + high) / 2.0
            caught = float((self._ends(by, sign, side) >= margin).mean()) >= POWER
            low, high = (low, by) if caught else (by, high)
        return high

    def _ends(self, by: float, sign: float, side: int) -> Floats:
        found = self.worsened(max(by, 0.0), sign)
        assert found is not None, "with no worsening there were bounds"
        return found[side]

    def _gate(self, random: np.random.Generator, by: float, sign: float, seed: int) -> Bounds:
        table, n = self._table, self._items
        if self._pairs is not None:
            return _turned(*_turn(random, random.multinomial(n, self._pairs), by, sign), n)
        runs = len(table.over)
        chosen = random.integers(0, n, n)
        first = random.integers(0, runs, n)
        second = (first + random.integers(1, runs, n)) % runs
        over, under = table.over[first, chosen], table.under[first, chosen]
        baseline = Sums(table.over[second, chosen], table.under[second, chosen])
        candidate = Sums(self._worse(random, over, under, by, sign), under)
        worst = table.metric.worst_case
        support = Support(None, None) if worst is None else Support(-worst, worst)
        return rate_bounds(
            candidate, baseline, confidence=CONFIDENCE, support=support, seed=seed, resamples=_RESAMPLES
        )

    def _worse(
        self, random: np.random.Generator, over: Floats, under: Floats, by: float, sign: float
    ) -> npt.NDArray[np.float64]:
        if by == 0.0:
            return over
        if self._table.metric.kind == "value":
            return over + sign * by
        return np.asarray(over + random.poisson(by * under))


@dataclass(frozen=True)
class _Law:
    """Of the change that a gate between two runs of many items measures."""

    spread: float
    """Standard deviation of one item's contribution to the change."""
    words: float
    """Mean denominator of an item."""
    extreme: float
    """The greatest change that an item shows between two runs."""
    items: int

    def ends(
        self, random: np.random.Generator, counted: bool, by: float, sign: float, simulations: int
    ) -> tuple[Floats, Floats]:
        """Lower and upper bounds of the worsening, as ``rate_bounds`` gives them for many items.

        Of errors that are added by a Poisson law per word, ``by`` of each word, the mean is ``by`` and the variance of
        an item's contribution by / words.
        """
        variance = self.spread**2 + (by / self.words if counted else 0.0)
        error = math.sqrt(variance / self.items)
        # Drawn with its sign: the same draws show the same changes, whichever side is worse.
        values = by + sign * random.normal(0.0, error, simulations)
        reach = normal_quantile(CONFIDENCE) * error + self.extreme / 2.0 / self.items
        return values - reach, values + reach


def _law(table: Table) -> _Law | None:
    """None where so few items vary that gates may rest on what could be unseen."""
    items = table.over.shape[1]
    runs = len(table.over)
    words = float(table.under.mean())
    rate = float(table.over.sum() / table.under.sum())
    # To first order, what an item adds to the rate of each run beyond the rate of all.
    shares = (table.over - rate * table.under) / words
    unequal = sum(float((shares[a] != shares[b]).sum()) for a in range(runs) for b in range(a))
    differ = unequal / (runs * (runs - 1) / 2)
    if differ < _ENOUGH:
        return None
    # Twice the variance between the runs: two of them are drawn for each item, never one twice.
    spread = math.sqrt(2.0 * float(shares.var(axis=0, ddof=1).mean()))
    return _Law(spread, words, float(np.ptp(shares, axis=0).max()), items)


def _pairs(table: Table) -> tuple[float, float, float, float]:
    """Of items that are 0 or 1: shares of (candidate, baseline) = (1, 1), (1, 0), (0, 1), (0, 0), two runs an item."""
    runs = len(table.over)
    ones = table.over.sum(axis=0)
    ways = runs * (runs - 1)
    both, one = float((ones * (ones - 1)).mean()) / ways, float((ones * (runs - ones)).mean()) / ways
    return both, one, one, max(0.0, 1.0 - both - 2.0 * one)


def _turn(random: np.random.Generator, counts: npt.NDArray[np.int64], by: float, sign: float) -> tuple[int, int]:
    """Items that are 1 in the candidate alone, and in the baseline alone, when so many good ones turn bad that the
    share moves by ``by``."""
    both, up, down, none = counts.tolist()
    if by > 0.0:
        good = both + up if sign < 0 else none + down
        share = by / max(good / (both + up + down + none), by)
        if sign < 0:
            down += int(random.binomial(both, share))
            up -= int(random.binomial(up, share))
        else:
            up += int(random.binomial(none, share))
            down -= int(random.binomial(down, share))
    return up, down


@cache
def _turned(up: int, down: int, n: int) -> Bounds:
    """Of items that are 0 or 1 nothing counts but how many turned: few of all gates differ."""
    counts, seen = np.array([down, n - up - down, up]), np.array([-1.0, 0.0, 1.0])
    value = (up - down) / n
    if up + down >= _EXPANDED:
        low = expanded_quantile(seen, counts, -1.0, 1.0 - CONFIDENCE)
        high = expanded_quantile(seen, counts, 1.0, CONFIDENCE)
        return Bounds(value, low, high, "rare events (Gaffke)", rare=True)
    there = counts > 0
    return counted_bounds(
        seen[there], counts[there], value, None, confidence=CONFIDENCE, support=Support(-1.0, 1.0)
    )
