"""Whether intervals of percentiles cover what they say, population by population: ``python -m benchmarks percentiles``.

Each population is a pair of monotonic functions of two correlated normal values, so that the truth of every percentile
is known exactly.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from mediacheck.gate.statistics.quantiles import quantile_bounds

SEED = 20261130
SIZES = (200, 500, 2000)
PERCENTILES = (50, 90, 95, 99)
Shape = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Population:
    """Values of two runs over the same items."""

    name: str
    candidate: Shape
    baseline: Shape
    likeness: float
    """Correlation of the normal values below."""
    factor: float = 1.0
    """candidate - factor x baseline is bounded."""
    lattice: bool = False
    """Whether the values are rounded so coarsely that a percentile jumps where a smoothed one moves."""

    def draw(self, random: np.random.Generator, items: int) -> tuple[np.ndarray, np.ndarray]:
        first, noise = random.normal(0.0, 1.0, (2, items))
        second = self.likeness * first + math.sqrt(1.0 - self.likeness**2) * noise
        return self.candidate(first), self.baseline(second)

    def truth(self, probability: float) -> float:
        at = np.array([NormalDist().inv_cdf(probability)])
        return float((self.candidate(at) - self.factor * self.baseline(at))[0])


def normal(z: np.ndarray) -> np.ndarray:
    return z


def lognormal(z: np.ndarray) -> np.ndarray:
    return np.exp(z)


def long_tails(z: np.ndarray) -> np.ndarray:
    """Tukey's h distribution with h = 0.3: the fourth moment is infinite."""
    return z * np.exp(0.15 * z**2)


def bounded(z: np.ndarray) -> np.ndarray:
    return np.tanh(z)


def scaled(shape: Shape, by: float = 1.2) -> Shape:
    return lambda z: by * shape(z)


def rounded(shape: Shape, step: float) -> Shape:
    return lambda z: np.round(shape(z) / step) * step


def populations() -> list[Population]:
    """Candidates are 1.2 times as large, unless said otherwise."""
    found = [
        Population(f"{name}, correlation {likeness:g}", scaled(shape), shape, likeness)
        for name, shape in (("normal", normal), ("lognormal", lognormal))
        for likeness in (0.1, 0.9, 0.999)
    ]
    return [
        *found,
        Population("long tails, correlation 0.9", scaled(long_tails), long_tails, 0.9),
        Population("bounded, correlation 0.9", scaled(bounded), bounded, 0.9),
        Population("normal against lognormal", lambda z: 2.0 + z, lambda z: np.exp(0.8 * z), 0.9),
        Population("lognormal against normal", lambda z: np.exp(0.8 * z), lambda z: 2.0 + z, 0.9),
        Population("lognormal, ratio 1.2", scaled(lognormal), lognormal, 0.9, factor=1.2),
        Population("normal in steps of 0.05", rounded(scaled(normal), 0.05), rounded(normal, 0.05), 0.9),
        Population("normal in steps of 0.5", rounded(scaled(normal), 0.5), rounded(normal, 0.5), 0.9, lattice=True),
    ]


@dataclass(frozen=True)
class Row:
    """Of one percentile, over so many pairs of runs."""

    population: Population
    items: int
    percentile: int
    covered: float
    """Share of two-sided 95 % intervals that hold the truth."""
    promoted: float
    """Share of candidates as bad as the margin whose upper bound at 95 % lies below it."""
    failed: float
    """Share whose lower bound lies above it."""


def measure(population: Population, items: int, pairs: int) -> list[Row]:
    """All percentiles that so many items bound."""
    random = np.random.default_rng([SEED, items, zlib.crc32(population.name.encode())])
    wanted = [p for p in PERCENTILES if items >= math.log(0.025) / math.log(max(p, 100 - p) / 100)]
    counts = np.zeros((len(wanted), 3))
    for _ in range(pairs):
        own, base = population.draw(random, items)
        for k, percentile in enumerate(wanted):
            counts[k] += _outcomes(population, own, base, percentile / 100)
    return [Row(population, items, p, *(counts[k] / pairs).tolist()) for k, p in enumerate(wanted)]


def _outcomes(population: Population, own: np.ndarray, base: np.ndarray, probability: float) -> tuple[bool, ...]:
    # Rounded values differ from their own truth by what adding and multiplying leaves.
    truth, hair = population.truth(probability), 1e-9
    wide, narrow = (
        quantile_bounds(own, base, probability, factor=population.factor, confidence=confidence)
        for confidence in (0.975, 0.95)
    )
    assert wide.low is not None
    assert wide.high is not None
    assert narrow.low is not None
    assert narrow.high is not None
    covered = wide.low <= truth + hair and wide.high >= truth - hair
    return covered, narrow.high < truth - hair, narrow.low > truth + hair


def run(pairs: int) -> Iterator[list[Row]]:
    """Every population and size, as it is done."""
    for population in populations():
        for items in SIZES:
            yield measure(population, items, pairs)


def render(rows: list[Row], pairs: int, about: str) -> str:
    """PERCENTILES.md."""
    error = 100 * math.sqrt(0.05 * 0.95 / pairs)
    lines = [
        "# What the gate's intervals of percentiles are worth",
        "",
        f"`python -m benchmarks percentiles --runs {pairs}`, seed {SEED}; {about}.",
        "",
        f"Of {pairs} pairs of runs, a share of 5 % has a standard error of {error:.1f} points. Each cell, in %:",
        "two-sided 95 % intervals that hold the truth / candidates exactly as bad as the margin that pass at 95 % /",
        "that fail.",
        "",
        "| | " + " | ".join(f"p{p}" for p in PERCENTILES) + " |",
        "| --- | " + " | ".join("---" for _ in PERCENTILES) + " |",
    ]
    smooth = [row for row in rows if not row.population.lattice]
    for name, figure, choose in (
        ("covered, on average", "covered", None), ("covered, least", "covered", min), ("covered, most", "covered", max),
        ("promoted, on average", "promoted", None), ("promoted, most", "promoted", max),
    ):  # fmt: skip
        cells = []
        for percentile in PERCENTILES:
            found = [getattr(row, figure) for row in smooth if row.percentile == percentile]
            value = (sum(found) / len(found) if choose is None else choose(found)) if found else math.nan
            cells.append(f"{100 * value:.1f} %")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", "The steps of 0.5 are left out of these five lines.", "",
              "| population | items | " + " | ".join(f"p{p}" for p in PERCENTILES) + " |",
              "| --- | --- | " + " | ".join("---" for _ in PERCENTILES) + " |"]  # fmt: skip
    for name, items in dict.fromkeys((row.population.name, row.items) for row in rows):
        by = {row.percentile: row for row in rows if (row.population.name, row.items) == (name, items)}
        cells = [_cell(by.get(percentile)) for percentile in PERCENTILES]
        lines.append(f"| {name} | {items} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _cell(row: Row | None) -> str:
    """Empty where so few items bound no such percentile."""
    return "" if row is None else f"{100 * row.covered:.1f} / {100 * row.promoted:.1f} / {100 * row.failed:.1f}"
