"""A gate's decision as text for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from click import style

from mediacheck.gate.decision import Decision, Figure, Requirement, RuleResult, RunIdentity
from mediacheck.report.escape import printable
from mediacheck.report.text import COLOURS, verdict_word
from mediacheck.verdict import Outcome

GRAVITY: Final[dict[Outcome, int]] = {"fail": 0, "inconclusive": 1, "pass": 2, "not_applicable": 3}
"""What comes first."""
_LOST_SHOWN = 3
_EXPLAINED = 6
_GROUPS_SHOWN = 20


def render(decision: Decision) -> str:
    """The verdict, the runs, each rule with its numbers, what else must hold. Colours are ANSI sequences."""
    lines = [f"{verdict_word(decision.verdict)}  {printable(decision.candidate.name)}: {printable(decision.message)}"]
    lines.append(f"  policy {decision.policy.id} ({short(decision.policy.digest)}), {approval_text(decision)}")
    lines.append(f"  candidate {run_text(decision.candidate)}")
    if decision.baseline is not None:
        lines.append(f"  baseline {run_text(decision.baseline)}")
    for rule in sorted(decision.rules, key=lambda rule: GRAVITY[rule.outcome]):
        lines += rule_lines(rule)
    lines += [requirement_line(requirement) for requirement in decision.requirements if requirement.outcome != "pass"]
    more = explained(decision)
    if more:
        lines.append(f"  'mediacheck explain NAME' tells more: {', '.join(more)}")
    return "\n".join(lines) + "\n"


def approval_text(decision: Decision) -> str:
    """Who approved it, or that nobody did."""
    if decision.unapproved is not None or decision.approval is None:
        return printable(f"not approved: {decision.unapproved}")
    approval = decision.approval
    return printable(f"approved by {approval.by} on {approval.date.isoformat()} for {short(approval.workload)}")


def run_text(run: RunIdentity) -> str:
    """``run-b: 200 of 200 items, 198 valid, judged by v2``."""
    text = f"{run.name}: {run.present} of {run.items} items, {run.valid} valid, judged by {run.validator}"
    revisions = [f"{name} {value}" for name, value in (("model", run.model_revision), ("source", run.source_revision))
                 if value is not None]  # fmt: skip
    return printable(", ".join([text, *revisions]))


def short(digest: str) -> str:
    """A digest that can be told apart at a glance; other text as it is."""
    return f"{digest[:15]}…" if digest.startswith("sha256:") and len(digest) > 20 else digest


def counted(decision: Decision, outcome: Outcome) -> Outcome:
    """What a figure's outcome counts as: thresholds that nobody approved decide nothing."""
    return outcome if decision.unapproved is None else "inconclusive"


def left_out(outcomes: Sequence[Outcome], noun: str = "") -> str:
    """``and 30 more rows: 1 fail, 29 pass``."""
    counts = Counter(outcomes)
    parts = [f"{counts[outcome]} {outcome.replace('_', ' ')}" for outcome in GRAVITY if counts[outcome]]
    return f"and {len(outcomes)} more{f' {noun}' if noun else ''}: {', '.join(parts)}"


def rule_head(rule: RuleResult) -> str:
    """``wer: corpus wer``."""
    return printable(f"{rule.id}: {rule.statistic} of {rule.metric}")


def _word(outcome: str) -> str:
    return style(outcome.replace("_", " "), fg=COLOURS.get(outcome, "bright_black"))


def explained(decision: Decision) -> tuple[str, ...]:
    """Names of what did not pass, for ``mediacheck explain``; the first six."""
    open_ = [rule.metric for rule in decision.rules if rule.outcome in ("fail", "inconclusive")]
    unmet = [requirement.id for requirement in decision.requirements if requirement.outcome == "inconclusive"]
    approval = [] if decision.unapproved is None else ["approval"]
    names = dict.fromkeys([*approval, *unmet, *open_])
    return tuple(printable(name) for name in list(names)[:_EXPLAINED])


def rule_lines(rule: RuleResult) -> list[str]:
    """A rule with its numbers, its groups, and the items that decided."""
    lines = [f"  {_word(rule.outcome)}  {rule_head(rule)}: {printable(rule.message)}"]
    figures: Sequence[Figure] = rule.figures
    if len(figures) > _GROUPS_SHOWN:
        figures = sorted(figures, key=lambda found: GRAVITY[found.outcome])
    shown, others = figures[:_GROUPS_SHOWN], figures[_GROUPS_SHOWN:]
    if rule.by is not None and len(figures) > 1:
        lines += [
            f"    {found.outcome}  {printable(f'{rule.by} {found.group}')}: {printable(found.message)}"
            for found in shown
        ]
    if others:
        lines.append(f"    {left_out([found.outcome for found in others])}; --json holds them all")
    if rule.computed != "pass":
        lines += [line for found in shown for line in _items(found)]
    return lines


def _items(figure: Figure) -> list[str]:
    lines = []
    if figure.outcome == "fail" and figure.worst:
        shown = ", ".join(
            f"{item.id} {item.candidate:g}" + ("" if item.baseline is None else f" (was {item.baseline:g})")
            for item in figure.worst[:5]
        )
        lines.append(f"    worst: {printable(shown)}")
    lines += [
        f"    {lost.side} lacks {printable(lost.id)}: {printable(lost.reason)}" for lost in figure.lost[:_LOST_SHOWN]
    ]
    more = figure.lost_candidate + figure.lost_baseline - min(_LOST_SHOWN, len(figure.lost))
    # Items that no line of either run names have no names to show; the message counts them.
    if more > 0 and figure.lost:
        lines.append(f"    and {more} more; --json names the first twenty")
    return lines


def requirement_line(requirement: Requirement) -> str:
    return f"  {_word(requirement.outcome)}  {requirement.id}: {printable(requirement.message)}"
