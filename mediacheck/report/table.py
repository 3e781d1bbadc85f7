"""Several reports as a table: a line for each file, what failed beneath it, and a count last."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence

from mediacheck.facts import Struct
from mediacheck.report.escape import printable
from mediacheck.report.text import finding_lines, judged_by, verdict_word
from mediacheck.report.words import plural, timecode
from mediacheck.verdict import Finding, Report, Verdict

_WIDEST_NAME = 60


class Entry(Struct, frozen=True, kw_only=True):
    """All that the table says of one file: a few words, which can be kept where the reports of many files cannot."""

    verdict: Verdict
    name: str
    """Printable."""
    length: str
    """Timecode of the longest stream; ``-`` where there is none."""
    lines: tuple[str, ...]
    """What failed, was left open, or is warned of."""
    warned: bool
    """Whether a warning failed."""
    judged_by: str
    not_checked: str


def entry(report: Report) -> Entry:
    """What the table says of ``report``."""
    seconds = report.facts.length
    return Entry(
        verdict=report.verdict,
        name=printable(report.subject.name),
        length="-" if seconds is None else timecode(seconds),
        lines=tuple(finding_lines(report)),
        warned=any(map(_warns, report.findings)),
        judged_by=judged_by(report),
        not_checked=report.not_checked,
    )


def render(entries: Sequence[Entry]) -> str:
    """The table of ``entries``, in their order."""
    column = min(_WIDEST_NAME, max((width(entry.name) for entry in entries), default=0))
    lines: list[str] = []
    for entry in entries:
        word = verdict_word(entry.verdict) + " " * (len("inconclusive") - len(entry.verdict))
        lines.append(f"{word}  {entry.name}{' ' * (column - width(entry.name))}  {entry.length:>11}")
        lines += [f"  {line}" for line in entry.lines]
    lines += ["", summary(entries)]
    lines += sorted({entry.judged_by for entry in entries})
    lines += _not_checked({entry.not_checked for entry in entries})
    return "\n".join(lines) + "\n"


def _not_checked(said: set[str]) -> list[str]:
    """One line: what no file was checked for, or that it differs."""
    if len(said) > 1:
        return ["not checked: this differs between the files; --json says it for each"]
    return [f"not checked: {printable(text)}" for text in said if text]


def summary(entries: Sequence[Entry]) -> str:
    """``3 files: 1 fail, 0 inconclusive, 2 pass (1 with warnings)``."""
    counts = Counter(entry.verdict for entry in entries)
    warned = sum(entry.verdict == "pass" and entry.warned for entry in entries)
    return (
        f"{plural(len(entries), 'file')}: "
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
