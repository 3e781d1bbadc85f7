"""Whether the gate's intervals cover what they say, by simulation: ``python -m benchmarks statistics``.

Synthetic runs of known truth go through the gate's own code, rule and all.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from mediacheck.batch.record import ManifestIdentity, RunRecord
from mediacheck.gate.decision import RunIdentity
from mediacheck.gate.evidence import evidence_of
from mediacheck.gate.figures import figure
from mediacheck.gate.items import Items, join
from mediacheck.gate.metrics import find_metric
from mediacheck.gate.policy import Rule
from mediacheck.gate.runs import GateRun, Series
from mediacheck.verdict import ValidatorIdentity

SEED = 20261130
CALIBRATIONS = 25
"""Proposals that the promise of ``calibrate`` is averaged over."""


@dataclass(frozen=True)
class Runs:
    """A candidate and a baseline over the same items."""

    candidate: Series
    baseline: Series

    @property
    def items(self) -> Items:
        return join(names(len(self.candidate.value)), names(len(self.baseline.value)))


@dataclass(frozen=True)
class Population:
    """Where pairs of runs come from, and what is true of them."""

    name: str
    rule: Rule
    items: int
    draw: Callable[[np.random.Generator, int], Runs]
    truth: float
    """candidate - baseline, of all items there could be."""
    times: int = 1
    """How many times as many pairs: where nothing is drawn, more are cheap."""


@cache
def names(items: int) -> tuple[str, ...]:
    return tuple(f"u{k}" for k in range(items))


def counted(over: np.ndarray, under: np.ndarray) -> Series:
    """Errors of words."""
    return Series(find_metric("wer"), over / under, over.astype(np.float64), under.astype(np.float64))


def valued(values: np.ndarray, metric: str) -> Series:
    """A number an item."""
    return Series(find_metric(metric), values, values, np.ones(len(values)))


def words(random: np.random.Generator, items: int, rate: float, spread: float) -> tuple[np.ndarray, np.ndarray]:
    """Lengths of utterances, and how likely each word is wrong: some utterances are harder (beta distributed)."""
    return random.integers(5, 25, items), random.beta(rate * spread, (1.0 - rate) * spread, items)


def errors(rate: float, more: float, share: float, spread: float = 2.0) -> Callable[[np.random.Generator, int], Runs]:
    """Word errors; of a share of the items the candidate has more, so that all have ``more`` on average."""

    def draw(random: np.random.Generator, items: int) -> Runs:
        under, likely = words(random, items, rate, spread)
        hit = random.random(items) < share
        worse = np.where(hit, np.minimum(1.0, likely + more / share), likely)
        return Runs(counted(random.binomial(under, worse), under), counted(random.binomial(under, likely), under))

    return draw


def error_truth(rate: float, more: float, share: float, spread: float = 2.0) -> float:
    """What min(1, p + more/share) leaves of ``more``, by ten million utterances."""
    random = np.random.default_rng(SEED)
    _, likely = words(random, 10_000_000, rate, spread)
    return float(share * (np.minimum(1.0, likely + more / share) - likely).mean())


def likeness(loss: float, noise: float, skewed: bool) -> Callable[[np.random.Generator, int], Runs]:
    """Speaker similarity; the candidate loses a normal, or a right-skewed (lognormal), amount."""

    def draw(random: np.random.Generator, items: int) -> Runs:
        base = random.normal(0.75, 0.08, items)
        lost = random.lognormal(math.log(loss) - 0.5, 1.0, items) if skewed else random.normal(loss, noise, items)
        return Runs(valued(base - lost, "speaker"), valued(base, "speaker"))

    return draw


def scattered(scale: float) -> Callable[[np.random.Generator, int], Runs]:
    """Mel-cepstral distortion: a gamma distributed base, each run with noise of its own, the candidate's greater."""

    def draw(random: np.random.Generator, items: int) -> Runs:
        base = random.gamma(8.0, 0.6, items)
        own = base + random.gamma(2.0, 0.3 * scale, items)
        return Runs(valued(own, "mcd"), valued(base + random.gamma(2.0, 0.3, items), "mcd"))

    return draw


def quantile_truth(scale: float, probability: float) -> float:
    random = np.random.default_rng(SEED)
    found = []
    for factor in (scale, 1.0):
        base = random.gamma(8.0, 0.6, 10_000_000)
        found.append(float(np.quantile(base + random.gamma(2.0, 0.3 * factor, 10_000_000), probability)))
    return found[0] - found[1]


def broken(bad: float, worse: float) -> Callable[[np.random.Generator, int], Runs]:
    """Valid or not: items break on both sides alike, and a few more on the candidate's."""

    def draw(random: np.random.Generator, items: int) -> Runs:
        base = (random.random(items) >= bad).astype(float)
        own = base * (random.random(items) >= worse / (1.0 - bad))
        return Runs(valued(own, "validity_rate"), valued(base, "validity_rate"))

    return draw


def rule(metric: str, statistic: str, **bound: float) -> Rule:
    return Rule(id="x", metric=metric, statistic=statistic, unit="", **bound)


def populations() -> list[Population]:
    """Those that the report has a row of."""
    rare = error_truth(0.03, 0.02, 0.05)
    lost = error_truth(0.01, 0.02, 0.021, 1.0)
    return [
        Population("mean, normal differences", rule("speaker", "mean", max_decrease=0.02), 200,
                   likeness(0.02, 0.05, False), -0.02),
        Population("mean, skewed differences", rule("speaker", "mean", max_decrease=0.02), 200,
                   likeness(0.02, 0.0, True), -0.02),
        Population("corpus WER, errors everywhere", rule("wer", "corpus", max_increase=0.02), 200,
                   errors(0.08, 0.02, 1.0), error_truth(0.08, 0.02, 1.0)),
        Population("corpus WER, errors everywhere", rule("wer", "corpus", max_increase=0.01), 500,
                   errors(0.04, 0.01, 1.0), error_truth(0.04, 0.01, 1.0)),
        Population("corpus WER, one item in 20 much worse", rule("wer", "corpus", max_increase=rare), 500,
                   errors(0.03, 0.02, 0.05), rare),
        Population("corpus WER, one item in 50 lost, others alike", rule("wer", "corpus", max_increase=lost), 200,
                   errors(0.01, 0.02, 0.021, 1.0), lost),
        Population("median of MCD", rule("mcd", "median", max_increase=quantile_truth(1.3, 0.5)), 200,
                   scattered(1.3), quantile_truth(1.3, 0.5), times=10),
        Population("95th percentile of MCD", rule("mcd", "p95", max_increase=quantile_truth(1.3, 0.95)), 200,
                   scattered(1.3), quantile_truth(1.3, 0.95), times=10),
        Population("95th percentile of MCD", rule("mcd", "p95", max_increase=quantile_truth(1.3, 0.95)), 500,
                   scattered(1.3), quantile_truth(1.3, 0.95), times=10),
        Population("validity, 1 % more break", rule("validity_rate", "rate", max_decrease=0.01), 200,
                   broken(0.0, 0.01), -0.01),
        Population("validity, 2 % more break", rule("validity_rate", "rate", max_decrease=0.02), 500,
                   broken(0.03, 0.02), -0.02),
    ]  # fmt: skip


@dataclass(frozen=True)
class Coverage:
    population: Population
    pairs: int
    covered: float
    """Share of two-sided 95 % intervals (97.5 % on each side) with the truth in them."""
    promoted: float
    """Share of candidates as bad as the margin that pass at 95 %."""
    failed: float
    """Share of them that fail."""


def cover(population: Population, pairs: int) -> Coverage:
    """Coverage of the interval, and outcomes where the margin is the truth."""
    random = np.random.default_rng([SEED, population.items, zlib.crc32(population.name.encode())])
    covered = promoted = failed = 0
    margin = abs(population.truth)
    at_margin = {"max_increase": margin} if population.truth > 0 else {"max_decrease": margin}
    one = rule(population.rule.metric, population.rule.statistic, **at_margin)
    metric = find_metric(one.metric)
    for number in range(pairs):
        drawn = population.draw(random, population.items)
        for own in (_with(one, 0.975, number), _with(one, 0.95, number)):
            found = figure(own, metric, drawn.candidate, drawn.baseline, items=drawn.items, expected=population.items)
            assert found.interval is not None
            assert found.interval.low is not None
            assert found.interval.high is not None
            if own.confidence == 0.975:
                covered += found.interval.low <= population.truth <= found.interval.high
            else:
                promoted += found.outcome == "pass"
                failed += found.outcome == "fail"
    return Coverage(population, pairs, covered / pairs, promoted / pairs, failed / pairs)


def _with(one: Rule, confidence: float, seed: int) -> Rule:
    from msgspec.structs import replace as changed

    return changed(one, confidence=confidence, seed=seed)


@dataclass(frozen=True)
class Promise:
    """What ``calibrate`` said, and what came of it."""

    name: str
    margin: float
    said_alarm: float
    alarm: float
    """Share of equal candidates that do not pass."""
    blocked: float
    """Share not promoted, at the worsening that is to be stopped in 80 %."""
    failed: float
    """Share failing, at the worsening that is to fail in 80 %."""
    gates: int


@dataclass(frozen=True)
class System:
    """A system over a fixed workload: the same items again, with new noise."""

    name: str
    metric: str
    items: int
    workload: Callable[[np.random.Generator, int], object]
    run: Callable[[np.random.Generator, object, float], Series]


def systems() -> list[System]:
    def talk(random: np.random.Generator, load: tuple[np.ndarray, np.ndarray], worse: float) -> Series:
        under, likely = load
        return counted(random.binomial(under, np.minimum(1.0, likely + worse)), under)

    def voice(random: np.random.Generator, load: np.ndarray, worse: float) -> Series:
        return valued(load + random.normal(0.0, 0.03, len(load)) - worse, "speaker")

    def sound(random: np.random.Generator, load: np.ndarray, worse: float) -> Series:
        return valued((random.random(len(load)) >= 0.02 + worse).astype(float), "validity_rate")

    return [
        System("corpus WER", "wer", 200, lambda random, n: words(random, n, 0.06, 2.0), talk),  # type: ignore[arg-type]
        System("corpus WER", "wer", 500, lambda random, n: words(random, n, 0.03, 2.0), talk),  # type: ignore[arg-type]
        System("mean speaker", "speaker", 200, lambda random, n: random.normal(0.75, 0.08, n), voice),  # type: ignore[arg-type]
        System("validity rate", "validity_rate", 500, lambda random, n: np.zeros(n), sound),  # type: ignore[arg-type]
    ]


def promise(system: System, pairs: int) -> Promise:
    """Calibrate on four runs; then gates between new runs: equal ones, and ones that are worse as stated."""
    random = np.random.default_rng([SEED, system.items, zlib.crc32(system.name.encode())])
    metric = find_metric(system.metric)
    statistic = {"indicator": "rate", "counted": "corpus", "value": "mean"}[metric.kind]
    each = max(1, pairs // CALIBRATIONS)
    margins, said = [], []
    stopped = [0, 0, 0]
    for _ in range(CALIBRATIONS):
        load = system.workload(random, system.items)
        runs = [_gate_run(f"r{k}", system.run(random, load, 0.0)) for k in range(4)]
        (proposal,) = evidence_of(runs, system.metric, target=0.05, seed=SEED).proposals
        margins.append(proposal.margin)
        said.append(proposal.false_alarm)
        own = rule(system.metric, statistic, **{proposal.bound: proposal.margin})
        for number in range(each):
            for kind, worse in enumerate((0.0, proposal.blocked, proposal.failed)):
                base, candidate = system.run(random, load, 0.0), system.run(random, load, worse)
                found = figure(_with(own, 0.95, number), metric, candidate, base, items=Runs(candidate, base).items,
                               expected=system.items)  # fmt: skip
                stopped[kind] += found.outcome == "fail" if kind == 2 else found.outcome != "pass"
    gates = each * CALIBRATIONS
    alarm, blocked, failed = (count / gates for count in stopped)
    name = f"{system.name}, {system.items} items"
    return Promise(name, float(np.median(margins)), float(np.mean(said)), alarm, blocked, failed, gates)


def _gate_run(name: str, series: Series) -> GateRun:
    items = len(series.value)
    record = RunRecord(
        tool="", validator=ValidatorIdentity(id="v2", digest="", status="preview"),
        manifest=ManifestIdentity(format="jsonl", items=items, digest="", asked=""),
    )  # fmt: skip
    identity = RunIdentity(name=name, record="", results="", items=items, present=items, valid=items, asked="",
                           validator="v2", validator_digest="")  # fmt: skip
    return GateRun(identity, record, names(items), (), {}, {series.metric.name: series})


def run(pairs: int) -> Iterator[Coverage | Promise]:
    """Every row, as it is done."""
    for population in populations():
        yield cover(population, pairs * population.times)
    for system in systems():
        yield promise(system, pairs)


def render(rows: list[Coverage | Promise], pairs: int, about: str) -> str:
    """STATISTICS.md."""
    error = math.sqrt(0.05 * 0.95 / pairs)
    lines = [
        "# What the gate's intervals are worth",
        "",
        f"`python -m benchmarks statistics --runs {pairs}`, seed {SEED}; {about}.",
        "Every number went through the gate's own rules.",
        "",
        f"Of {pairs} pairs, a share of 5 % has a standard error of {100 * error:.1f} points: up to "
        f"{100 * (0.05 + 2 * error):.1f} % is 5 % within two of them. Percentiles draw nothing, and have ten times as",
        "many.",
        "Covered: two-sided 95 % intervals that hold the truth; Gaffke's bound (validity, and where almost all items",
        "are alike) is on the safe side by design. Promoted: candidates exactly as bad as the margin that pass at",
        "95 %; it must not be above 5 %. Failed: those that fail; the others are inconclusive.",
        "",
        "| paired runs | items | truth | pairs | covered | promoted at the margin | failed at the margin |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        if isinstance(row, Coverage):
            p = row.population
            lines.append(f"| {p.name} | {p.items} | {p.truth:+.4f} | {row.pairs} | {100 * row.covered:.1f} % | "
                         f"{100 * row.promoted:.1f} % | {100 * row.failed:.1f} % |")  # fmt: skip
    lines += [
        "",
        f"What `calibrate` promises, from four runs, over {CALIBRATIONS} workloads, with new runs of the same system.",
        "Stopped: equal candidates that do not pass (5 % is asked for). Blocked and failed: candidates that are worse",
        "by what is said to be kept from promotion, and to fail, in 80 % of gates.",
        "",
        "| system | median margin | stopped, as said | stopped | blocked | failed | gates |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        if isinstance(row, Promise):
            lines.append(f"| {row.name} | {row.margin:.3g} | {100 * row.said_alarm:.1f} % | {100 * row.alarm:.1f} % | "
                         f"{100 * row.blocked:.1f} % | {100 * row.failed:.1f} % | {row.gates} |")  # fmt: skip
    return "\n".join(lines) + "\n"
