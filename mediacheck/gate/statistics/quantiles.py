"""Quantiles of one run, and differences of the quantiles of two runs over the same items."""

from __future__ import annotations

import math
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from mediacheck.gate.statistics.bounds import RESAMPLES, SEED, Bounds
from mediacheck.gate.statistics.shares import fewest_for_quantile, quantile_ranks

Floats: TypeAlias = npt.NDArray[np.float64]

_AT_A_TIME: Final = 1 << 21
"""Cells of the table of draws in memory at once."""
_SMOOTHED: Final = 50
_NODES: Final = 8
"""Gauss-Legendre nodes in each cell of a beta distribution."""


def quantile_bounds(
    candidate: Floats,
    baseline: Floats | None,
    probability: float,
    *,
    factor: float = 1.0,
    confidence: float,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> Bounds:
    """Bounds of a quantile of the candidate, or of candidate's - factor x baseline's over paired items.

    One run: the sample quantile (linear between items), bounded by two sorted items, whatever the distribution.
    Two runs: smoothed quantiles of both (``beta_weights``), bounded by the percentile bootstrap over items. The
    difference of two sample quantiles hangs on single items, and of runs that resemble each other its bootstrap is far
    too wide.

    Items that are all alike need no care of their own here: that the quantile is their value, they do show, where there
    are enough of them (``fewest_for_quantile``).

    Source: F. Harrell, C. Davis, A new distribution-free quantile estimator, Biometrika 69 (1982); R. Wilcox, D.
    Erceg-Hurn, Comparing two dependent groups via quantiles, J. Applied Statistics 39 (2012).

    Args:
        candidate: a value an item, at least one.
        baseline: of the same items in the same order; None: the candidate alone.
        probability: 0.95 for the 95th percentile.
        factor: 1 for a difference; a ratio r is tested as candidate - r x baseline.
        confidence: of each side.
        seed: of the draws.
        resamples: how many draws.
    """
    n = len(candidate)
    least = fewest_for_quantile(probability, confidence)
    if baseline is None:
        value = float(np.quantile(candidate, probability))
        method = "order statistics"
    else:
        weights = beta_weights(n, probability)
        value = float(np.sort(candidate) @ np.diff(weights) - factor * (np.sort(baseline) @ np.diff(weights)))
        method = "percentile bootstrap, smoothed quantiles"
    if n < least:
        why = f"{n} items bound no {100 * probability:g}th percentile"
        return Bounds(value, None, None, method, why_not=why, least=least)
    if baseline is None:
        ordered = np.sort(candidate)
        low, high = quantile_ranks(n, probability, confidence)
        return Bounds(
            value,
            None if low is None else float(ordered[low - 1]),
            None if high is None else float(ordered[high - 1]),
            method,
            least=least,
        )
    drawn = np.sort(_drawn(candidate, baseline, factor, weights, seed, resamples))
    rank = min(resamples, max(1, round((resamples + 1) * confidence)))
    return Bounds(
        value, float(drawn[resamples - rank]), float(drawn[rank - 1]), method, float(drawn.std(ddof=1)), least=least
    )


def beta_weights(n: int, probability: float) -> Floats:
    """The distribution function of Beta((m + 1)p, (m + 1)(1 - p)) at 0, 1/n, …, 1: its steps weigh the sorted items.

    m = n is the Harrell-Davis estimate. Above 50 items m = 50 (n / 50)^(2/3): the window then narrows as n^(-1/3),
    which is best for smoothed quantiles, and not as n^(-1/2), which hardly smooths large runs: their intervals were too
    wide.

    Source: S. Sheather, J. Marron, Kernel Quantile Estimators, J. American Statistical Association 85 (1990).
    """
    size = n if n <= _SMOOTHED else _SMOOTHED * (n / _SMOOTHED) ** (2 / 3)
    a, b = (size + 1) * probability, (size + 1) * (1.0 - probability)
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    at = (np.arange(n)[:, None] + (nodes + 1.0) / 2.0) / n
    constant = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    density = np.exp(constant + (a - 1.0) * np.log(at) + (b - 1.0) * np.log1p(-at))
    steps = density @ weights
    return np.concatenate([[0.0], np.cumsum(steps / steps.sum())])


def _drawn(
    candidate: Floats, baseline: Floats, factor: float, weights: Floats, seed: int, resamples: int
) -> Floats:
    n = len(candidate)
    random = np.random.default_rng(seed)
    step = max(1, _AT_A_TIME // n)
    orders = [(values, np.argsort(values, kind="stable")) for values in (candidate, baseline)]
    drawn = np.empty(resamples)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        chosen = random.integers(0, n, (rows, n)) + (np.arange(rows) * n)[:, None]
        times = np.bincount(chosen.ravel(), minlength=rows * n).reshape(rows, n)
        estimates = []
        for values, order in orders:
            # Where each sorted item ends in the draw: its weight is what the beta distribution has up to there.
            ends = weights[np.cumsum(times[:, order], axis=1)]
            estimates.append(np.diff(ends, axis=1, prepend=0.0) @ values[order])
        drawn[start : start + rows] = estimates[0] - factor * estimates[1]
    return drawn
