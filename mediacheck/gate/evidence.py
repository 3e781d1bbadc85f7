"""One metric over several equal runs: its spread, its outliers, and margins by simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from mediacheck.gate.calibration import ItemOutlier, MetricEvidence, Proposal, RunValue
from mediacheck.gate.decision import DECIMALS, SHOWN
from mediacheck.gate.items import Places, align
from mediacheck.gate.metrics import find_metric
from mediacheck.gate.policy import MINIMUM_COUNT, Bound
from mediacheck.gate.runs import GateRun, Numbers
from mediacheck.gate.simulator import CONFIDENCE, Simulator, Table
from mediacheck.gate.statistics.means import Floats

_OUTLIER_RUN: Final = 3.29
_OUTLIER_ITEM: Final = 3.5
SIMULATIONS: Final = 500


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
    ids, places = align([run.ids for run in runs])
    has = np.array([run.series[name].has(own) for run, own in zip(runs, places, strict=True)])
    shared = np.flatnonzero(has.all(axis=0))
    numbers = [run.series[name].take(own[shared]) for run, own in zip(runs, places, strict=True)]
    table = Table(metric, *_columns(numbers))
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
    proposals, reason = _proposals(table, target, Simulator(table, effect, seed, simulations))
    return MetricEvidence(
        **common,
        items=len(shared),
        expected=len(ids),
        minimum_coverage=_coverage(has),
        runs=tuple(_run_value(table, run, runs[run].identity.name) for run in range(count)),
        within=_rounded(float(table.values.std(axis=1, ddof=1).mean())),
        between=_rounded(float(totals.std(ddof=1))),
        paired=_rounded(paired),
        run_effect=_rounded(effect),
        outliers=_outlier_items(table.values.mean(axis=0), ids, shared),
        proposals=proposals,
        reason=reason,
        remark=_unseen(table),
    )


def _columns(runs: Sequence[Numbers]) -> tuple[Floats, Floats]:
    """Numerators and denominators: (runs, items)."""
    return np.array([numbers.over for numbers in runs]), np.array([numbers.under for numbers in runs])


def _shares(table: Table) -> Floats:
    """What each item adds to its run's statistic, so that their mean is the statistic."""
    return np.asarray(table.over / table.under.mean(axis=1, keepdims=True))


def _paired(table: Table) -> float:
    """sqrt of the mean variance of d over all pairs of runs: twice the variance of an item between the runs."""
    shares = _shares(table)
    centred = shares - shares.mean(axis=1, keepdims=True)
    return math.sqrt(2.0 * float(centred.var(axis=0, ddof=1).mean()))


def _coverage(has: npt.NDArray[np.bool_]) -> float:
    """The least share of all items that two runs both have."""
    least = min(float((first & second).mean()) for first in has for second in has)
    return max(0.01, math.floor(least * 100 + 1e-9) / 100)


def _run_value(table: Table, run: int, name: str) -> RunValue:
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


def _outlier_items(means: Floats, ids: Sequence[str], shared: Places) -> tuple[ItemOutlier, ...]:
    """B. Iglewicz, D. Hoaglin, How to Detect and Handle Outliers (1993): the modified z-score."""
    middle = float(np.median(means))
    spread = float(np.median(np.abs(means - middle)))
    if not spread > 0:
        # More than half of the items are alike: what lies off is not told from what merely varies.
        return ()
    scores = 0.6745 * (means - middle) / spread
    order = np.argsort(-np.abs(scores), kind="stable")[:SHOWN]
    return tuple(
        ItemOutlier(id=ids[int(shared[k])], value=_rounded(float(means[k])), z=round(float(scores[k]), 2))
        for k in order.tolist()
        if abs(scores[k]) > _OUTLIER_ITEM
    )


def _unseen(table: Table) -> str | None:
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
    table: Table, target: float, simulator: Simulator
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


def _above(value: float) -> float:
    """The next number of two digits above it: margins are read by people."""
    if not value > 0.0:
        return 10.0**-DECIMALS
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return round((math.floor(value / step + 1e-9) + 1) * step, 12)


def _rounded(value: float) -> float:
    return round(value, DECIMALS) + 0.0
