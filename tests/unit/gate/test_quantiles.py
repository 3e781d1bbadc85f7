"""Intervals of quantiles against independent computation: scipy's distributions, derivatives taken numerically, a
bootstrap by brute force; and the properties that no computation may break."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacheck.gate.statistics.quantiles import beta_weights, quantile_bounds
from mediacheck.gate.statistics.student import student_quantile
from tests.needs import needs_module

NUMBERS = st.lists(st.tuples(st.integers(-40, 40), st.integers(-40, 40)), min_size=60, max_size=120)
"""Pairs of whole numbers: ties among them, and sums that are exact."""


def columns(pairs: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    both = np.array(pairs, np.float64)
    return both[:, 0] / 8, both[:, 1] / 8


def weighted(values: np.ndarray, shares: np.ndarray, p: float) -> float:
    """The smoothed quantile of items that have these shares of the whole, straight from its definition."""
    from scipy.stats import beta

    n = len(values)
    m = n if n <= 50 else 50 * (n / 50) ** (2 / 3)
    order = np.argsort(values)
    ends = np.minimum(np.cumsum(shares[order]), 1.0)
    return float(np.diff(beta.cdf(ends, (m + 1) * p, (m + 1) * (1 - p)), prepend=0.0) @ values[order])


def correlated(n: int, seed: int, likeness: float) -> tuple[np.ndarray, np.ndarray]:
    """Two runs of normal values, standard deviation 1, so correlated."""
    random = np.random.default_rng(seed)
    base = random.normal(0.0, math.sqrt(likeness), n)
    own = math.sqrt(1.0 - likeness)
    return base + random.normal(0.0, own, n), base + random.normal(0.0, own, n)


@needs_module("scipy")
@pytest.mark.parametrize("freedom", [2.0, 2.7, 9.5, 120.0, 3e5])
def test_students_quantiles_are_scipys(freedom: float) -> None:
    from scipy.stats import t

    for p in (0.05, 0.5, 0.6, 0.95, 0.999):
        assert student_quantile(p, freedom) == pytest.approx(float(t.ppf(p, freedom)), rel=1e-6, abs=1e-12)
    assert student_quantile(0.95, math.inf) == pytest.approx(1.6448536)


@needs_module("scipy")
@pytest.mark.parametrize(("n", "p"), [(40, 0.9), (59, 0.95), (200, 0.5), (400, 0.99), (30_000, 0.95), (30_000, 0.01)])
def test_weights_are_those_of_a_beta_distribution(n: int, p: float) -> None:
    from scipy.stats import beta

    m = n if n <= 50 else 50 * (n / 50) ** (2 / 3)
    a, b = (m + 1) * p, (m + 1) * (1 - p)
    found = beta_weights(n, p)
    whole = np.zeros(n)
    whole[found.first : found.first + len(found.weights)] = found.weights
    assert whole == pytest.approx(np.diff(beta.cdf(np.arange(n + 1) / n, a, b)), abs=1e-6)
    borders = np.arange(found.first + 1, found.first + len(found.weights)) / n
    assert found.density == pytest.approx(beta.pdf(borders, a, b), rel=1e-6, abs=1e-12)
    assert len(found.weights) <= n
    if n > 2000:
        assert len(found.weights) < n / 4, "a large run is weighed in a window"


@needs_module("scipy")
def test_the_estimate_of_few_items_is_scipys_harrell_davis() -> None:
    from scipy.stats.mstats import hdquantiles

    values = np.random.default_rng(1).gamma(2, 1, 45)
    found = quantile_bounds(values, np.zeros(45), 0.9, confidence=0.95)
    assert found.value == pytest.approx(float(hdquantiles(values, [0.9])[0]), abs=1e-9)


@needs_module("scipy")
@pytest.mark.parametrize(("p", "factor"), [(0.5, 1.0), (0.95, 1.0), (0.9, 1.3)])
def test_the_error_is_that_of_numerical_derivatives(p: float, factor: float) -> None:
    """The infinitesimal jackknife (Efron 1982): each item's share is raised a little, the others' lowered."""
    own, base = correlated(80, 3, 0.7)
    n, step = len(own), 1e-5

    def moved(item: int, by: float) -> float:
        shares = np.full(n, (1.0 - by) / n)
        shares[item] += by
        return weighted(own, shares, p) - factor * weighted(base, shares, p)

    influences = np.array([(moved(k, step) - moved(k, -step)) / 2 / step for k in range(n)])
    found = quantile_bounds(own, base, p, factor=factor, confidence=0.95)
    assert found.value == pytest.approx(moved(0, 0.0), abs=1e-6)
    assert found.error == pytest.approx(math.sqrt((influences**2).sum() / n / (n - 1)), rel=1e-3)
    kurtosis = (influences**4).mean() / (influences**2).mean() ** 2
    from scipy.stats import t

    reach = t.ppf(0.95, 2 * n / (kurtosis - 1)) * found.error
    assert found.high == pytest.approx(found.value + reach, rel=1e-3)


@needs_module("scipy")
def test_the_error_is_near_that_of_scipys_bootstrap() -> None:
    """Of runs that resemble each other little; of those that do, the bootstrap's is too great: it moves the window."""
    from scipy.stats import bootstrap

    own, base = correlated(300, 5, 0.3)

    def change(a: np.ndarray, b: np.ndarray) -> float:
        even = np.full(len(a), 1 / len(a))
        return weighted(a, even, 0.9) - weighted(b, even, 0.9)

    drawn = bootstrap(
        (own, base), change, paired=True, vectorized=False, n_resamples=400, confidence_level=0.90,
        method="percentile", rng=np.random.default_rng(1),
    )  # fmt: skip
    found = quantile_bounds(own, base, 0.9, confidence=0.95)
    assert found.error == pytest.approx(drawn.standard_error, rel=0.15)
    width = drawn.confidence_interval.high - drawn.confidence_interval.low
    assert found.low == pytest.approx(drawn.confidence_interval.low, abs=0.2 * width)
    assert found.high == pytest.approx(drawn.confidence_interval.high, abs=0.2 * width)


@pytest.mark.parametrize(("likeness", "most"), [(0.1, 1.12), (0.9, 1.2), (0.99, 1.4)])
def test_the_error_is_the_spread_over_runs_that_are_drawn_anew(likeness: float, most: float) -> None:
    """Of runs that resemble each other much it is a little more: gaps between items scatter by themselves."""
    found = [quantile_bounds(*correlated(200, seed, likeness), 0.9, confidence=0.95) for seed in range(400)]
    stated = np.array([bounds.error for bounds in found])
    spread = np.std([bounds.value for bounds in found])
    # 400 runs tell a standard deviation to 3.5 %.
    assert 0.9 < math.sqrt(float((stated**2).mean())) / spread < most


def test_a_window_of_a_large_run_leaves_out_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from mediacheck.gate.statistics import quantiles

    own, base = (np.exp(values) for values in correlated(20_000, 2, 0.8))
    for p in (0.01, 0.5, 0.99):
        window = quantile_bounds(own, base, p, confidence=0.95)
        with monkeypatch.context() as patch:
            patch.setattr(quantiles, "_WHOLE", 20_000)
            whole = quantile_bounds(own, base, p, confidence=0.95)
        assert (window.low, window.value, window.high) == (
            pytest.approx(whole.low, abs=1e-9), pytest.approx(whole.value, abs=1e-9),
            pytest.approx(whole.high, abs=1e-9),
        )  # fmt: skip


@settings(max_examples=30)
@given(pairs=NUMBERS, p=st.sampled_from([0.1, 0.5, 0.9]), order=st.randoms(use_true_random=False))
def test_the_order_of_the_items_changes_nothing(
    pairs: list[tuple[int, int]], p: float, order: object
) -> None:
    shuffled = list(pairs)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = (quantile_bounds(*columns(some), p, confidence=0.9) for some in (pairs, shuffled))
    assert (one.low, one.value, one.high) == pytest.approx((other.low, other.value, other.high), abs=1e-9)


@settings(max_examples=30)
@given(pairs=NUMBERS, p=st.sampled_from([0.1, 0.5, 0.9]), shift=st.integers(-50, 50), scale=st.integers(1, 20))
def test_bounds_follow_shifts_and_scales(
    pairs: list[tuple[int, int]], p: float, shift: int, scale: int
) -> None:
    own, base = columns(pairs)
    plain = quantile_bounds(own, base, p, confidence=0.9)
    assert plain.low is not None
    assert plain.high is not None
    moved = quantile_bounds(scale * own + shift, scale * base, p, confidence=0.9)
    expected = tuple(scale * bound + shift for bound in (plain.low, plain.value, plain.high))
    assert (moved.low, moved.value, moved.high) == pytest.approx(expected, abs=1e-6)
    ratio = quantile_bounds(own, base / 2, p, factor=2.0, confidence=0.9)
    assert (ratio.low, ratio.high) == pytest.approx((plain.low, plain.high), abs=1e-6)


@settings(max_examples=30)
@given(pairs=NUMBERS, p=st.sampled_from([0.1, 0.5, 0.9]))
def test_bounds_are_mirrored(pairs: list[tuple[int, int]], p: float) -> None:
    own, base = columns(pairs)
    plain = quantile_bounds(own, base, p, confidence=0.9)
    assert plain.low is not None
    assert plain.high is not None
    swapped = quantile_bounds(base, own, p, confidence=0.9)
    expected = (-plain.high, -plain.value, -plain.low)
    assert (swapped.low, swapped.value, swapped.high) == pytest.approx(expected, abs=1e-9)
    negated = quantile_bounds(-own, -base, 1 - p, confidence=0.9)
    assert (negated.low, negated.value, negated.high) == pytest.approx(expected, abs=1e-6)


@settings(max_examples=30)
@given(pairs=NUMBERS, p=st.sampled_from([0.1, 0.5, 0.9]))
def test_more_confidence_is_a_wider_interval_about_the_value(pairs: list[tuple[int, int]], p: float) -> None:
    found = [quantile_bounds(*columns(pairs), p, confidence=confidence) for confidence in (0.6, 0.8, 0.95, 0.99)]
    for near, far in pairwise(found):
        if far.low is None or far.high is None:
            assert len(pairs) < (far.least or 0)
            continue
        assert near.low is not None
        assert near.high is not None
        assert far.low <= near.low <= near.value <= near.high <= far.high
        assert near.value == far.value


def test_a_candidate_that_is_the_baseline_differs_by_nothing() -> None:
    own, _ = correlated(100, 1, 0.5)
    same = quantile_bounds(own, own, 0.9, confidence=0.95)
    assert (same.low, same.value, same.high, same.error) == (0.0, 0.0, 0.0, 0.0)
    alike = quantile_bounds(np.full(100, 0.25), np.zeros(100), 0.9, confidence=0.95)
    assert (alike.low, alike.high) == (pytest.approx(0.25), pytest.approx(0.25))


def test_a_few_bad_items_widen_what_they_could_have_missed() -> None:
    """The 95th percentile of items of which 4 % are bad is on the edge: the interval holds good and bad."""
    own = np.array([0.0] * 192 + [1.0] * 8)
    found = quantile_bounds(own, np.zeros(200), 0.95, confidence=0.95)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.1 < 0.4 < found.high


@pytest.mark.parametrize(
    ("n", "p", "likeness", "shape"),
    [
        (200, 0.5, 0.9, lambda z: z),
        (200, 0.95, 0.1, lambda z: z),
        (200, 0.95, 0.999, lambda z: z),
        (500, 0.95, 0.9, np.exp),
        (400, 0.99, 0.9, np.exp),
    ],
    ids=["median", "unlike", "alike", "heavy tail", "99th percentile"],
)
def test_a_candidate_on_the_margin_is_promoted_as_rarely_as_stated(
    n: int, p: float, likeness: float, shape: Callable[[np.ndarray], np.ndarray]
) -> None:
    """5 % of gates, within three standard errors; ``python -m benchmarks percentiles`` looks closer."""
    gates, promoted, failed = 400, 0, 0
    truth = 0.2 * float(shape(np.array([NormalDist().inv_cdf(p)]))[0])
    for seed in range(gates):
        own, base = (shape(values) for values in correlated(n, 1000 + seed, likeness))
        found = quantile_bounds(1.2 * own, base, p, confidence=0.95)
        assert found.low is not None
        assert found.high is not None
        promoted += found.high < truth
        failed += found.low > truth
    limit = 0.05 + 3 * math.sqrt(0.05 * 0.95 / gates)
    assert promoted / gates <= limit
    assert failed / gates <= limit
    assert promoted + failed > 0.02 * gates, "an interval that is never wrong is too wide"
