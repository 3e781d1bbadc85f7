"""From a rule and its items to a value with bounds."""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass

import numpy as np

from mediacheck.gate.metrics import Metric
from mediacheck.gate.pairs import Pairs, sums
from mediacheck.gate.policy import RATIOS, UPPER, Rule
from mediacheck.gate.statistics.bounds import POWER, Bounds, needed_items, needed_unseen, normal_quantile
from mediacheck.gate.statistics.means import Floats, rate_bounds
from mediacheck.gate.statistics.quantiles import quantile_bounds
from mediacheck.gate.statistics.rare import Support, rare_bounds
from mediacheck.gate.statistics.shares import share_bounds


@dataclass(frozen=True)
class Estimate:
    candidate: float
    baseline: float | None
    bounds: Bounds
    """Of what is held against the threshold. Exact statistics have both ends on the value."""
    support: Support


def factor_of(rule: Rule) -> float:
    """candidate - factor x baseline is what a rule bounds."""
    return rule.limit if rule.bound in RATIOS else 1.0


def threshold_of(rule: Rule) -> float:
    """On the scale of what is measured, with its sign."""
    if rule.bound in RATIOS:
        return 0.0
    return -rule.limit if rule.bound == "max_decrease" else rule.limit


def estimate(rule: Rule, metric: Metric, pairs: Pairs) -> Estimate | str:
    """The value of a rule's statistic with its bounds; or one clause that says why there is none.

    Args:
        rule: of the policy.
        metric: the rule's.
        pairs: at least one item.
    """
    factor = factor_of(rule)
    support = support_of(rule, metric, pairs)
    statistic = rule.statistic
    if statistic == "count":
        return _counted(pairs, factor, support)
    if statistic == "each":
        return _worst(rule, pairs, factor, support)
    own, other = pairs.candidate.value, None if pairs.baseline is None else pairs.baseline.value
    if statistic == "rate":
        share = float(own.mean())
        if other is None:
            return Estimate(share, None, share_bounds(int(own.sum()), len(own), rule.confidence), support)
        change = own - factor * other
        found = rare_bounds(change, float(change.mean()), confidence=rule.confidence, support=support, seed=rule.seed)
        return Estimate(share, float(other.mean()), found, support)
    if statistic in ("mean", "corpus"):
        corpus = statistic == "corpus"
        mine = sums(pairs.candidate, corpus=corpus)
        theirs = None if pairs.baseline is None else sums(pairs.baseline, corpus=corpus)
        if not mine.under.sum() > 0 or (theirs is not None and not theirs.under.sum() > 0):
            return "nothing was to be said in any item, so that there is no rate"
        bounds = rate_bounds(
            mine, theirs, factor=factor, confidence=rule.confidence, support=support, seed=rule.seed
        )  # fmt: skip
        return Estimate(mine.rate, None if theirs is None else theirs.rate, bounds, support)
    probability = 0.5 if statistic == "median" else int(statistic[1:]) / 100
    found = quantile_bounds(own, other, probability, factor=factor, confidence=rule.confidence)
    there = None if other is None else float(np.quantile(other, probability))
    return Estimate(float(np.quantile(own, probability)), there, found, support)


def support_of(rule: Rule, metric: Metric, pairs: Pairs) -> Support:
    """Where one item's contribution can lie: by the metric's range, and by how much one item can worsen."""
    worst = metric.worst_case if rule.worst_case is None else rule.worst_case
    if not rule.needs_baseline:
        low, high = metric.lowest, metric.highest
        if worst is not None and None in (low, high):
            middle = float(np.median(pairs.candidate.value))
            high = (middle if low is None else low) + worst if high is None else high
            low = middle - worst if low is None else low
        return Support(low, high)
    if worst is None:
        return Support(None, None)
    if rule.bound in RATIOS:
        return Support(-factor_of(rule) * worst, worst)
    return Support(-worst, worst)


def needed(rule: Rule, found: Estimate, n: int) -> int | None:
    """Items that would settle the rule, by the normal approximation and by what could be unseen.

    None: no sample would, the value is on the threshold; or it is not known.
    """
    bounds = found.bounds
    gap = abs(threshold_of(rule) - bounds.value)
    error = bounds.error
    if error is None and bounds.low is not None and bounds.high is not None:
        error = (bounds.high - bounds.low) / (2 * normal_quantile(rule.confidence))
    wanted = [rule.least_items, n + 1, *([] if bounds.least is None else [bounds.least])]
    if error is not None:
        by_spread = needed_items(error, n, gap, rule.confidence)
        if by_spread is None:
            return None
        wanted.append(by_spread)
    if bounds.rare:
        end = found.support.high if rule.bound in UPPER else found.support.low
        reach = 0.0 if end is None else abs(end - bounds.value)
        unseen = needed_unseen(gap / reach, rule.confidence) if reach else None
        if unseen is not None and error:
            unseen = max(unseen, _needed_rare(error, n, gap, reach, rule.confidence))
        enough = [count for count in (unseen, bounds.varied) if count is not None]
        if not enough:
            return None
        wanted.append(min(enough))
    return max(wanted)


def _needed_rare(error: float, n: int, gap: float, reach: float, confidence: float) -> int:
    """Items that would settle a rule whose bounds count both what varies and what could be unseen.

    Gaffke's bound lies about sqrt((z s)^2 / N + (r u / N)^2) off the value: s is the spread of an item, r how far one
    could lie off, and u = -log(1 - confidence) the events that N items do not show. At 80 % power, z s / sqrt(N) more.
    """
    spread = error * math.sqrt(n)
    unseen = -reach * math.log(1.0 - confidence)

    def settles(items: int) -> bool:
        drawn = spread / math.sqrt(items)
        off = math.hypot(normal_quantile(confidence) * drawn, unseen / items)
        return off + normal_quantile(POWER) * drawn < gap

    most = n
    while not settles(most):
        most *= 2
    return bisect.bisect_left(range(most), True, lo=1, key=settles)


def _counted(pairs: Pairs, factor: float, support: Support) -> Estimate:
    own = float(pairs.candidate.value.sum())
    other = None if pairs.baseline is None else float(pairs.baseline.value.sum())
    return Estimate(own, other, _exact(own if other is None else own - factor * other), support)


def _worst(rule: Rule, pairs: Pairs, factor: float, support: Support) -> Estimate:
    order = by_item(rule, pairs)
    index = int(np.argmax(order) if rule.bound in UPPER else np.argmin(order))
    baseline = None if pairs.baseline is None else float(pairs.baseline.value[index])
    return Estimate(float(pairs.candidate.value[index]), baseline, _exact(float(order[index])), support)


def _exact(value: float) -> Bounds:
    return Bounds(value, value, value, "exact")


def by_item(rule: Rule, pairs: Pairs) -> Floats:
    """What each item amounts to: its value, or candidate - factor x baseline."""
    own = pairs.candidate.value
    if pairs.baseline is not None:
        own = own - factor_of(rule) * pairs.baseline.value
    # 0.75 - 0.70 is 0.05 in scores of four decimals, not 0.05000000000000004.
    return np.asarray(np.round(own, 9))
