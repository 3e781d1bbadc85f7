"""What became of each item: a line of ``results.jsonl``."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Final, Literal

import msgspec

from mediacheck import serialise
from mediacheck.batch.errors import RunError
from mediacheck.facts import Struct, Tag
from mediacheck.scoring.score import ErrorCounts, NotMeasured, ScoredFile
from mediacheck.verdict import Finding, Verdict

RESULT_SCHEMA: Final = "mediacheck.result/1"
RESULTS: Final = "results.jsonl"
DECIMALS: Final = 4
"""Of scores in exports: what lies below differs between processors."""

Status = Literal["judged", "missing", "unreadable", "crashed", "killed", "timeout", "memory", "error", "malformed"]
"""``judged``: measured, and a verdict given. ``error``: mediacheck itself failed. ``malformed``: its line is."""


class Value(Struct, frozen=True, kw_only=True, tag_field="status", tag="measured"):
    """A score in an export; ``run.toml`` holds the identity whose digest it names."""

    scorer: str
    value: float
    """Rounded to 4 decimals."""
    unit: str
    counts: ErrorCounts | None = None
    hypothesis: str | None = None
    control: float | None = None
    """Rounded to 4 decimals."""
    remark: str | None = None
    identity: str
    """``sha256:`` digest of the identity."""


class ItemResult(Struct, frozen=True, kw_only=True):
    """One item, in the manifest's order."""

    schema: Literal["mediacheck.result/1"] = RESULT_SCHEMA
    id: str
    media: str
    """As the manifest names it."""
    where: str | None = None
    """In the manifest: ``line 12``; None for a folder."""
    bytes: int | None = None
    """None where the file is missing or was not read."""
    sha256: str | None = None
    status: Status
    reason: str | None = None
    """Why it is not ``judged``: one clause."""
    verdict: Verdict | None = None
    """None where there is nothing to judge."""
    duration: Fraction | None = None
    """Seconds, of the longest stream; None where there is none."""
    findings: tuple[Finding, ...] = ()
    """Those that failed, warnings too, and those that are inconclusive."""
    scores: tuple[Value | NotMeasured, ...] = ()
    references: tuple[ScoredFile, ...] = ()
    groups: tuple[Tag, ...] = ()
    """Language, speaker and other columns by which the summary is made, sorted by key."""
    attempts: int
    """How often it was tried: the only field that an interruption may change."""

    def group(self, key: str) -> str | None:
        return next((tag.value for tag in self.groups if tag.key == key), None)


def read_results(run: Path) -> Iterator[ItemResult]:
    """The results of a finished run, in the manifest's order.

    Raises:
        RunError: there are none, or a line is malformed.
    """
    path = run / RESULTS
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    yield serialise.from_json(line, ItemResult)
                except (msgspec.DecodeError, ValueError, RecursionError) as error:
                    raise RunError(f"{path}, line {number}: {error}") from error
    except OSError as error:
        raise RunError(
            f"cannot read {path}: {error.strerror}; finish the run with 'mediacheck batch', which writes it at its end"
        ) from error
