"""From a judged file to its scores: a scorer does not run on a file that failed validation, and the result says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mediacheck.errors import PathError
from mediacheck.facts import Libraries
from mediacheck.scoring.run import score_item
from mediacheck.scoring.score import ScoredFile, Scores, ScoringTool, Validation
from mediacheck.scoring.scorer import Item, Recording, Scorer
from mediacheck.validators import Validator
from mediacheck.verdict import Report
from mediacheck.version import __version__

SILENT_CHECK = "audio.silent"


@dataclass(frozen=True)
class Judged:
    """A candidate or a reference, and what the validator says of it. It holds no samples."""

    path: Path
    file: ScoredFile
    validation: Validation
    libraries: Libraries = field(default_factory=Libraries)
    has_audio: bool = True
    speaker: str | None = None
    """Whose voice it is, or should be."""

    @property
    def silent(self) -> bool:
        """Whether it is silent, and nothing else is wrong with it."""
        return self.validation.failed == (SILENT_CHECK,)

    @property
    def refused(self) -> str | None:
        """Why nothing may be computed from its sound; None: it may (or it is silent)."""
        if self.validation.verdict == "unreadable":
            return self.validation.reason
        if self.validation.verdict == "fail" and not self.silent:
            return f"{self.file.name} failed validation ({', '.join(self.validation.failed)})"
        if not self.has_audio:
            return f"{self.file.name} has no audio stream"
        return None

    def recording(self) -> Recording:
        """Its sound, decoded anew: nothing keeps the samples when the recording goes."""
        return Recording(self.path, self.file.name, self.file.sha256, self.speaker)


def judged(report: Report, path: Path, *, speaker: str | None = None) -> Judged:
    """What scoring keeps of a report.

    Args:
        report: of the file.
        path: where it lies.
        speaker: whose voice it is, or should be; None: not known.
    """
    return Judged(
        path=path,
        file=ScoredFile(name=report.subject.name, bytes=report.subject.bytes, sha256=report.subject.sha256),
        validation=validation_of(report),
        libraries=report.tool.libraries,
        has_audio=bool(report.facts.audio),
        speaker=speaker,
    )


def validation_of(report: Report) -> Validation:
    """What the validator says of a file, in short."""
    failed = tuple(f.check for f in report.findings if f.outcome == "fail" and f.severity == "error")
    return Validation(
        validator=report.validator.id,
        digest=report.validator.digest,
        verdict=report.verdict,
        failed=tuple(dict.fromkeys(failed)),
    )


def absent(path: Path, name: str, reason: str, validator: Validator) -> Judged:
    """A file that is missing or cannot be read: it stays in the result.

    Args:
        path: where it should lie.
        name: what the result calls it.
        reason: one clause.
        validator: that would have judged it.
    """
    return Judged(
        path=path,
        file=ScoredFile(name=name, bytes=None, sha256=None),
        validation=Validation(validator=validator.id, digest=validator.digest, verdict="unreadable", reason=reason),
    )


def measure_and_judge(
    path: Path, validator: Validator, name: str | None = None, *, speaker: str | None = None
) -> Judged:
    """Measure and judge one file in this process; the command line does it in workers.

    Args:
        path: of the file.
        validator: by what to judge.
        name: what the result calls it; the file's own name by default.
        speaker: whose voice it is, or should be; None: not known.
    """
    from mediacheck import media
    from mediacheck.judge import judge

    shown = name or path.name
    try:
        facts = media.measure(path, name=shown)
    except PathError as error:
        return absent(path, shown, str(error), validator)
    return judged(judge(facts, validator), path, speaker=speaker)


def score_candidate(
    scorers: Sequence[Scorer], candidate: Judged, *, text: str | None = None, references: Sequence[Judged] = ()
) -> Scores:
    """All scores of one candidate.

    Args:
        scorers: prepared; see ``mediacheck.scoring.prepare``.
        candidate: judged, or absent.
        text: what should be said; None: not known.
        references: recordings that it is held against. Where one of them is not whole and sound, or silent, nothing is
            computed against any.
    """
    refused_references = (
        reference.refused or (f"{reference.file.name} is silent" if reference.silent else None)
        for reference in references
    )
    reference_refused = next((f"reference: {reason}" for reason in refused_references if reason), None)
    item = Item(
        candidate=candidate.recording(),
        text=text,
        references=() if reference_refused else tuple(reference.recording() for reference in references),
        silent=candidate.silent,
    )
    return Scores(
        tool=ScoringTool(name="mediacheck", version=__version__, libraries=candidate.libraries),
        subject=candidate.file,
        validation=candidate.validation,
        references=tuple(reference.file for reference in references),
        scores=score_item(scorers, item, refused=candidate.refused, reference_refused=reference_refused),
    )
