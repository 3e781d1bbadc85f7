"""Quantiles of one run, and differences of the quantiles of two runs over the same items."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from mediacheck.gate.statistics.bounds import Bounds
from mediacheck.gate.statistics.shares import fewest_for_quantile, quantile_ranks
from mediacheck.gate.statistics.student import student_quantile

Floats: TypeAlias = npt.NDArray[np.float64]

METHOD: Final = "Student's t, smoothed quantiles"
_SMOOTHED: Final = 50
_WHOLE: Final = 2000
"""Items up to which every sorted item is weighed; beyond, those within ``_REACH`` standard deviations."""
_REACH: Final = 12.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
"""Gauss-Legendre quadrature in each cell of a beta distribution."""


@dataclass(frozen=True, eq=False)
class BetaWeights:
    """How much each sorted item weighs in a smoothed quantile; items outside of a window weigh nothing."""

    first: int
    """The first sorted item of the window, from 0."""
    weights: Floats
    """Of the window's items: 1 in sum."""
    density: Floats
    """Of the beta distribution at the borders between them: one fewer."""


def quantile_bounds(
    candidate: Floats, baseline: Floats | None, probability: float, *, factor: float = 1.0, confidence: float
) -> Bounds:
    """Bounds of a quantile of the candidate, or of candidate's - factor x baseline's over paired items.

    One run: the sample quantile (linear between items), bounded by two sorted items, whatever the distribution.

    Two runs: smoothed quantiles of both (``beta_weights``), whose difference hangs on many items and not on single
    ones. Its standard error is that of the mean of the items' influences, each the derivative of the estimate by the
    item's weight (the infinitesimal jackknife). Few items bear it, so that it is itself uncertain: the quantile is
    Student's, with the degrees of freedom that the influences' kurtosis leaves, 2 n / (kurtosis - 1). Nothing is drawn.

    Items that are all alike need no care of their own here: that the quantile is their value, they do show, where there
    are enough of them (``fewest_for_quantile``).

    Source: F. Harrell, C. Davis, A new distribution-free quantile estimator, Biometrika 69 (1982); the error: B. Efron,
    The Jackknife, the Bootstrap and Other Resampling Plans (1982), chapter 6, and of L-estimates P. Huber, Robust
    Statistics (1981), section 3.3; the degrees of freedom: F. Satterthwaite, An approximate distribution of estimates
    of variance components, Biometrics Bulletin 2 (1946), with Var(s^2) = sigma^4 (kurtosis - 1) / n.

    Args:
        candidate: a value an item, at least one.
        baseline: of the same items in the same order; None: the candidate alone.
        probability: 0.95 for the 95th percentile.
        factor: 1 for a difference; a ratio r is tested as candidate - r x baseline.
        confidence: of each side.
    """
    n = len(candidate)
    least = fewest_for_quantile(probability, confidence)
    why = f"{n} items bound no {100 * probability:g}th percentile" if n < least else None
    if baseline is None:
        value = float(np.quantile(candidate, probability))
        if why is not None:
            return Bounds(value, None, None, "order statistics", why_not=why, least=least)
        low, high = quantile_ranks(n, probability, confidence)
        ranks = [rank - 1 for rank in (low, high) if rank is not None]
        ordered = np.partition(candidate, ranks)
        return Bounds(
            value,
            None if low is None else float(ordered[low - 1]),
            None if high is None else float(ordered[high - 1]),
            "order statistics",
            least=least,
        )
    weights = beta_weights(n, probability)
    own, influence = _smoothed(candidate, weights)
    other, influence_of_other = _smoothed(baseline, weights)
    value = own - factor * other
    if why is not None:
        return Bounds(value, None, None, METHOD, why_not=why, least=least)
    influence -= factor * influence_of_other
    error, freedom = _error(influence)
    reach = student_quantile(confidence, freedom) * error
    return Bounds(value, value - reach, value + reach, METHOD, error, least=least)


@lru_cache(maxsize=8)
def beta_weights(n: int, probability: float) -> BetaWeights:
    """The steps of the distribution function of Beta((m + 1)p, (m + 1)(1 - p)) between 0, 1/n, …, 1.

    m = n is the Harrell-Davis estimate. Above 50 items m = 50 (n / 50)^(2/3): the window then narrows as n^(-1/3),
    which is best for smoothed quantiles, and not as n^(-1/2), which hardly smooths large runs: their standard errors
    would hang on few items.

    Source: S. Sheather, J. Marron, Kernel Quantile Estimators, J. American Statistical Association 85 (1990).
    """
    size = n if n <= _SMOOTHED else _SMOOTHED * (n / _SMOOTHED) ** (2 / 3)
    a, b = (size + 1) * probability, (size + 1) * (1.0 - probability)
    first, end = 0, n
    if n > _WHOLE:
        reach = _REACH * math.sqrt(probability * (1.0 - probability) / (size + 2.0))
        first, end = max(0, math.floor(n * (probability - reach))), min(n, math.ceil(n * (probability + reach)))
    constant = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)

    def density(at: Floats) -> Floats:
        return np.asarray(np.exp(constant + (a - 1.0) * np.log(at) + (b - 1.0) * np.log1p(-at)))

    steps = density((np.arange(first, end)[:, None] + (_NODES + 1.0) / 2.0) / n) @ _WEIGHTS
    return BetaWeights(first, steps / steps.sum(), density(np.arange(first + 1, end) / n))


def _smoothed(values: Floats, beta: BetaWeights) -> tuple[float, Floats]:
    """The smoothed quantile, and each item's influence on it.

    With F the distribution function of the items and J the beta density, an item at x has the influence
    -∫ (1[x <= y] - F(y)) J(F(y)) dy: what lies between two sorted items weighs on all items above it alike.
    """
    order = np.argsort(values, kind="stable")
    last = beta.first + len(beta.weights)
    window = values[order[beta.first : last]]
    steps = np.cumsum(beta.density * np.diff(window))
    ordered = np.zeros(len(values))
    ordered[beta.first + 1 : last] = steps
    ordered[last:] = steps[-1] if len(steps) else 0.0
    influence = np.empty(len(values))
    influence[order] = ordered - ordered.mean()
    return float(window @ beta.weights), influence


def _error(influence: Floats) -> tuple[float, float]:
    """Standard error of the mean of influences, whose sum is 0, and the degrees of freedom that it has."""
    n = len(influence)
    squares = influence**2
    variance = float(squares.mean())
    if n < 2 or not variance > 0.0:
        return 0.0, math.inf
    # Kurtosis - 1 is the mean square of d^2 / variance - 1: 0 where all influences are alike but for their sign.
    excess = float(np.square(squares / variance - 1.0).mean())
    return math.sqrt(variance / (n - 1)), 2.0 * n / excess if excess > 0.0 else math.inf
