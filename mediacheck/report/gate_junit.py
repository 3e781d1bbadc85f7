"""A gate's decision as JUnit XML: a case for each figure of a rule, and one for each requirement.

fail is a ``failure``, inconclusive an ``error``, not applicable ``skipped``.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from mediacheck.gate.decision import Decision, Figure, RuleResult
from mediacheck.report.gate import counted
from mediacheck.report.junit import Distinct, finished, legal
from mediacheck.verdict import Outcome


def render(decision: Decision) -> bytes:
    """JUnit XML, UTF-8."""
    root = Element("testsuites", name="mediacheck gate")
    suite = SubElement(root, "testsuite", name=legal(f"gate {decision.policy.id}: {decision.candidate.name}"))
    groups = Distinct()
    for rule in decision.rules:
        if len(rule.figures) == 1 and rule.figures[0].group is None:
            _case(suite, f"rule.{rule.id}", _name(rule), rule.outcome, rule.message, rule.figures[0])
        for figure in rule.figures:
            if figure.group is not None:
                outcome = counted(decision, figure.outcome)
                name = groups.legal(f"{_name(rule)} [{rule.by}={figure.group}]")
                _case(suite, f"rule.{rule.id}", name, outcome, figure.message, figure)
    for requirement in decision.requirements:
        _case(suite, "requirement", requirement.id, requirement.outcome, requirement.message, None)
    if decision.verdict != "pass" and suite.find("testcase/failure") is None and suite.find("testcase/error") is None:
        _case(suite, "gate", "verdict", decision.verdict, decision.message, None)
    return finished(root)


def _name(rule: RuleResult) -> str:
    return f"{rule.id}: {rule.statistic} of {rule.metric}"


def _case(suite: Element, group: str, name: str, outcome: Outcome, message: str, figure: Figure | None) -> None:
    case = SubElement(suite, "testcase", classname=legal(group), name=legal(name))
    if outcome == "fail":
        failure = SubElement(case, "failure", type="fail", message=legal(message))
        failure.text = legal(_details(figure))
    elif outcome == "inconclusive":
        SubElement(case, "error", type="inconclusive", message=legal(message))
    elif outcome == "not_applicable":
        SubElement(case, "skipped", message=legal(message))
    elif figure is not None:
        SubElement(case, "system-out").text = legal(message)


def _details(figure: Figure | None) -> str:
    if figure is None:
        return ""
    lines = [f"coverage {figure.coverage}"]
    lines += [f"{item.id}: {item.candidate:g}" + ("" if item.baseline is None else f", was {item.baseline:g}")
              for item in figure.worst]  # fmt: skip
    lines += [f"{lost.side} lacks {lost.id}: {lost.reason}" for lost in figure.lost]
    return "\n".join(lines)
