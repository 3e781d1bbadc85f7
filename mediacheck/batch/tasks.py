"""The two kinds of work that an engine does, and what comes of them. All of it is pickled on its way."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from mediacheck.contracts import Contract
from mediacheck.expectation import Expectation
from mediacheck.facts import Libraries, Struct
from mediacheck.scoring.score import Identity, Score, ScoredFile, Validation
from mediacheck.scoring.scorer import ScoringOptions
from mediacheck.validators import Validator
from mediacheck.verdict import Finding
from mediacheck.workers import WorkerFailure


class Validated(Struct, frozen=True, kw_only=True):
    """What the ledger keeps of a report, as JSON."""

    file: ScoredFile
    validation: Validation
    findings: tuple[Finding, ...]
    """Those that failed, warnings too, and those that are inconclusive."""
    libraries: Libraries
    has_audio: bool
    duration: Fraction | None
    """Seconds, of the longest stream."""


class Scored(Struct, frozen=True, kw_only=True):
    """What the ledger keeps of scoring an item, as JSON."""

    scores: tuple[Score, ...]


@dataclass(frozen=True)
class NamedContract:
    name: str
    """As the manifest writes it."""
    contract: Contract


@dataclass(frozen=True)
class Rules:
    """By what a run judges."""

    validator: Validator
    contract: Contract | None = None
    """Of items that name none."""
    named: tuple[NamedContract, ...] = ()

    def contract_of(self, name: str | None) -> Contract | None:
        if name is None:
            return self.contract
        return next(known.contract for known in self.named if known.name == name)


@dataclass(frozen=True)
class ScoringPlan:
    """Which scorers run on items of which language."""

    options: ScoringOptions
    languages: tuple[tuple[str, tuple[str, ...]], ...]
    """Each language of the manifest with the ids of its scorers."""

    def scorers_of(self, language: str) -> tuple[str, ...]:
        return next(ids for known, ids in self.languages if known == language)


@dataclass(frozen=True)
class ValidateTask:
    """Measure and judge one file: an item's output, or a recording that items are held against."""

    stage: Literal["reference", "validate"]
    subject: int
    place: str
    name: str
    """What findings call it: as the manifest does."""
    contract: str | None = None
    expect: Expectation | None = None
    known: str | None = None
    """The sha256 that the file had when it was judged; None: it was not."""
    state: str | None = None
    """By which it would be known to be that file without reading it."""


@dataclass(frozen=True)
class SoundFile:
    """A judged file, and where it lies."""

    place: str
    validated: Validated
    speaker: str | None = None


@dataclass(frozen=True)
class ScoreTask:
    """Compute every score of one item."""

    subject: int
    key: str
    """Digest of what it is made of."""
    language: str
    candidate: SoundFile
    text: str | None = None
    references: tuple[SoundFile, ...] = ()
    refused: str | None = None
    """Why nothing may be held against the references: one of them is missing, say; None: it may."""
    stage: Literal["score"] = "score"


@dataclass(frozen=True)
class Examined:
    """What a worker found of a file."""

    status: Literal["judged", "unchanged", "missing", "unreadable"]
    reason: str | None = None
    state: str | None = None
    validated: Validated | None = None
    """Where it was judged."""
    facts: bytes | None = None
    """As JSON, where they are to be kept."""


@dataclass(frozen=True)
class Outcome:
    """A task that is done."""

    task: ValidateTask | ScoreTask
    result: Examined | Scored | WorkerFailure


@dataclass(frozen=True)
class ScoredBatch:
    """What a scoring process sends back."""

    identities: tuple[Identity, ...]
    """Of its scorers."""
    results: tuple[Scored, ...]
