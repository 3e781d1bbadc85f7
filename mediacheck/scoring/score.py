"""The types of a score: what was computed, by exactly what, or why there is no value."""

from __future__ import annotations

import hashlib
import math
from typing import Final, Literal

from mediacheck import serialise
from mediacheck.facts import Libraries, Struct, Tag

SCORES_SCHEMA: Final = "mediacheck.scores/1"
SCORES_LIST_SCHEMA: Final = "mediacheck.scores-list/1"

Need = Literal["text", "reference", "model"]


class ScorerInfo(Struct, frozen=True, kw_only=True):
    """What a scorer says of itself, without computing anything."""

    id: str
    version: int
    """A changed behaviour needs a new version: values of two versions are never averaged."""
    unit: str
    """``errors/word``, ``cosine``, ``dB``, …"""
    lowest: float | None
    """The least value there can be; None: no bound."""
    highest: float | None
    higher_is_better: bool | None
    """None: neither, a value is only to be compared (a ratio, a loudness)."""
    needs: tuple[Need, ...]
    """Besides the candidate: its text, reference audio, a model on this machine."""
    licence: str
    """Of the library or model that computes it, as SPDX where there is an identifier."""
    extra: str | None
    """The extra of mediacheck that installs what it imports; None: the base install is enough."""
    modules: tuple[str, ...] = ()
    """Names of the optional modules that it always imports: without one of them it cannot run."""
    default: bool = False
    """Whether it runs without being asked for, where what it needs is given."""
    summary: str
    """One sentence."""


class ModelIdentity(Struct, frozen=True, kw_only=True):
    id: str
    """Name or file name, never a path."""
    sha256: str | None = None
    """Of its weights; None for a model behind an endpoint, which shows none."""


class NormaliserIdentity(Struct, frozen=True, kw_only=True):
    id: str
    version: int
    library: str | None = None
    """The package and version that does the work, where it is not mediacheck."""


class Identity(Struct, frozen=True, kw_only=True):
    """By what a value was computed. Values with different identities are different quantities."""

    scorer: str
    version: int
    unit: str
    backend: str | None = None
    model: ModelIdentity | None = None
    options: tuple[Tag, ...] = ()
    """Decode options, sample rate, downmix rule, precision, …: sorted by key."""
    normaliser: NormaliserIdentity | None = None
    language: str | None = None
    libraries: tuple[Tag, ...] = ()
    """Name and version, sorted by name."""

    @property
    def digest(self) -> str:
        """``sha256:`` of the identity as compact JSON."""
        return "sha256:" + hashlib.sha256(serialise.to_compact_json(self)).hexdigest()


class ErrorCounts(Struct, frozen=True, kw_only=True):
    """Errors of a hypothesis against a reference, in words or characters. They add up over utterances."""

    substitutions: int
    deletions: int
    insertions: int
    hits: int
    reference: int
    """Length of the reference: substitutions + deletions + hits."""

    def __post_init__(self) -> None:
        if min(self.substitutions, self.deletions, self.insertions, self.hits) < 0:
            raise ValueError(f"a count below zero: {self}")
        if self.reference != self.substitutions + self.deletions + self.hits:
            raise ValueError(f"the reference is substitutions + deletions + hits, which these are not: {self}")

    @property
    def errors(self) -> int:
        return self.substitutions + self.deletions + self.insertions

    @property
    def rate(self) -> float | None:
        """errors / reference; None where the reference is empty. Above 1 where more was inserted than was asked."""
        return self.errors / self.reference if self.reference else None

    def __add__(self, other: ErrorCounts) -> ErrorCounts:
        return ErrorCounts(
            **{name: getattr(self, name) + getattr(other, name) for name in ErrorCounts.__struct_fields__}
        )


class Aligned(Struct, frozen=True, kw_only=True):
    """A stretch of the alignment: what stands in the reference, and what in its place in the hypothesis."""

    kind: Literal["equal", "substitute", "delete", "insert"]
    reference: str
    """Words with spaces between them, or characters; ``""`` where nothing stands."""
    hypothesis: str


class Quantity(Struct, frozen=True, kw_only=True):
    """A number beside a score's value: the similarity to each reference, the seconds of speech found, …"""

    name: str
    value: float
    unit: str

    def __post_init__(self) -> None:
        _require_finite(self.name, self.value)


class Measured(Struct, frozen=True, kw_only=True, tag_field="status", tag="measured"):
    """A value, and by what it was computed."""

    scorer: str
    value: float
    unit: str
    counts: ErrorCounts | None = None
    text: str | None = None
    """The reference text as it was given."""
    hypothesis: str | None = None
    """What the recogniser heard, as it gave it."""
    alignment: tuple[Aligned, ...] = ()
    """Of the normalised texts."""
    details: tuple[Quantity, ...] = ()
    control: float | None = None
    """The same quantity against what should score badly: recordings of other speakers. None: there are none."""
    remark: str | None = None
    """What a reader must know of this value: that the file is silent, and the hypothesis empty by rule."""
    identity: Identity

    def __post_init__(self) -> None:
        _require_finite(self.scorer, self.value)
        if self.control is not None:
            _require_finite(f"the control of {self.scorer}", self.control)


class NotMeasured(Struct, frozen=True, kw_only=True, tag_field="status", tag="not_measured"):
    """There is no value."""

    scorer: str
    reason: str
    """One clause."""
    transient: bool = False
    """Whether trying again may give a value: an endpoint did not answer, a file went away, a library failed."""


Score = Measured | NotMeasured


class ScoredFile(Struct, frozen=True, kw_only=True):
    name: str
    bytes: int | None
    """None where the file is missing or cannot be read."""
    sha256: str | None


class Validation(Struct, frozen=True, kw_only=True):
    """What the validator said of a file before it was scored."""

    validator: str
    digest: str
    verdict: Literal["pass", "fail", "inconclusive", "unreadable"]
    """``unreadable``: the file is missing or cannot be opened, and nothing could be judged."""
    failed: tuple[str, ...] = ()
    """The checks that failed with severity error."""
    reason: str | None = None
    """Why it is unreadable."""


class ScoringTool(Struct, frozen=True, kw_only=True):
    name: str
    version: str
    libraries: Libraries
    """What decoded the candidate."""


class Scores(Struct, frozen=True, kw_only=True):
    """All scores of one candidate."""

    schema: Literal["mediacheck.scores/1"] = SCORES_SCHEMA
    tool: ScoringTool
    subject: ScoredFile
    validation: Validation
    references: tuple[ScoredFile, ...] = ()
    scores: tuple[Score, ...]

    @property
    def complete(self) -> bool:
        """Whether there are scores and each has a value."""
        return bool(self.scores) and all(isinstance(score, Measured) for score in self.scores)


class Interval(Struct, frozen=True, kw_only=True):
    """Where a mean lies, by the percentile bootstrap over files: drawn with replacement, the same draws every time."""

    low: float
    high: float
    confidence: float
    resamples: int
    seed: int


class Estimate(Struct, frozen=True, kw_only=True):
    value: float
    interval: Interval | None = None
    """None below two files."""


class Missing(Struct, frozen=True, kw_only=True):
    name: str
    reason: str


class Control(Struct, frozen=True, kw_only=True):
    """Whether a value tells what is right from what is wrong in this run: a raw cosine means little."""

    files: int
    """That have a control; both means are over them."""
    same: Estimate
    """Mean of their values: against the same speaker."""
    other: Estimate
    """Mean of their controls: against other speakers."""
    margin: float
    """same - other."""


class Summary(Struct, frozen=True, kw_only=True):
    """One scorer over all files of a run."""

    scorer: str
    unit: str
    expected: int
    """Files that should have a value."""
    scored: int
    coverage: str
    """``"scored/expected"``: it belongs beside every mean below."""
    mean: Estimate | None = None
    """Mean of the files' values: for error rates the macro rate, each file counted alike. None: nothing was scored."""
    corpus: Estimate | None = None
    """Error rates: all errors over all words (or characters) of all references, the micro rate."""
    counts: ErrorCounts | None = None
    """Error rates: summed over the files."""
    headline: Literal["corpus", "mean"] = "mean"
    """Which of the two the protocol's published figures state."""
    control: Control | None = None
    """None where no file has one."""
    error: str | None = None
    """Why there is no mean: nothing was scored."""
    not_measured: tuple[Missing, ...] = ()
    identity: Identity | None = None
    """Of every value that went in; None where there is none."""


class ScoresList(Struct, frozen=True, kw_only=True):
    """The scores of several candidates, with what they amount to."""

    schema: Literal["mediacheck.scores-list/1"] = SCORES_LIST_SCHEMA
    summaries: tuple[Summary, ...]
    results: tuple[Scores, ...]


def _require_finite(name: str, value: float) -> None:
    if not math.isfinite(value):
        raise ValueError(f"{name} is {value}, which is no value: say why it was not measured")
