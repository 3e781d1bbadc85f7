"""Shares of items, and ranks of quantiles: exact, by the binomial distribution."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable

from mediacheck.gate.statistics.bounds import Bounds


def share_bounds(count: int, n: int, confidence: float) -> Bounds:
    """Bounds of the share of items that have a property.

    Source: C. Clopper, E. Pearson, The use of confidence or fiducial limits, Biometrika 26 (1934): exact, never below
    the stated confidence.

    Args:
        count: of items that have it.
        n: of items, at least 1.
        confidence: of each side.
    """
    share = count / n
    tail = 1.0 - confidence
    # P(X <= count) falls as the share grows; P(X >= count) rises.
    high = 1.0 if count == n else _root(lambda p: binomial_cdf(count, n, p) - tail, falling=True)
    low = 0.0 if count == 0 else _root(lambda p: (1.0 - binomial_cdf(count - 1, n, p)) - tail, falling=False)
    error = math.sqrt(share * (1.0 - share) / n)
    return Bounds(share, low, high, "Clopper-Pearson", error, rare=count in (0, n))


def binomial_cdf(count: int, n: int, share: float) -> float:
    """P(X <= count) of n trials, summed from the greatest term downwards."""
    if count < 0:
        return 0.0
    if count >= n or share <= 0.0:
        return 1.0
    if share >= 1.0:
        return 0.0
    # Of the two tails the one that does not hold the mode: its terms shrink, and few of them count.
    if count > n * share:
        return 1.0 - binomial_cdf(n - count - 1, n, 1.0 - share)
    logarithm = (
        math.lgamma(n + 1) - math.lgamma(count + 1) - math.lgamma(n - count + 1)
        + count * math.log(share) + (n - count) * math.log1p(-share)
    )  # fmt: skip
    term = total = math.exp(logarithm)
    odds = (1.0 - share) / share
    for k in range(count, 0, -1):
        term *= k / (n - k + 1) * odds
        total += term
        if term < total * 1e-17:
            break
    return min(1.0, total)


def quantile_ranks(n: int, probability: float, confidence: float) -> tuple[int | None, int | None]:
    """Ranks (from 1) of the sorted items that bound a quantile from below and above; None: too few items.

    Source: H. David, H. Nagaraja, Order Statistics (3rd ed. 2003), section 7.1. It holds for every distribution.
    """
    middle = min(n, max(1, round(n * probability)))

    def below(k: int) -> bool:
        return 1.0 - binomial_cdf(k - 1, n, probability) >= confidence

    def above(k: int) -> bool:
        return binomial_cdf(k - 1, n, probability) >= confidence

    # Each holds from some rank on outwards.
    low = bisect_left(range(middle), True, key=lambda steps: below(middle - steps))
    high = bisect_left(range(n + 1 - middle), True, key=lambda steps: above(middle + steps))
    return (middle - low if low < middle else None), (middle + high if middle + high <= n else None)


def fewest_for_quantile(probability: float, confidence: float) -> int:
    """Items below which no sorted item bounds the quantile on both sides."""
    worse = max(probability, 1.0 - probability)
    return math.ceil(math.log(1.0 - confidence) / math.log(worse))


def _root(function: Callable[[float], float], *, falling: bool) -> float:
    """Where a monotonic function of a share crosses 0, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2.0
        if (function(middle) > 0.0) == falling:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0
