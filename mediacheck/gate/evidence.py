"""One metric over several equal runs: its spread, its outliers, and margins by simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from mediacheck.gate.calibration import ItemOutlier, MetricEvidence, Proposal, RunValue
from mediacheck.gate.decision import DECIMALS, SHOWN
from mediacheck.gate.metrics import Metric, find_metric
from mediacheck.gate.policy import MINIMUM_COUNT, Bound
from mediacheck.gate.runs import GateRun
from mediacheck.gate.statistics.bounds import POWER, Bounds
from mediacheck.gate.statistics.means import Floats, Sums, rate_bounds
from mediacheck.gate.statistics.rare import Support, rare_bounds

CONFIDENCE: Final = 0.95
_OUTLIER_RUN: Final = 3.29
_OUTLIER_ITEM: Final = 3.5
SIMULATIONS: Final = 500
_RESAMPLES: Final = 199
_CELLS: Final = 1_000_000
"""Items times simulations: larger runs vary less, and are simulated less often."""


@dataclass(frozen=True, eq=False)
class _Table:
    """Numbers of the items that every run has: (runs, items)."""

    metric: Metric
    over: Floats
    under: Floats

    @property
    def values(self) -> Floats:
        return np.asarray(self.over / np.where(self.under > 0, self.under, 1.0))

    def statistic(self, run: int) -> float:
        return float(self.over[run].sum() / self.under[run].sum())


def evidence_of(
    runs: Sequence[GateRun], name: str, *, target: float, seed: int, simulations: int = SIMULATIONS
) -> MetricEvidence:
    """Spread, outliers and proposals of one metric.

    Args:
        runs: at least two, of one workload.
        name: of the metric.
        target: how often a rule may stop a candidate that is as good as the baseline.
        seed: of the simulations.
        simulations: of gates, for each margin; fewer where the runs are large.
    """
    metric = find_metric(name)
    statistic = {"indicator": "rate", "counted": "corpus", "value": "mean"}[metric.kind]
    ids = list(dict.fromkeys(id for run in runs for id in run.ids))
    shared = [id for id in ids if all(id in run.series[name].readings for run in runs)]
    table = _table(metric, runs, shared)
    reason = None
    if len(shared) < MINIMUM_COUNT:
        reason = f"{len(shared)} items have the number in every run, fewer than {MINIMUM_COUNT}"
    elif not (table.under.sum(axis=1) > 0).all():
        reason = "nothing was to be said in any item"
    common = {"metric": name, "statistic": statistic, "unit": metric.unit_of(statistic)}
    if reason is not None:
        return MetricEvidence(
            **common, items=len(shared), expected=len(ids), minimum_coverage=1.0, runs=(), within=0.0, between=0.0,
            paired=0.0, run_effect=0.0, outliers=(), proposals=(), reason=reason,
        )  # fmt: skip
    count = len(runs)
    totals = np.array([table.statistic(run) for run in range(count)])
    paired = _paired(table)
    # Of two runs whose items alone vary, the statistics differ with a variance of paired^2 / n; half of it is each's.
    effect = math.sqrt(max(0.0, float(totals.var(ddof=1)) - paired**2 / 2 / len(shared)))
    proposals, reason = _proposals(table, target, _Simulator(table, effect, seed, simulations))
    return MetricEvidence(
        **common,
        items=len(shared),
        expected=len(ids),
        minimum_coverage=_coverage(runs, name, ids),
        runs=tuple(_run_value(table, run, runs[run].identity.name) for run in range(count)),
        within=_rounded(float(table.values.std(axis=1, ddof=1).mean())),
        between=_rounded(float(totals.std(ddof=1))),
        paired=_rounded(paired),
        run_effect=_rounded(effect),
        outliers=_outlier_items(table.values.mean(axis=0), shared),
        proposals=proposals,
        reason=reason,
        remark=_unseen(table),
    )


def _table(metric: Metric, runs: Sequence[GateRun], ids: Sequence[str]) -> _Table:
    readings = [[run.series[metric.name].readings[id] for id in ids] for run in runs]
    counted = metric.kind == "counted"
    over = np.array([[r.numerator if counted else r.value for r in own] for own in readings], np.float64)
    under = np.array([[r.denominator if counted else 1.0 for r in own] for own in readings], np.float64)
    return _Table(metric, over.reshape(len(runs), len(ids)), under.reshape(len(runs), len(ids)))


def _shares(table: _Table) -> Floats:
    """What each item adds to its run's statistic, so that their mean is the statistic."""
    return np.asarray(table.over / table.under.mean(axis=1, keepdims=True))


def _paired(table: _Table) -> float:
    """sqrt of the mean variance of d over all pairs of runs: twice the variance of an item between the runs."""
    shares = _shares(table)
    centred = shares - shares.mean(axis=1, keepdims=True)
    return math.sqrt(2.0 * float(centred.var(axis=0, ddof=1).mean()))


def _coverage(runs: Sequence[GateRun], name: str, ids: Sequence[str]) -> float:
    least = 1.0
    for first in runs:
        for second in runs:
            both = first.series[name].readings.keys() & second.series[name].readings.keys()
            least = min(least, len(both) / len(ids))
    return max(0.01, math.floor(least * 100 + 1e-9) / 100)


def _run_value(table: _Table, run: int, name: str) -> RunValue:
    shares = _shares(table)
    difference = shares[run] - np.delete(shares, run, axis=0).mean(axis=0)
    error = float(difference.std(ddof=1)) / math.sqrt(len(difference))
    z = float(difference.mean()) / error if error > 0 else None
    return RunValue(
        run=name,
        value=_rounded(table.statistic(run)),
        z=None if z is None else round(z, 2),
        outlier=z is not None and abs(z) > _OUTLIER_RUN,
    )


def _outlier_items(means: Floats, ids: Sequence[str]) -> tuple[ItemOutlier, ...]:
    """B. Iglewicz, D. Hoaglin, How to Detect and Handle Outliers (1993): the modified z-score."""
    middle = float(np.median(means))
    spread = float(np.median(np.abs(means - middle)))
    if not spread > 0:
        # More than half of the items are alike: what lies off is not told from what merely varies.
        return ()
    scores = 0.6745 * (means - middle) / spread
    order = np.argsort(-np.abs(scores), kind="stable")[:SHOWN]
    return tuple(
        ItemOutlier(id=ids[k], value=_rounded(float(means[k])), z=round(float(scores[k]), 2))
        for k in order.tolist()
        if abs(scores[k]) > _OUTLIER_ITEM
    )


def _unseen(table: _Table) -> str | None:
    """That an event no run showed may happen all the same: the rule of three."""
    seen = table.over if table.metric.better == "lower" else 1.0 - table.over
    if table.metric.kind != "indicator" or seen.any():
        return None
    share = 1.0 - (1.0 - CONFIDENCE) ** (1.0 / table.over.size)
    return (
        f"no item of any run was bad; {table.over.size} show no more than that fewer than {100 * share:.2g} % are, "
        "and a single one may stop a gate"
    )


def _proposals(
    table: _Table, target: float, simulator: _Simulator
) -> tuple[tuple[Proposal, ...], str | None]:
    metric = table.metric
    # With larger meaning worse, for each direction that is.
    directions: list[tuple[Bound, float, str]] = []
    if metric.better != "higher":
        directions.append(("max_increase", 1.0, metric.name if metric.better else f"{metric.name}.up"))
    if metric.better != "lower":
        directions.append(("max_decrease", -1.0, metric.name if metric.better else f"{metric.name}.down"))
    found = []
    for bound, sign, rule in directions:
        ends = simulator.worsened(0.0, sign)
        if ends is None:
            return (), "almost all items are alike, and how far one could lie off is not known"
        low, high = ends
        margin = _above(float(np.quantile(high, 1.0 - target)))
        blocked = simulator.smallest(margin, sign, high, side=1)
        failed = simulator.smallest(margin, sign, low, side=0)
        found.append(
            Proposal(
                rule=rule,
                bound=bound,
                margin=margin,
                confidence=CONFIDENCE,
                false_alarm=round(float((high >= margin).mean()), 4),
                false_fail=round(float((low > margin).mean()), 4),
                blocked=_rounded(blocked),
                failed=_rounded(failed),
                simulations=simulator.simulations,
            )
        )
    return tuple(found), None


class _Simulator:
    """Gates between runs that are alike: each item's two numbers come from two of the runs, drawn anew.

    Items are drawn with replacement, so that the simulated runs vary as runs over other items of this kind do; whole
    runs are moved by their own effect, where they have one. A worsening is added as it would arise: errors by a Poisson
    law per word, items that turn bad, a value that shifts.
    """

    def __init__(self, table: _Table, effect: float, seed: int, simulations: int) -> None:
        self._table, self._effect, self._seed = table, effect, seed
        self._items = table.over.shape[1]
        self.simulations = min(simulations, max(100, _CELLS // self._items))

    def worsened(self, by: float, sign: float) -> tuple[Floats, Floats] | None:
        """Lower and upper bounds of the worsening, one a simulation; None where no bound can be given."""
        random = np.random.default_rng(self._seed)
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
        runs = len(table.over)
        chosen = random.integers(0, n, n)
        first = random.integers(0, runs, n)
        second = (first + random.integers(1, runs, n)) % runs
        over, under = table.over[first, chosen], table.under[first, chosen]
        baseline = Sums(table.over[second, chosen], table.under[second, chosen])
        candidate = Sums(self._worse(random, over, under, by, sign), under)
        if table.metric.kind == "indicator":
            change = candidate.over - baseline.over
            return _turned(int((change > 0).sum()), int((change < 0).sum()), n)
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
        kind = self._table.metric.kind
        if kind == "value":
            return over + sign * by
        if kind == "counted":
            return np.asarray(over + random.poisson(by * under))
        # Of the items that are good, so many turn bad that the share moves by this much.
        good = over if sign < 0 else 1.0 - over
        turned = good * (random.random(len(over)) < by / max(float(good.mean()), by))
        return np.asarray(over + sign * turned)


@cache
def _turned(up: int, down: int, n: int) -> Bounds:
    """Of items that are 0 or 1 nothing counts but how many turned: few of all gates differ."""
    change = np.repeat([1.0, -1.0, 0.0], [up, down, n - up - down])
    return rare_bounds(change, float(change.mean()), confidence=CONFIDENCE, support=Support(-1.0, 1.0))


def _above(value: float) -> float:
    """The next number of two digits above it: margins are read by people."""
    if not value > 0.0:
        return 10.0**-DECIMALS
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return round((math.floor(value / step + 1e-9) + 1) * step, 12)


def _rounded(value: float) -> float:
    return round(value, DECIMALS) + 0.0
