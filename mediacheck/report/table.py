"""Several reports as a table: a line for each file, what failed beneath it, and a count last."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence

from mediacheck.report.escape import printable
from mediacheck.report.text import finding_lines, judged_by, verdict_word
from mediacheck.report.words import plural, timecode
from mediacheck.verdict import Finding, Report

_WIDEST_NAME = 60


def render(reports: Sequence[Report]) -> str:
    """The table of ``reports``, in their order."""
    names = [printable(report.subject.name) for report in reports]
    column = min(_WIDEST_NAME, max((width(name) for name in names), default=0))
    lines: list[str] = []
    for report, name in zip(reports, names, strict=True):
        seconds = report.facts.length
        duration = "-" if seconds is None else timecode(seconds)
        word = verdict_word(report.verdict) + " " * (len("inconclusive") - len(report.verdict))
        lines.append(f"{word}  {name}{' ' * (column - width(name))}  {duration:>11}")
        lines += [f"  {line}" for line in finding_lines(report)]
    lines += ["", summary(reports)]
    lines += sorted({judged_by(report) for report in reports})
    lines += _not_checked({report.not_checked for report in reports})
    return "\n".join(lines) + "\n"


def _not_checked(said: set[str]) -> list[str]:
    """One line: what no file was checked for, or that it differs."""
    if len(said) > 1:
        return ["not checked: this differs between the files; --json says it for each"]
    return [f"not checked: {printable(text)}" for text in said if text]


def summary(reports: Sequence[Report]) -> str:
    """``3 files: 1 fail, 0 inconclusive, 2 pass (1 with warnings)``."""
    counts = Counter(report.verdict for report in reports)
    warned = sum(report.verdict == "pass" and any(map(_warns, report.findings)) for report in reports)
    return (
        f"{plural(len(reports), 'file')}: "
        + ", ".join(f"{counts[verdict]} {verdict}" for verdict in ("fail", "inconclusive", "pass"))
        + (f" ({warned} with warnings)" if warned else "")
    )


def _warns(finding: Finding) -> bool:
    return finding.severity == "warning" and finding.outcome == "fail"


def width(text: str) -> int:
    """Columns that text takes on a terminal: wide characters two, combining ones none."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
