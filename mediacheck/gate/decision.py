"""The types of a gate's decision: computed once, rendered by ``mediacheck.report``."""

from __future__ import annotations

from typing import Final, Literal

from mediacheck.facts import Struct
from mediacheck.gate.policy import Approval, Bound
from mediacheck.verdict import Outcome, Verdict

GATE_SCHEMA: Final = "mediacheck.gate/1"
DECIMALS: Final = 6
"""Of every number in a decision; outcomes are made of the rounded numbers, so that they can be checked again."""
SHOWN: Final = 20
"""Items that are named; counts count them all."""


class RunIdentity(Struct, frozen=True, kw_only=True):
    """Which run it was."""

    name: str
    """Of its folder, without the path."""
    record: str
    """``sha256:`` of ``run.toml``."""
    results: str
    """``sha256:`` of ``results.jsonl``."""
    items: int
    """That its manifest has."""
    present: int
    """Lines of ``results.jsonl``."""
    valid: int
    """With verdict ``pass``."""
    asked: str
    """Digest of what its manifest asks."""
    validator: str
    validator_digest: str
    source_revision: str | None = None
    model_revision: str | None = None


class PolicyIdentity(Struct, frozen=True, kw_only=True):
    id: str
    digest: str
    """Of requirements and rules."""
    summary: str


class Interval(Struct, frozen=True, kw_only=True):
    """Two one-sided bounds, each at the confidence; the one on the side that is worse decides."""

    low: float | None
    """None: no bound can be given."""
    high: float | None
    confidence: float
    method: str
    seed: int | None = None
    """None where nothing was drawn."""


class Lost(Struct, frozen=True, kw_only=True):
    """An item without the number."""

    id: str
    side: Literal["candidate", "baseline"]
    reason: str


class ItemFigure(Struct, frozen=True, kw_only=True):
    id: str
    candidate: float
    baseline: float | None = None


class Figure(Struct, frozen=True, kw_only=True):
    """A rule's numbers, of all items or of one group."""

    group: str | None
    """Value of the column that the rule goes by; None: all items."""
    outcome: Outcome
    """What the numbers say, whether the policy is approved or not."""
    message: str
    """One sentence."""
    expected: int
    """Items that should have the number."""
    n: int
    """Items that have it; with a baseline, on both sides."""
    coverage: str
    """``"n/expected"``."""
    candidate: float | None = None
    """The statistic of the candidate; with a baseline, over the pairs."""
    baseline: float | None = None
    measured: float | None = None
    """What is held against the threshold: the candidate's statistic; candidate - baseline; candidate - r x baseline."""
    threshold: float
    """In the unit of ``measured``: a limit, a margin with its sign, or 0 for a ratio."""
    interval: Interval | None = None
    """Of ``measured``. None: exact, or nothing to compute it from."""
    needed: int | None = None
    """Items that would settle it, where it is inconclusive for want of them."""
    lost_candidate: int = 0
    """Items without the number on the candidate's side."""
    lost_baseline: int = 0
    lost: tuple[Lost, ...] = ()
    """The first twenty."""
    worst: tuple[ItemFigure, ...] = ()
    """``each``: the first twenty items beyond the limit; else the five that are, or became, worst. Of what is yes or no
    only those that count against it."""


class RuleResult(Struct, frozen=True, kw_only=True):
    id: str
    metric: str
    statistic: str
    bound: Bound
    limit: float
    unit: str
    confidence: float | None
    """None: exact."""
    by: str | None
    minimum_coverage: float
    minimum_count: int
    outcome: Outcome
    """``inconclusive`` where the policy is not approved, whatever ``computed`` says."""
    computed: Outcome
    """What the numbers say: the worst of the figures."""
    message: str
    """One sentence."""
    figures: tuple[Figure, ...]


class Requirement(Struct, frozen=True, kw_only=True):
    """Something that must hold for the numbers to be comparable at all."""

    id: str
    outcome: Outcome
    message: str


class Decision(Struct, frozen=True, kw_only=True):
    """May the candidate pass? Whoever has the policy and the runs computes it again, byte for byte."""

    schema: Literal["mediacheck.gate/1"] = GATE_SCHEMA
    tool: str
    """Version of mediacheck."""
    policy: PolicyIdentity
    approval: Approval | None
    unapproved: str | None
    """Why the thresholds count for nothing; None: they are approved."""
    workload: str | None
    """As the user named it."""
    candidate: RunIdentity
    baseline: RunIdentity | None
    requirements: tuple[Requirement, ...]
    rules: tuple[RuleResult, ...]
    verdict: Verdict
    message: str
    """One sentence."""
