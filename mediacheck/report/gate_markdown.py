"""A gate's decision as Markdown, for a comment on a pull request or a step summary."""

from __future__ import annotations

import re
from itertools import accumulate

from mediacheck.gate.decision import Decision, Figure, RuleResult
from mediacheck.report.escape import printable
from mediacheck.report.gate import GRAVITY, approval_text, counted, explained, left_out, run_text, short
from mediacheck.verdict import Outcome

_ROOM = 60_000
"""Characters of a page: GitHub takes comments up to 65,536, and drops a step's summary above 1 MiB."""
_LONGEST = 1000
"""Characters of one text, as it came."""
_MARKS = {"pass": "✅ pass", "fail": "❌ fail", "inconclusive": "⚠️ inconclusive", "not_applicable": "not applicable"}
_SPECIAL = re.compile(r"([\\`*_{}\[\]|~<>&$])")
_LINKS = re.compile(r"@|(?=://)|(?i:www)(?=\.)|[#!](?=[0-9])|(?i:gh-)(?=[0-9])")


def render(decision: Decision) -> str:
    """A heading with the verdict, a table of rules and figures, what else must hold."""
    lines = [f"### {_MARKS[decision.verdict]}: gate {text(decision.policy.id)}", "", text(decision.message), ""]
    lines += ["| outcome | rule | what was found | n | candidate | baseline |", "| --- | --- | --- | --- | --- | --- |"]
    rows = [row for rule in decision.rules for row in _rows(decision, rule)]
    rest = _rest(decision)
    lines += _fitting(rows, _ROOM - sum(len(line) + 1 for line in (*lines, *rest)))
    return "\n".join([*lines, *rest]) + "\n\n"


def _fitting(rows: list[tuple[Outcome, str]], room: int) -> list[str]:
    """All rows, or those that weigh most and take no more than ``room`` characters, with a count of the others."""
    if sum(len(row) + 1 for _, row in rows) <= room:
        return [row for _, row in rows]
    ordered = sorted(rows, key=lambda row: GRAVITY[row[0]])
    ends = accumulate(len(row) + 1 for _, row in ordered)
    shown = sum(end <= room for end in ends)
    more = left_out([outcome for outcome, _ in ordered[shown:]], "rows")
    return [*(row for _, row in ordered[:shown]), "", f"… {more}; the JSON holds them all."]


def _rest(decision: Decision) -> list[str]:
    """What stands below the table."""
    lines: list[str] = []
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
    return lines


def text(value: str) -> str:
    """Text in which nothing is markup, a mention or a link: names and reasons come from strangers."""
    value = printable(value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…")
    # GitHub makes mentions and links of the rendered text, where a backslash is gone; a comment parts it.
    return _LINKS.sub(r"\g<0><!-- -->", _SPECIAL.sub(r"\\\1", value))


def _rows(decision: Decision, rule: RuleResult) -> list[tuple[Outcome, str]]:
    rows: list[tuple[Outcome, str]] = []
    for figure in rule.figures:
        outcome = counted(decision, figure.outcome)
        name = text(rule.id) if figure.group is None else f"{text(rule.id)}, {text(f'{rule.by} {figure.group}')}"
        said = rule.message if figure.group is None else figure.message
        cells = (_MARKS[outcome], name, text(said), figure.coverage, _cells(figure))
        rows.append((outcome, f"| {' | '.join(cells)} |"))
    return rows


def _cells(figure: Figure) -> str:
    return " | ".join("" if value is None else f"{value:g}" for value in (figure.candidate, figure.baseline))
