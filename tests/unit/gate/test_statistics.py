"""Intervals against independent computation: scipy, closed forms, exact binomials. Simulations are in benchmarks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacheck.gate.statistics.bounds import needed_items, needed_unseen
from mediacheck.gate.statistics.means import Sums, rate_bounds
from mediacheck.gate.statistics.quantiles import quantile_bounds
from mediacheck.gate.statistics.rare import Support, counted_bounds, expanded_quantile, rare_bounds
from mediacheck.gate.statistics.shares import binomial_cdf, fewest_for_quantile, quantile_ranks, share_bounds
from tests.needs import needs_module

ANY = Support(None, None)


def mean_of(values: np.ndarray) -> Sums:
    return Sums(values, np.ones(len(values)))


@needs_module("scipy")
@pytest.mark.parametrize(("count", "n"), [(0, 5), (1, 20), (3, 100), (50, 100), (100, 100), (4987, 5000)])
def test_shares_are_clopper_pearson(count: int, n: int) -> None:
    from scipy.stats import binomtest

    found = share_bounds(count, n, 0.95)
    # One-sided 95 % on each side is a two-sided interval of 90 %.
    expected = binomtest(count, n).proportion_ci(0.90, "exact")
    assert (found.low, found.high) == (pytest.approx(expected.low, abs=1e-9), pytest.approx(expected.high, abs=1e-9))


@needs_module("scipy")
@pytest.mark.parametrize(("n", "p"), [(1, 0.5), (10, 0.95), (1000, 0.01), (100_000, 0.3)])
def test_the_binomial_distribution(n: int, p: float) -> None:
    from scipy.stats import binom

    for k in {0, n // 3, round(n * p), n - 1, n}:
        assert binomial_cdf(k, n, p) == pytest.approx(binom.cdf(k, n, p), abs=1e-9)


@needs_module("scipy")
def test_ranks_of_quantiles_are_those_of_the_binomial_distribution() -> None:
    from scipy.stats import binom

    low, high = quantile_ranks(200, 0.9, 0.95)
    assert high == int(binom.ppf(0.95, 200, 0.9)) + 1
    assert low is not None
    assert binom.sf(low - 1, 200, 0.9) >= 0.95 > binom.sf(low, 200, 0.9)
    # The nearest ranks that do, as found one by one, also where a quantile lies at the end of the items.
    for n in (1, 5, 58, 60, 1000):
        for p in (0.01, 0.5, 0.95):
            middle = min(n, max(1, round(n * p)))
            below = next((k for k in range(middle, 0, -1) if binom.sf(k - 1, n, p) >= 0.9), None)
            above = next((k for k in range(middle, n + 1) if binom.cdf(k - 1, n, p) >= 0.9), None)
            assert quantile_ranks(n, p, 0.9) == (below, above)
    assert quantile_ranks(58, 0.95, 0.95)[1] is None
    assert quantile_ranks(59, 0.95, 0.95)[1] == 59
    assert fewest_for_quantile(0.95, 0.95) == 59 == fewest_for_quantile(0.05, 0.95)


@needs_module("scipy")
def test_a_mean_of_normal_values_has_students_interval() -> None:
    from scipy.stats import t

    values = np.random.default_rng(7).normal(1.0, 0.5, 300)
    found = rate_bounds(mean_of(values), None, confidence=0.95, support=ANY)
    reach = float(t.ppf(0.95, 299)) * values.std(ddof=1) / math.sqrt(300)
    assert found.low == pytest.approx(values.mean() - reach, abs=0.006)
    assert found.high == pytest.approx(values.mean() + reach, abs=0.006)
    assert found.error == pytest.approx(values.std(ddof=1) / math.sqrt(300))


@needs_module("scipy")
def test_a_corpus_rate_lies_near_scipys_bca() -> None:
    from scipy.stats import bootstrap

    random = np.random.default_rng(3)
    under = random.integers(5, 25, 300).astype(float)
    over = random.binomial(under.astype(int), 0.1).astype(float)
    found = rate_bounds(Sums(over, under), None, confidence=0.95, support=ANY)

    def rate(a: np.ndarray, b: np.ndarray, axis: int = -1) -> np.ndarray:
        return np.asarray(a.sum(axis=axis) / b.sum(axis=axis))

    expected = bootstrap(
        (over, under), rate, paired=True, vectorized=True, confidence_level=0.90, rng=np.random.default_rng(1)
    ).confidence_interval
    width = expected.high - expected.low
    assert found.low == pytest.approx(expected.low, abs=0.1 * width)
    assert found.high == pytest.approx(expected.high, abs=0.1 * width)


def test_a_difference_is_the_interval_of_the_differences() -> None:
    """Of means, pairs are nothing but their differences."""
    random = np.random.default_rng(5)
    base = random.normal(0.8, 0.1, 150)
    own = base - random.gamma(1.0, 0.02, 150)
    paired = rate_bounds(mean_of(own), mean_of(base), confidence=0.95, support=ANY)
    single = rate_bounds(mean_of(own - base), None, confidence=0.95, support=ANY)
    assert paired.low == pytest.approx(single.low, abs=1e-9)
    assert paired.high == pytest.approx(single.high, abs=1e-9)
    assert paired.method == "studentised bootstrap"
    # The tail of great losses is known least: the bound there is the farther one.
    assert paired.low is not None
    assert paired.high is not None
    assert paired.value - paired.low > paired.high - paired.value


def test_squares_of_values_far_from_zero_lose_nothing() -> None:
    values = np.random.default_rng(5).normal(0.0, 0.1, 100)
    near = rate_bounds(mean_of(values), None, confidence=0.95, support=ANY)
    far = rate_bounds(mean_of(values - 1e4), None, confidence=0.95, support=ANY)
    assert near.low is not None
    assert far.low == pytest.approx(near.low - 1e4, abs=1e-4)


def test_a_large_run_has_the_normal_interval_and_it_is_the_same() -> None:
    values = np.random.default_rng(5).exponential(1.0, 20_001)
    large = rate_bounds(mean_of(values), None, confidence=0.95, support=ANY)
    small = rate_bounds(mean_of(values[:-1]), None, confidence=0.95, support=ANY, resamples=999)
    assert large.method == "normal"
    assert small.method == "studentised bootstrap"
    assert large.high == pytest.approx(small.high, abs=2e-3)


@needs_module("scipy")
@pytest.mark.parametrize(("bad", "n"), [(0, 10), (0, 300), (2, 100), (40, 100)])
def test_rare_events_of_zero_and_one_are_clopper_pearson(bad: int, n: int) -> None:
    from scipy.stats import binomtest

    values = np.array([1.0] * bad + [0.0] * (n - bad))
    found = rare_bounds(values, bad / n, confidence=0.95, support=Support(0.0, 1.0))
    expected = binomtest(bad, n).proportion_ci(0.90, "exact")
    assert found.high == pytest.approx(expected.high, abs=0.004)
    assert found.low == pytest.approx(expected.low, abs=0.004)


@settings(max_examples=30)
@given(
    values=st.lists(st.sampled_from([0.0, 0.0, 0.0, 0.1, 1.0]), min_size=1, max_size=60),
    confidence=st.sampled_from([0.8, 0.95, 0.99]),
)
def test_bounds_lie_about_the_value_and_within_what_can_be(values: list[float], confidence: float) -> None:
    own = np.array(values)
    found = rare_bounds(own, float(own.mean()), confidence=confidence, support=Support(0.0, 1.0), draws=999)
    assert found.low is not None
    assert found.high is not None
    assert 0.0 <= found.low <= found.value + 1e-9
    assert found.value - 1e-9 <= found.high <= 1.0
    assert found.high > found.low, "items that are alike still leave a doubt"


@pytest.mark.parametrize(("down", "up"), [(0, 20), (10, 10), (60, 0), (5, 115)])
def test_three_moments_stand_for_the_draws_of_rare_events(down: int, up: int) -> None:
    seen, counts = np.array([-1.0, 0.0, 1.0]), np.array([down, 500 - down - up, up])
    there = counts > 0
    drawn = counted_bounds(
        seen[there], counts[there], 0.0, None, confidence=0.95, support=Support(-1.0, 1.0), draws=99_999
    )
    assert drawn.low is not None
    assert drawn.high is not None
    width = drawn.high - drawn.low
    assert expanded_quantile(seen, counts, 1.0, 0.95) == pytest.approx(drawn.high, abs=0.01 * width)
    assert expanded_quantile(seen, counts, -1.0, 0.05) == pytest.approx(drawn.low, abs=0.01 * width)


def test_values_beyond_the_support_move_its_end() -> None:
    values = np.array([0.0] * 50 + [3.0])
    found = rare_bounds(values, float(values.mean()), confidence=0.95, support=Support(-1.0, 1.0))
    assert found.high is not None
    assert found.high > values.mean()


def test_where_the_end_is_not_known_there_is_no_bound() -> None:
    found = rate_bounds(mean_of(np.zeros(100)), None, confidence=0.95, support=Support(0.0, None))
    assert (found.low, found.high) == (0.0, None)
    assert found.why_not is not None


def test_a_quantile_of_too_few_items_has_no_bound() -> None:
    few = quantile_bounds(np.arange(58.0), None, 0.95, confidence=0.95)
    assert (few.low, few.high, few.least) == (None, None, 59)
    assert quantile_bounds(np.arange(59.0), None, 0.95, confidence=0.95).high == 58.0


def test_sizes_of_samples() -> None:
    # (1.6449 + 0.8416)^2 = 6.18: 155 items for an effect of a fifth of the standard deviation.
    assert needed_items(0.1, 100, 0.2, 0.95) == 155
    assert needed_items(0.1, 100, 0.0, 0.95) is None
    assert needed_unseen(0.01, 0.95) == 299
    assert needed_unseen(0.0, 0.95) is None


def test_a_sample_of_the_stated_size_settles_it_as_often_as_stated() -> None:
    """Eight times in ten: the normal approximation, checked by drawing."""
    random = np.random.default_rng(11)
    n = needed_items(1.0 / math.sqrt(50), 50, 0.3, 0.95)
    assert n is not None
    passed = 0
    for _ in range(150):
        values = random.normal(0.0, 1.0, n)
        found = rate_bounds(mean_of(values), None, confidence=0.95, support=ANY, resamples=399)
        passed += found.high is not None and found.high < 0.3
    assert 0.68 < passed / 150 < 0.92
