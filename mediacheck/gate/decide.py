"""From a policy and runs to a decision."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from mediacheck.gate.decision import Decision, Figure, PolicyIdentity, Requirement, RuleResult
from mediacheck.gate.errors import GateError
from mediacheck.gate.figures import figure
from mediacheck.gate.items import Items, join
from mediacheck.gate.metrics import find_metric
from mediacheck.gate.policy import EXACT, Policy, Rule, require_workload
from mediacheck.gate.requirements import blocking, check_requirements
from mediacheck.gate.runs import GateRun, load_run
from mediacheck.gate.wording import limit_text
from mediacheck.verdict import Outcome, Verdict
from mediacheck.version import __version__

WITHOUT_GROUP: Final = "(none)"
_GRAVITY: dict[Outcome, int] = {"fail": 3, "inconclusive": 2, "pass": 1, "not_applicable": 0}


def decide(
    policy: Policy,
    candidate: Path,
    baseline: Path | None = None,
    *,
    workload: str | None = None,
    validator: str | None = None,
) -> Decision:
    """May the candidate pass the policy?

    Args:
        policy: its rules.
        candidate: a run folder.
        baseline: another, for rules that compare.
        workload: what the runs are a case of, where the policy is approved for a named one.
        validator: id or path of the runs' validator, where it is the user's own and a rule speaks of findings.

    Raises:
        PolicyError: the policy was approved for another workload.
        RunError: a folder is no finished run.
        GateError: both are one folder.
    """
    if baseline is not None and candidate.exists() and baseline.exists() and candidate.samefile(baseline):
        raise GateError(f"{candidate} is named as candidate and as baseline: a run is never worse than itself; "
                        "name another baseline")  # fmt: skip
    metrics = {rule.metric: find_metric(rule.metric) for rule in policy.rules}
    columns = sorted({rule.by for rule in policy.rules if rule.by is not None})
    taken = list(metrics.values())
    own = load_run(candidate, taken, columns, validator=validator)
    require_workload(policy, own.identity.asked, workload)
    other = None if baseline is None else load_run(baseline, taken, columns, validator=validator, like=own)
    requirements = check_requirements(policy.requires, own, other)
    blocked = blocking(requirements)
    runs = Runs(own, other, join(own.ids, None), None if other is None else join(own.ids, other.ids), blocked)
    rules = tuple(decided(rule, runs, policy.unapproved) for rule in policy.rules)
    verdict = _verdict(requirements, rules)
    return Decision(
        tool=__version__,
        policy=PolicyIdentity(id=policy.id, digest=policy.digest, summary=policy.summary),
        approval=policy.approval,
        unapproved=policy.unapproved,
        workload=workload,
        candidate=own.identity,
        baseline=None if other is None else other.identity,
        requirements=requirements,
        rules=rules,
        verdict=verdict,
        message=_sentence(requirements, rules, policy.unapproved),
    )


@dataclass(frozen=True, eq=False)
class Runs:
    """What every rule is held against."""

    candidate: GateRun
    baseline: GateRun | None
    alone: Items
    """Of the candidate."""
    both: Items | None
    """Of either."""
    blocked: str | None
    """Why the two cannot be compared."""


def decided(rule: Rule, runs: Runs, unapproved: str | None) -> RuleResult:
    figures = _figures(rule, runs)
    computed = max((found.outcome for found in figures), key=_GRAVITY.__getitem__)
    outcome: Outcome = computed if unapproved is None else "inconclusive"
    message = _rule_sentence(rule, figures, computed)
    if unapproved is not None:
        message = f"not approved, it would be {computed}: {message}"
    return RuleResult(
        id=rule.id,
        metric=rule.metric,
        statistic=rule.statistic,
        bound=rule.bound,
        limit=rule.limit,
        unit=rule.unit,
        confidence=None if rule.statistic in EXACT else rule.confidence,
        by=rule.by,
        minimum_coverage=rule.minimum_coverage,
        minimum_count=rule.least_items,
        outcome=outcome,
        computed=computed,
        message=message,
        figures=figures,
    )


def _figures(rule: Rule, runs: Runs) -> tuple[Figure, ...]:
    metric = find_metric(rule.metric)
    candidate, baseline = runs.candidate, None
    own, other = candidate.series[rule.metric], None
    items, why = runs.alone, None
    if rule.needs_baseline:
        if runs.baseline is None or runs.both is None:
            why = "the rule compares with a baseline, and none is given"
        else:
            baseline, items, why = runs.baseline, runs.both, runs.blocked
            other = baseline.series[rule.metric]
    # Of a shard the manifest's count says nothing; that it is one stands among the requirements.
    expected = max(0 if candidate.record.shard else candidate.identity.items, len(items))
    if rule.by is None:
        return (figure(rule, metric, own, other, items=items, expected=expected, blocked=why),)
    if not any(candidate.groups[rule.by]):
        why = why or f"no item has the group column {rule.by}"
    if why is not None or not len(items):
        why = why or "there are no items"
        return (figure(rule, metric, own, other, items=items, expected=expected, blocked=why),)
    return tuple(
        figure(rule, metric, own, other, items=members, expected=len(members), group=name)
        for name, members in sorted(_groups(rule.by, items, candidate, baseline).items())
    )


def _groups(column: str, items: Items, candidate: GateRun, baseline: GateRun | None) -> dict[str, Items]:
    """Items by the column's value; what only the baseline has, by the baseline's."""
    names = candidate.groups[column]
    places = items.candidate
    if baseline is not None and items.baseline is not None:
        names = [*names, *baseline.groups[column]]
        places = np.where(places >= 0, places, len(candidate.ids) + items.baseline)
    found: dict[str, list[int]] = {}
    for index, place in enumerate(places.tolist()):
        name = names[place]
        found.setdefault(WITHOUT_GROUP if name is None else name, []).append(index)
    return {name: items.take(np.array(indices)) for name, indices in found.items()}


def _rule_sentence(rule: Rule, figures: tuple[Figure, ...], computed: Outcome) -> str:
    if rule.by is None or figures[0].group is None:
        return figures[0].message
    decisive = [found for found in figures if found.outcome == computed]
    if computed == "pass":
        return f"{limit_text(rule)} in each of {len(figures)} groups by {rule.by}"
    first = decisive[0]
    return f"{computed} in {len(decisive)} of {len(figures)} groups by {rule.by}; {first.group}: {first.message}"


def _verdict(requirements: tuple[Requirement, ...], rules: tuple[RuleResult, ...]) -> Verdict:
    """Every rule must pass; no rule at all is no pass."""
    outcomes = {rule.outcome for rule in rules}
    if "fail" in outcomes:
        return "fail"
    sound = all(requirement.outcome in ("pass", "not_applicable") for requirement in requirements)
    return "pass" if outcomes == {"pass"} and sound else "inconclusive"


def _sentence(requirements: tuple[Requirement, ...], rules: tuple[RuleResult, ...], unapproved: str | None) -> str:
    if not rules:
        return "the policy has no rules, so that nothing was decided"
    parts = []
    for outcome, words in (("fail", "failed"), ("inconclusive", "inconclusive")):
        named = [rule.id for rule in rules if rule.outcome == outcome]
        if named:
            shown = ", ".join(named[:5]) + (", …" if len(named) > 5 else "")
            parts.append(f"{len(named)} of {len(rules)} rule{'' if len(rules) == 1 else 's'} {words} ({shown})")
    unmet = [requirement.message for requirement in requirements if requirement.outcome == "inconclusive"]
    parts += unmet[:1]
    if unapproved is not None:
        parts.insert(0, f"the policy counts for nothing: {unapproved}")
    if parts:
        return "; ".join(parts)
    return "the only rule passed" if len(rules) == 1 else f"all {len(rules)} rules passed"
