"""A report as text for people: the verdict, what the file is, what failed and where, what was not checked."""

from __future__ import annotations

from click import style

from mediacheck.facts import MediaFacts
from mediacheck.report.escape import printable
from mediacheck.report.words import describe, plural, span_text
from mediacheck.verdict import Finding, Report, Verdict

COLOURS = {"pass": "green", "fail": "red", "inconclusive": "yellow"}
_SPANS_SHOWN = 3


def render(report: Report, *, name: str | None = None) -> str:
    """The report of one file. Colours are ANSI sequences; the writer strips them where they are not wanted."""
    lines = [f"{verdict_word(report.verdict)}  {printable(name or report.subject.name)}"]
    lines.append(f"  {printable(describe(report.facts))}")
    lines += finding_lines(report)
    if report.not_checked:
        lines.append(f"  not checked: {printable(report.not_checked)}")
    lines.append(f"  {judged_by(report)}")
    return "\n".join(lines) + "\n"


def verdict_word(verdict: Verdict) -> str:
    return style(verdict.upper(), fg=COLOURS[verdict], bold=True)


def finding_lines(report: Report) -> list[str]:
    """What decided, then the warnings; a check that passed or did not apply has no line."""
    decisive = [f for f in report.findings if f.severity == "error" and f.outcome == "fail"]
    unclear = [f for f in report.findings if f.severity == "error" and f.outcome == "inconclusive"]
    warnings = [f for f in report.findings if f.severity == "warning" and f.outcome in ("fail", "inconclusive")]
    lines: list[str] = []
    for label, colour, findings in (
        ("fail", "red", decisive),
        ("inconclusive", "yellow", unclear),
        ("warning", "yellow", warnings),
    ):
        for finding in findings:
            lines.append(f"  {style(label, fg=colour)}  {finding.check}: {printable(finding.message)}")
            if finding.spans:
                lines.append(f"        at {where(finding)}")
    return lines


def where(finding: Finding) -> str:
    """The first few spans of a finding, as timecodes."""
    shown = ", ".join(span_text(span) for span in finding.spans[:_SPANS_SHOWN])
    count = finding.spans_totals.count if finding.spans_totals else len(finding.spans)
    more = count - min(_SPANS_SHOWN, len(finding.spans))
    return f"{shown} and {more} more" if more > 0 else shown


def judged_by(report: Report) -> str:
    parts = [f"validator {report.validator.id} ({report.validator.status})"]
    if report.contract:
        parts.append(f"contract {report.contract.id} ({report.contract.status})")
    return printable(", ".join(parts))


def render_facts(facts: MediaFacts, *, name: str | None = None) -> str:
    """What was measured, in short; the whole of it is in the JSON."""
    lines = [printable(name or facts.file.name), f"  {printable(describe(facts))}"]
    lines += [f"  {problem.code}: {printable(problem.message)}" for problem in facts.container.problems]
    for stream in facts.audio:
        lines.append(
            f"  stream {stream.index}: peak {_level(stream.peak_dbfs, 'dBFS')}, RMS {_level(stream.rms_dbfs, 'dBFS')}, "
            f"loudness {_level(stream.loudness.integrated_lufs, 'LUFS')}, "
            f"{plural(stream.silences_totals.count, 'silence')}, "
            f"{plural(stream.non_finite.nan + stream.non_finite.inf, 'sample')} not finite"
        )
    return "\n".join(lines) + "\n"


def _level(value: float | None, unit: str) -> str:
    return f"no {unit}" if value is None else f"{value:.1f} {unit}"
