"""Simulated gates whose law is known are those that are drawn item by item."""

from __future__ import annotations

import numpy as np
import pytest

from mediacheck.gate import simulator
from mediacheck.gate.metrics import find_metric
from mediacheck.gate.simulator import Simulator, Table


def valid(runs: int, items: int) -> Table:
    """Items that break with a probability of their own."""
    random = np.random.default_rng(1)
    own = random.beta(0.2, 2.0, items)
    over = (random.random((runs, items)) >= own).astype(float)
    return Table(find_metric("validity_rate"), over, np.ones((runs, items)))


def talk(runs: int, items: int, rate: float = 0.1) -> Table:
    random = np.random.default_rng(2)
    under = np.tile(random.integers(5, 25, items), (runs, 1))
    likely = random.beta(2 * rate, 2 * (1 - rate), items)
    return Table(find_metric("wer"), random.binomial(under, likely).astype(float), under.astype(float))


def voice(runs: int, items: int) -> Table:
    random = np.random.default_rng(3)
    values = random.normal(0.8, 0.1, items) + random.normal(0.0, 0.03, (runs, items))
    return Table(find_metric("speaker"), values, np.ones((runs, items)))


@pytest.mark.parametrize("runs", [2, 4])
@pytest.mark.parametrize(("by", "sign"), [(0.0, -1.0), (0.05, -1.0), (0.05, 1.0)])
def test_numbers_of_pairs_have_the_law_of_pairs_drawn_one_by_one(runs: int, by: float, sign: float) -> None:
    table, n, draws = valid(runs, 300), 300, 2000
    random = np.random.default_rng(5)
    drawn, known = [], []
    for _ in range(draws):
        chosen, first = random.integers(0, n, n), random.integers(0, runs, n)
        second = (first + random.integers(1, runs, n)) % runs
        own, base = table.over[first, chosen], table.over[second, chosen]
        if by:
            good = own if sign < 0 else 1.0 - own
            own = own + sign * good * (random.random(n) < by / good.mean())
        drawn.append((int((own > base).sum()), int((own < base).sum())))
        counts = random.multinomial(n, simulator._pairs(table))
        known.append(simulator._turn(random, counts, by, sign))
    one, other = np.array(drawn), np.array(known)
    for side in (0, 1):
        spread = one[:, side].std()
        assert other[:, side].mean() == pytest.approx(one[:, side].mean(), abs=0.12 * spread)
        assert other[:, side].std() == pytest.approx(spread, rel=0.1)


@pytest.mark.parametrize("make", [talk, voice])
def test_the_law_of_many_items_is_that_of_gates_drawn_item_by_item(
    make: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = make(4, 1000)  # type: ignore[operator]
    sign = 1.0 if table.metric.better == "lower" else -1.0
    drawn = Simulator(table, 0.002, 7, 250)
    monkeypatch.setattr(simulator, "MANY", 500)
    law = Simulator(table, 0.002, 7, 4000)
    assert (drawn.simulations, law.simulations) == (250, 4000)
    for by in (0.0, 0.01):
        for one, other in zip(drawn.worsened(by, sign) or (), law.worsened(by, sign) or (), strict=True):
            # 250 draws tell a mean to 6 % and a spread to 4.5 % of the spread.
            assert other.mean() == pytest.approx(one.mean(), abs=0.25 * one.std())
            assert other.std() == pytest.approx(one.std(), rel=0.18)


def test_where_few_items_vary_gates_are_drawn() -> None:
    over = np.zeros((2, 30_000))
    over[0, :100] = 1.0
    few = Table(find_metric("wer"), over, np.full((2, 30_000), 10.0))
    assert simulator._law(few) is None
    over[0, :1000] = 1.0
    assert simulator._law(Table(find_metric("wer"), over, np.full((2, 30_000), 10.0))) is not None
