"""The types of a calibration: the evidence for a proposed policy."""

from __future__ import annotations

from typing import Final, Literal

from mediacheck.facts import Struct
from mediacheck.gate.decision import RunIdentity
from mediacheck.gate.policy import Bound

CALIBRATION_SCHEMA: Final = "mediacheck.calibration/1"


class RunValue(Struct, frozen=True, kw_only=True):
    """A metric's statistic in one run."""

    run: str
    value: float
    z: float | None
    """How far its items lie from the mean of the other runs' same items, in standard errors; None: nothing varies."""
    outlier: bool
    """|z| above 3.29: one run in a thousand, if they are all of one system and nothing but items varies."""


class ItemOutlier(Struct, frozen=True, kw_only=True):
    id: str
    value: float
    """Mean over the runs."""
    z: float
    """0.6745 x (value - median) / median absolute deviation."""


class Proposal(Struct, frozen=True, kw_only=True):
    """A margin, and what it does to candidates that are as good and to those that are not."""

    rule: str
    """Id of the rule."""
    bound: Bound
    margin: float
    confidence: float
    false_alarm: float
    """Share of simulated candidates as good as the baseline that do not pass."""
    false_fail: float
    """Share of them that fail; the others are inconclusive."""
    blocked: float
    """The smallest worsening that is not promoted in 80 % of the simulated gates."""
    failed: float
    """The smallest worsening that fails in 80 % of them."""
    simulations: int


class MetricEvidence(Struct, frozen=True, kw_only=True):
    metric: str
    statistic: str
    unit: str
    items: int
    """That have the number in every run."""
    expected: int
    minimum_coverage: float
    """The least share of pairs that any two of the runs have, rounded down to a hundredth."""
    runs: tuple[RunValue, ...]
    within: float
    """Standard deviation between the items of a run, the mean over the runs."""
    between: float
    """Standard deviation between the runs' statistics."""
    paired: float
    """Standard deviation of the difference that one item shows between two runs."""
    run_effect: float
    """Standard deviation by which whole runs differ beyond what their items explain; 0: they do not."""
    outliers: tuple[ItemOutlier, ...]
    """Items far from the others in every run, modified z above 3.5: the twenty farthest."""
    proposals: tuple[Proposal, ...]
    reason: str | None = None
    """Why there is no proposal."""
    remark: str | None = None
    """What its rate of false alarms does not tell."""


class Calibration(Struct, frozen=True, kw_only=True):
    schema: Literal["mediacheck.calibration/1"] = CALIBRATION_SCHEMA
    tool: str
    asked: str
    """The workload: digest of what the runs' manifest asks."""
    runs: tuple[RunIdentity, ...]
    target: float
    """Share of candidates as good as the baseline that may be stopped by a rule."""
    power: float
    seed: int
    metrics: tuple[MetricEvidence, ...]
