"""Student's t distribution, for degrees of freedom that are no whole number; scipy is not needed for a gate."""

from __future__ import annotations

import math

import numpy as np

from mediacheck.gate.statistics.bounds import normal_quantile

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)
_NORMAL = 1e7
"""Degrees of freedom above which the two distributions differ by less than what is printed."""


def student_cdf(value: float, freedom: float) -> float:
    """P(T <= value), by Gauss-Legendre quadrature of cos^(freedom - 1) over the angle atan(value / sqrt(freedom)).

    Source: M. Abramowitz, I. Stegun, Handbook of Mathematical Functions (1964), section 26.7.

    Args:
        value: any number; beyond some 50 standard deviations the quadrature is no longer exact.
        freedom: degrees of freedom, above 0.
    """
    angle = math.atan(value / math.sqrt(freedom))
    at = (_NODES + 1.0) / 2.0 * angle
    return 0.5 + _constant(freedom) * angle / 2.0 * float(_WEIGHTS @ np.exp((freedom - 1.0) * np.log(np.cos(at))))


def student_quantile(probability: float, freedom: float) -> float:
    """The value below which T lies with this probability.

    Args:
        probability: between 0 and 1.
        freedom: degrees of freedom, at least 2.
    """
    if probability < 0.5:
        return -student_quantile(1.0 - probability, freedom)
    value = normal_quantile(probability)
    if freedom > _NORMAL or value == 0.0:
        return value
    # Newton's method from the left: the quantile lies beyond the normal one, and above 0 the distribution function is
    # concave, so that no step goes too far.
    for _ in range(100):
        step = (probability - student_cdf(value, freedom)) / _density(value, freedom)
        value += step
        if abs(step) < 1e-12 * value:
            break
    return value


def _constant(freedom: float) -> float:
    return math.exp(math.lgamma((freedom + 1.0) / 2.0) - math.lgamma(freedom / 2.0)) / math.sqrt(math.pi)


def _density(value: float, freedom: float) -> float:
    return _constant(freedom) / math.sqrt(freedom) * math.exp(-(freedom + 1.0) / 2.0 * math.log1p(value**2 / freedom))
