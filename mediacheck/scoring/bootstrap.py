"""Confidence intervals of means and ratios over files, by the percentile bootstrap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mediacheck.scoring.score import Estimate, Interval

CONFIDENCE: Final = 0.95
RESAMPLES: Final = 2000
SEED: Final = 20240229
_AT_A_TIME = 1 << 18
"""Drawn indices in memory at once: 6 MB with the values that they choose, which stays in a processor's cache."""


def ratio(numerators: Sequence[float], denominators: Sequence[float]) -> Estimate:
    """sum(numerators) / sum(denominators), with its interval; files are drawn, numerator and denominator together.

    With denominators of 1 it is the mean.

    Source: B. Efron, R. Tibshirani, An Introduction to the Bootstrap (1993), chapter 13.

    Args:
        numerators: one a file.
        denominators: one a file, above 0.

    Raises:
        ValueError: there is no file, or the lengths differ.
    """
    over = np.asarray(numerators, np.float64)
    under = np.asarray(denominators, np.float64)
    if not len(over) or len(over) != len(under):
        raise ValueError(f"{len(over)} numerators and {len(under)} denominators")
    value = float(over.sum() / under.sum())
    count = len(over)
    if count < 2:
        return Estimate(value=value)
    random = np.random.default_rng(SEED)
    step = max(1, _AT_A_TIME // count)
    drawn = np.empty(RESAMPLES, np.float64)
    for start in range(0, RESAMPLES, step):
        rows = min(step, RESAMPLES - start)
        chosen = random.integers(0, count, (rows, count))
        drawn[start : start + rows] = over[chosen].sum(axis=1) / under[chosen].sum(axis=1)
    return Estimate(value=value, interval=_interval(drawn))


def mean(values: Sequence[float]) -> Estimate:
    """The mean of the files' values, with its interval."""
    return ratio(values, [1.0] * len(values))


def quantile(values: Sequence[float], fraction: float) -> Estimate:
    """A quantile of the files' values (linear between neighbours), with its interval.

    A resample need not be drawn to know its quantile: the k-th smallest of n uniform draws is distributed as
    Beta(k, n - k + 1), and the next one lies above it by Beta(1, n - k) of what is left. Scaled by n they are the ranks
    that the resample's quantile has among the values.

    Source: B. Efron, R. Tibshirani, An Introduction to the Bootstrap (1993), chapter 13; H. David, H. Nagaraja, Order
    Statistics (2003), section 2.

    Args:
        values: one a file, in any order.
        fraction: 0.5 for the median; between 0 and 1.

    Raises:
        ValueError: there is no file.
    """
    ordered = np.sort(np.asarray(values, np.float64))
    count = len(ordered)
    if not count:
        raise ValueError("there is no value")
    value = float(np.quantile(ordered, fraction))
    if count < 2:
        return Estimate(value=value)
    random = np.random.default_rng(SEED)
    place = (count - 1) * fraction
    rank = min(int(place) + 1, count - 1)
    between = place - (rank - 1)
    lower = random.beta(rank, count - rank + 1, RESAMPLES)
    upper = lower + (1.0 - lower) * random.beta(1, count - rank, RESAMPLES)
    below, above = (ordered[np.minimum(count - 1, (drawn * count).astype(np.int64))] for drawn in (lower, upper))
    return Estimate(value=value, interval=_interval(below + between * (above - below)))


def _interval(drawn: NDArray[np.float64]) -> Interval:
    tail = (1.0 - CONFIDENCE) / 2.0
    low, high = np.quantile(drawn, (tail, 1.0 - tail))
    return Interval(low=float(low), high=float(high), confidence=CONFIDENCE, resamples=RESAMPLES, seed=SEED)
