"""Made-up runs of every kind of metric, and what a gate prints of them."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from click import unstyle
from msgspec.structs import replace

from mediacheck.batch.record import ManifestIdentity, RunRecord
from mediacheck.batch.results import ItemResult, Value
from mediacheck.gate.decide import decide
from mediacheck.gate.decision import Decision
from mediacheck.gate.errors import PolicyError
from mediacheck.gate.metrics import registry as metric_registry
from mediacheck.gate.policy import EXACT, MINIMUM_COUNT, Policy, parse_policy
from mediacheck.report import gate
from mediacheck.scoring import registry
from mediacheck.scoring.registry import scorer_type
from mediacheck.scoring.score import ErrorCounts, Identity, NotMeasured, ScorerInfo
from mediacheck.validators import load_validator
from mediacheck.verdict import ValidatorIdentity
from tests.unit.gate.factory import item, policy_text, record, write_run

COUNT = 200
OTHER = "my_scorer"
"""A scorer of another package."""


class _OtherScorer:
    info = ScorerInfo(
        id=OTHER, version=1, unit="dB", lowest=None, highest=None, higher_is_better=True, needs=("reference",),
        licence="MIT", extra=None, summary="What my scorer says.",
    )  # fmt: skip


class _EntryPoint:
    name, value = OTHER, "my_package.scoring:MyScorer"

    def load(self) -> type[_OtherScorer]:
        return _OtherScorer


@contextmanager
def other_package() -> Iterator[None]:
    """As if a package were installed that offers ``my_scorer``."""
    caches = metric_registry.find_metric, metric_registry.metric_names
    with mock.patch.object(registry, "offers", return_value=(_EntryPoint(),)):
        for cache in caches:
            cache.cache_clear()
        yield
    for cache in caches:
        cache.cache_clear()


def rule(id: str, metric: str, statistic: str, unit: str, **keys: object) -> str:
    """The TOML of a rule."""
    keys = {"id": id, "metric": metric, "statistic": statistic, "unit": unit, **keys}
    # JSON writes text and numbers as TOML does.
    return "\n".join(f"{key} = {json.dumps(value)}" for key, value in keys.items())


def identity(scorer: str) -> Identity:
    return Identity(scorer=scorer, version=1, unit=scorer_type(scorer).info.unit)


def scored(scorer: str, number: float) -> Value:
    known = identity(scorer)
    return Value(scorer=scorer, value=round(number, 4), unit=known.unit, identity=known.digest)


def heard(scorer: str, errors: int, length: int, part: str = "substitutions") -> Value:
    """A rate with its counts; all errors are of one kind."""
    parts = {"substitutions": 0, "deletions": 0, "insertions": 0, part: errors}
    counts = ErrorCounts(**parts, hits=length - parts["substitutions"] - parts["deletions"], reference=length)
    known = identity(scorer)
    return Value(
        scorer=scorer, value=round(errors / length, 4), unit=known.unit, counts=counts, identity=known.digest
    )  # fmt: skip


def every(make: Callable[[int], Value | NotMeasured], count: int = COUNT, **changes: Any) -> list[ItemResult]:
    return [item(f"u{number:04}", make(number), **changes) for number in range(count)]


def spread(scorer: str, middle: float, width: float, seed: int, count: int = COUNT) -> list[ItemResult]:
    """Items whose values lie around a middle: what is hard of an item is the same in every run."""
    draws, hard = random.Random(seed), random.Random(0)
    return every(lambda _: scored(scorer, middle + width * hard.gauss(0, 1) + width / 3 * draws.gauss(0, 1)), count)


def speech(scorer: str, rate: float, seed: int, count: int = COUNT, part: str = "substitutions") -> list[ItemResult]:
    """Items of ten words or characters, each wrong by chance."""
    draws = random.Random(seed)
    return every(lambda _: heard(scorer, sum(draws.random() < rate for _ in range(10)), 10, part), count)


def changed(results: Sequence[ItemResult], count: int, first: int = 0, **changes: Any) -> list[ItemResult]:
    """The same items, ``count`` of them otherwise."""
    return [replace(one, **changes) if first <= number < first + count else one for number, one in enumerate(results)]


def recorded(results: Sequence[ItemResult], **changes: Any) -> RunRecord:
    scorers = dict.fromkeys(score.scorer for one in results for score in one.scores)
    return replace(record(len(results), scorers=tuple(map(identity, scorers))), **changes)


def judged_by(validator: str) -> ValidatorIdentity:
    rules = load_validator(validator)
    return ValidatorIdentity(id=rules.id, digest=rules.digest, status=rules.status)


def asked_otherwise(results: Sequence[ItemResult]) -> ManifestIdentity:
    return ManifestIdentity(format="jsonl", items=len(results), digest="sha256:" + "d" * 64, asked="sha256:" + "e" * 64)


def decided(
    asked: Policy,
    candidate: Sequence[ItemResult],
    baseline: Sequence[ItemResult] | None = None,
    *,
    records: Mapping[str, Mapping[str, Any]] | None = None,
) -> Decision:
    """What a gate decides of runs.

    Args:
        asked: the policy.
        candidate: results of its run.
        baseline: likewise.
        records: what their records say otherwise, by side.
    """
    with tempfile.TemporaryDirectory() as name:
        sides = {"candidate": candidate, "baseline": baseline}
        folders = {
            side: write_run(Path(name) / side, results, recorded(results, **(records or {}).get(side, {})))
            for side, results in sides.items()
            if results is not None
        }
        return decide(asked, folders["candidate"], folders.get("baseline"))


@dataclass(frozen=True)
class Shown:
    """What an example shows."""

    policy: str
    printed: str


def rules_of(decision: Decision) -> str:
    """The rules that were decided upon, as a policy has them; keys at their defaults are left out."""
    tables = []
    for one in decision.rules:
        keys = {"id": one.id, "metric": one.metric, "statistic": one.statistic, "unit": one.unit, one.bound: one.limit}
        least = 1 if one.statistic in EXACT else MINIMUM_COUNT
        defaults = {"confidence": 0.95, "by": None, "minimum_coverage": 1.0, "minimum_count": least}
        stated = {key: getattr(one, key) for key in defaults}
        keys |= {key: value for key, value in stated.items() if value not in (None, defaults[key])}
        lines = (f"{key} = {json.dumps(value)}".removesuffix(".0") for key, value in keys.items())
        tables.append("\n".join(("[[rules]]", *lines)))
    return "\n\n".join(tables)


def report(decision: Decision) -> Shown:
    """What the report prints of every rule, and of requirements that are not met."""
    shown = [line for found in decision.rules for line in gate.rule_lines(found)]
    shown += [gate.requirement_line(one) for one in decision.requirements if one.outcome == "inconclusive"]
    return Shown(rules_of(decision), "\n".join(unstyle(line)[2:] for line in shown))


def one_requirement(id: str, decision: Decision, policy: str = "") -> Shown:
    (found,) = (gate.requirement_line(one) for one in decision.requirements if one.id == id)
    return Shown(policy, unstyle(found)[2:])


def head(decision: Decision) -> Shown:
    """The first line of the report."""
    return Shown("", unstyle(gate.render(decision)).splitlines()[0])


def refused(table: str, *, of_rules: bool = True) -> Shown:
    """What the command line says of a policy that it refuses: a rule, or what stands above the rules."""
    text = policy_text(table) if of_rules else policy_text(head=table)
    try:
        parse_policy(text.encode(), "policy.toml")
    except PolicyError as error:
        return Shown(f"[[rules]]\n{table}" if of_rules else table, f"mediacheck: {error}")
    raise AssertionError("the policy is not refused")
