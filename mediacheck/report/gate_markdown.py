"""A gate's decision as Markdown, for a comment on a pull request or a step summary."""

from __future__ import annotations

import re

from mediacheck.gate.decision import Decision, Figure, RuleResult
from mediacheck.report.escape import printable
from mediacheck.report.gate import approval_text, counted, explained, run_text, short

_MARKS = {"pass": "✅ pass", "fail": "❌ fail", "inconclusive": "⚠️ inconclusive", "not_applicable": "not applicable"}
_SPECIAL = re.compile(r"([\\`*_{}\[\]|~<>&$])")
_LINKS = re.compile(r"@|(?=://)|(?i:www)(?=\.)")


def render(decision: Decision) -> str:
    """A heading with the verdict, a table of rules and figures, what else must hold."""
    lines = [f"### {_MARKS[decision.verdict]}: gate {text(decision.policy.id)}", "", text(decision.message), ""]
    lines += ["| outcome | rule | what was found | n | candidate | baseline |", "| --- | --- | --- | --- | --- | --- |"]
    lines += [row for rule in decision.rules for row in _rows(decision, rule)]
    unmet = [requirement for requirement in decision.requirements if requirement.outcome == "inconclusive"]
    if unmet:
        lines += ["", "What must hold, and does not:", ""]
        lines += [f"- {text(requirement.id)}: {text(requirement.message)}" for requirement in unmet]
    more = explained(decision)
    if more:
        lines += ["", f"`mediacheck explain NAME` tells more: {', '.join(map(text, more))}."]
    lines += ["", f"Candidate {text(run_text(decision.candidate))}."]
    if decision.baseline is not None:
        lines.append(f"Baseline {text(run_text(decision.baseline))}.")
    lines.append(f"Policy {text(decision.policy.id)} ({text(short(decision.policy.digest))}), "
                 f"{text(approval_text(decision))}.")  # fmt: skip
    return "\n".join(lines) + "\n\n"


def text(value: str) -> str:
    """Text in which nothing is markup, a mention or a link: names and reasons come from strangers."""
    # GitHub makes mentions and links of the rendered text, where a backslash is gone; a comment parts it.
    return _LINKS.sub(r"\g<0><!-- -->", _SPECIAL.sub(r"\\\1", printable(value)))


def _rows(decision: Decision, rule: RuleResult) -> list[str]:
    rows = []
    for figure in rule.figures:
        outcome = counted(decision, figure.outcome)
        name = text(rule.id) if figure.group is None else f"{text(rule.id)}, {text(f'{rule.by} {figure.group}')}"
        said = rule.message if figure.group is None else figure.message
        rows.append(f"| {_MARKS[outcome]} | {name} | {text(said)} | {figure.coverage} | {_cells(figure)} |")
    return rows


def _cells(figure: Figure) -> str:
    return " | ".join("" if value is None else f"{value:g}" for value in (figure.candidate, figure.baseline))
