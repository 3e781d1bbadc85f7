"""Scores as text."""

from __future__ import annotations

from collections.abc import Sequence

from mediacheck.report.escape import printable
from mediacheck.scoring.score import Aligned, ErrorCounts, Estimate, Measured, Score, Scores, Summary

SHOWN_ERRORS = 20
"""Lines of an alignment in the text of one file; JSON holds them all."""


def render(results: Sequence[Scores], summaries: Sequence[Summary]) -> str:
    """Every file with its scores, and the summaries where there are several files."""
    several = len(results) != 1
    lines = [line for result in results for line in _file(result, aligned=not several)]
    if several:
        lines += ["", "summary"]
        lines += [f"  {line}" for summary in summaries for line in _summary(summary)]
    return "".join(f"{line}\n" for line in lines)


def _file(result: Scores, *, aligned: bool) -> list[str]:
    width = max((len(score.scorer) for score in result.scores), default=0)
    # The same errors letter by letter tell nothing that the words do not.
    words = any(isinstance(score, Measured) and score.scorer == "wer" for score in result.scores)
    lines = [printable(result.subject.name)]
    for score in result.scores:
        lines.append(f"  {score.scorer:<{width}}  {_score(score)}")
        if aligned and isinstance(score, Measured) and not (words and score.scorer == "cer"):
            lines += [f"  {'':<{width}}  {line}" for line in _details(score)]
    return lines


def _score(score: Score) -> str:
    if not isinstance(score, Measured):
        return f"not measured: {printable(score.reason)}"
    counts = "" if score.counts is None else f"  ({counts_text(score.counts)})"
    return f"{score.value:.4f} {score.unit}{counts}"


def counts_text(counts: ErrorCounts) -> str:
    """What kinds of errors there are, and of how much."""
    return (
        f"{counts.substitutions} substituted, {counts.deletions} deleted, {counts.insertions} inserted, "
        f"{counts.hits} right of {counts.reference}"
    )


def _details(score: Measured) -> list[str]:
    lines = [] if score.remark is None else [printable(score.remark)]
    if score.control is not None:
        lines.append(f"other speakers {score.control:.4f} {score.unit}")
    lines += [f"{detail.name} {detail.value:.4g} {detail.unit}" for detail in score.details]
    errors = [_error(stretch) for stretch in score.alignment if stretch.kind != "equal"]
    lines += errors[:SHOWN_ERRORS]
    if len(errors) > SHOWN_ERRORS:
        lines.append(f"… and {len(errors) - SHOWN_ERRORS} more; --json holds them all")
    return lines


def _error(stretch: Aligned) -> str:
    reference, hypothesis = printable(stretch.reference), printable(stretch.hypothesis)
    if stretch.kind == "delete":
        return f"deleted “{reference}”"
    if stretch.kind == "insert":
        return f"inserted “{hypothesis}”"
    return f"substituted “{reference}” by “{hypothesis}”"


def _summary(summary: Summary) -> list[str]:
    head = f"{summary.scorer}: {summary.coverage} scored"
    if summary.error is not None or summary.mean is None:
        return [f"{head}; {summary.error}"]
    if summary.corpus is None or summary.counts is None:
        lines = [f"{head}; mean {estimate_text(summary.mean)} {summary.unit}"]
    else:
        corpus = f"corpus {estimate_text(summary.corpus)}"
        mean = f"mean of files {estimate_text(summary.mean)}"
        first, second = (corpus, mean) if summary.headline == "corpus" else (mean, corpus)
        lines = [f"{head}; {first} {summary.unit}; {second}", f"  {counts_text(summary.counts)}"]
    if summary.control is not None:
        same, other = estimate_text(summary.control.same), estimate_text(summary.control.other)
        lines.append(
            f"  same speaker {same}, other speakers {other}, margin {summary.control.margin:.4f}, "
            f"over {summary.control.files} files"
        )
    return lines


def estimate_text(estimate: Estimate) -> str:
    """A figure with its interval."""
    interval = estimate.interval
    if interval is None:
        return f"{estimate.value:.4f}"
    return f"{estimate.value:.4f} ({interval.confidence:.0%} between {interval.low:.4f} and {interval.high:.4f})"
