"""Rare events: what a sample in which almost all items are alike can say, and what it cannot."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mediacheck.gate.statistics.bounds import RESAMPLES, SEED, Bounds, normal_quantile


@dataclass(frozen=True)
class Support:
    """Where the value of one item, or the difference of two, can lie."""

    low: float | None
    """None: nobody knows."""
    high: float | None


def rare_bounds(
    values: npt.NDArray[np.float64],
    value: float,
    *,
    confidence: float,
    support: Support,
    seed: int = SEED,
    draws: int = RESAMPLES * 2 + 1,
) -> Bounds:
    """Bounds of a mean of bounded values, for any number of items and ties.

    Items that are all alike vary by nothing, so that a bootstrap of them has no width; yet some event that n items did
    not show may befall up to 1 - (1 - confidence)^(1/n) of all. The upper bound is Gaffke's: the confidence quantile of
    a mean with random weights (exponential, normalised: the Bayesian bootstrap) over the n items and one more at the
    upper end of the support; the lower bound is its mirror image. Of 0 and 1 it is the Clopper-Pearson bound; of n
    equal items, the rule of three.

    Source: N. Gaffke, Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative
    variable, Math. Methods of Statistics 14 (2005); as a bound: E. Learned-Miller, P. Thomas, A New Confidence Interval
    for the Mean of a Bounded Random Variable (2019), arXiv:1905.06208, who conjecture its coverage for every bounded
    distribution.

    Args:
        values: one an item.
        value: their mean.
        confidence: of each side.
        support: its ends are moved out to the values seen, where these lie beyond.
        seed: of the weights.
        draws: how many means.
    """
    seen, counts = np.unique(values, return_counts=True)
    error = float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else None
    return counted_bounds(seen, counts, value, error, confidence=confidence, support=support, seed=seed, draws=draws)


def counted_bounds(
    seen: npt.NDArray[np.float64],
    counts: npt.NDArray[np.int64],
    value: float,
    error: float | None,
    *,
    confidence: float,
    support: Support,
    seed: int = SEED,
    draws: int = RESAMPLES * 2 + 1,
) -> Bounds:
    """``rare_bounds`` of values that are counted already.

    Args:
        seen: the different values, sorted.
        counts: items of each, 1 or more.
        value: their mean.
        error: its standard error.
        confidence: of each side.
        support: its ends are moved out to the values seen, where these lie beyond.
        seed: of the weights.
        draws: how many means.
    """
    low = _end(seen, counts, support.low, 1.0 - confidence, seed, draws)
    high = _end(seen, counts, support.high, confidence, seed, draws)
    why = None if low is not None and high is not None else (
        "almost all items are alike, and how far one could lie off is not known: state worst_case"
    )  # fmt: skip
    return Bounds(value, low, high, "rare events (Gaffke)", error, rare=True, why_not=why)


def expanded_quantile(
    seen: npt.NDArray[np.float64], counts: npt.NDArray[np.int64], end: float, probability: float
) -> float:
    """What ``counted_bounds`` draws, by its first three moments: for simulations, that take thousands of such bounds.

    Where 20 items or more are off the commonest value, within 0.3 % of the interval's width of it, which is less than
    what the draws scatter by.

    Source: E. Cornish, R. Fisher, Moments and cumulants in the specification of distributions, Revue de l'Institut
    International de Statistique 5 (1938), of a mean with Dirichlet weights.

    Args:
        seen: the different values.
        counts: items of each.
        end: of the support.
        probability: confidence for the upper bound, 1 - confidence for the lower one.
    """
    values, weights = np.append(seen, end), np.append(counts, 1.0)
    whole = float(weights.sum())
    middle = float(weights @ values) / whole
    off = values - middle
    variance = float(weights @ off**2) / whole / (whole + 1.0)
    skew = 2.0 * float(weights @ off**3) / whole / (whole + 1.0) / (whole + 2.0) / variance**1.5
    z = normal_quantile(probability)
    steps = z + skew * (z**2 - 1.0) / 6.0 - skew**2 * (2.0 * z**3 - 5.0 * z) / 36.0
    return float(middle + math.sqrt(variance) * steps)


def _end(
    seen: npt.NDArray[np.float64],
    counts: npt.NDArray[np.int64],
    end: float | None,
    probability: float,
    seed: int,
    draws: int,
) -> float | None:
    if end is None:
        return None
    upper = probability > 0.5
    end = max(end, float(seen[-1])) if upper else min(end, float(seen[0]))
    n = int(counts.sum())
    if len(seen) == 1:
        # In closed form: the weight of the added item is Beta(1, n).
        tail = 1.0 - probability if upper else probability
        share: float = 1.0 - tail ** (1.0 / n)
        return float(seen[0]) + (end - float(seen[0])) * share
    random = np.random.default_rng(seed)
    # The sum of k exponential weights is gamma distributed: one draw for all items of one value.
    weights = random.standard_gamma(np.append(counts, 1.0), (draws, len(counts) + 1))
    means = weights @ np.append(seen, end) / weights.sum(axis=1)
    ordered = np.sort(means)
    rank = min(draws, max(1, round((draws + 1) * probability)))
    return float(ordered[rank - 1])
