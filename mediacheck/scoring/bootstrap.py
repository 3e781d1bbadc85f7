"""Confidence intervals of means and ratios over files, by the percentile bootstrap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mediacheck.scoring.score import Estimate, Interval

CONFIDENCE: Final = 0.95
RESAMPLES: Final = 2000
SEED: Final = 20240229
_AT_A_TIME = 1 << 22
"""Drawn indices in memory at once."""


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
    tail = (1.0 - CONFIDENCE) / 2.0
    low, high = np.quantile(drawn, (tail, 1.0 - tail))
    interval = Interval(low=float(low), high=float(high), confidence=CONFIDENCE, resamples=RESAMPLES, seed=SEED)
    return Estimate(value=value, interval=interval)


def mean(values: Sequence[float]) -> Estimate:
    """The mean of the files' values, with its interval."""
    return ratio(values, [1.0] * len(values))
