"""A gate's decision as workflow commands of GitHub Actions: annotations on the run.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from collections import Counter

from mediacheck.gate.decision import Decision
from mediacheck.report.escape import printable
from mediacheck.report.gate import rule_head

_MOST = 10
"""Of a kind: GitHub shows no more for a step."""
_LONGEST_TITLE = 200
_LONGEST = 4000
"""Characters: GitHub takes titles up to 255, messages up to 64 KiB."""


def render(decision: Decision) -> str:
    """``::error`` where the gate fails, ``::warning`` where it is inconclusive, a ``::notice`` where it passes."""
    kinds = {"fail": "error", "inconclusive": "warning", "pass": "notice"}
    said = [(kinds[decision.verdict], f"gate {decision.policy.id}: {decision.verdict}", decision.message)]
    unmet = [requirement for requirement in decision.requirements if requirement.outcome == "inconclusive"]
    said += [("warning", requirement.id, requirement.message) for requirement in unmet]
    for outcome, kind in (("fail", "error"), ("inconclusive", "warning")):
        rules = [rule for rule in decision.rules if rule.outcome == outcome]
        said += [(kind, f"{outcome}: {rule_head(rule)}", rule.message) for rule in rules]
    counts: Counter[str] = Counter()
    lines = []
    for kind, title, message in said:
        counts[kind] += 1
        if counts[kind] <= _MOST:
            lines.append(_command(kind, title, message))
    return "".join(f"{line}\n" for line in lines)


def _command(kind: str, title: str, message: str) -> str:
    escaped_title = _data(_cut(title, _LONGEST_TITLE)).replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={escaped_title}::{_data(_cut(message, _LONGEST))}"


def _cut(value: str, longest: int) -> str:
    return value if len(value) <= longest else f"{value[:longest]}…"


def _data(value: str) -> str:
    return printable(value).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
