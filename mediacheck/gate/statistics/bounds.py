"""What every interval here gives back, and how many items a sharper one would take."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

POWER: Final = 0.8
"""With which the stated sample size would settle a rule."""
SEED: Final = 20240229
RESAMPLES: Final = 4999
"""So that (resamples + 1) x 0.95 and 0.99 are whole numbers: the bound is a drawn value, not between two."""


@dataclass(frozen=True)
class Bounds:
    """An estimate with a lower and an upper bound, each one-sided at the stated confidence."""

    value: float
    low: float | None
    """None: no bound can be given."""
    high: float | None
    method: str
    """``studentised bootstrap``, ``Clopper-Pearson``, …"""
    error: float | None = None
    """Standard error of the value, for the sample size; None where the method has none."""
    rare: bool = False
    """Whether the bounds come from what could be unseen more than from what varies."""
    varied: int | None = None
    """Items with which they would come from what varies, if as many differ as now. None: they never would."""
    why_not: str | None = None
    """Why there is no bound: one clause."""
    least: int | None = None
    """Fewest items with which this method gives a bound at all."""


def normal_quantile(probability: float) -> float:
    return NormalDist().inv_cdf(probability)


def needed_items(error: float, n: int, gap: float, confidence: float) -> int | None:
    """How many items would settle a rule, if the items to come vary as those seen, and the value stays what it is.

    n = ((z_confidence + z_power) x s / gap)^2, with s = error x sqrt(n): the normal approximation.

    Source: S.-C. Chow, J. Shao, H. Wang, Sample Size Calculations in Clinical Research (2nd ed. 2008), section 3.1.3,
    non-inferiority of a mean of one sample (here: of the paired differences).

    Args:
        error: standard error of the value, over ``n`` items.
        n: items seen.
        gap: distance between the value and the limit.
        confidence: one-sided.

    Returns:
        None where no sample settles it: the value is on the limit.
    """
    if not gap > 0.0:
        return None
    needed = (normal_quantile(confidence) + normal_quantile(POWER)) ** 2 * error**2 * n / gap**2
    return math.ceil(needed) if math.isfinite(needed) else None


def needed_unseen(share: float, confidence: float) -> int | None:
    """How many items without a single event show that fewer than ``share`` of all have it.

    (1 - share)^n <= 1 - confidence: the rule of three, exactly.

    Source: J. Hanley, A. Lippman-Hand, If nothing goes wrong, is everything all right?, JAMA 249 (1983).
    """
    if not share > 0.0:
        return None
    if share >= 1.0:
        return 1
    return math.ceil(math.log(1.0 - confidence) / math.log1p(-share))
