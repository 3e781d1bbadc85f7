"""A gate's decision as workflow commands of GitHub Actions: annotations on the run.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from mediacheck.gate.decision import Decision
from mediacheck.report.escape import printable
from mediacheck.report.gate import rule_head

_MOST = 9
"""GitHub shows ten of a kind for a step; the first of ours is the verdict."""


def render(decision: Decision) -> str:
    """``::error`` where the gate fails, ``::warning`` where it is inconclusive, a ``::notice`` where it passes."""
    kinds = {"fail": "error", "inconclusive": "warning", "pass": "notice"}
    lines = [_command(kinds[decision.verdict], f"gate {decision.policy.id}: {decision.verdict}", decision.message)]
    for outcome, kind in (("fail", "error"), ("inconclusive", "warning")):
        rules = [rule for rule in decision.rules if rule.outcome == outcome]
        lines += [_command(kind, f"{outcome}: {rule_head(rule)}", rule.message) for rule in rules[:_MOST]]
    unmet = [requirement for requirement in decision.requirements if requirement.outcome == "inconclusive"]
    lines += [_command("warning", requirement.id, requirement.message) for requirement in unmet[:1]]
    return "".join(f"{line}\n" for line in lines)


def _command(kind: str, title: str, message: str) -> str:
    escaped_title = _data(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={escaped_title}::{_data(message)}"


def _data(value: str) -> str:
    return printable(value).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
