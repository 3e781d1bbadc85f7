"""One rule over one set of items: coverage, count, interval, and so an outcome."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from mediacheck.gate.decision import DECIMALS, SHOWN, Figure, Interval, ItemFigure
from mediacheck.gate.estimates import Estimate, by_item, estimate, needed, threshold_of
from mediacheck.gate.items import Items
from mediacheck.gate.metrics import Metric
from mediacheck.gate.pairs import Pairs, pair
from mediacheck.gate.policy import ABSOLUTE, EXACT, UPPER, Rule
from mediacheck.gate.runs import Series
from mediacheck.gate.wording import beyond, interval_text, limit_text, measured_text
from mediacheck.verdict import Outcome

_WORST = 5


def figure(
    rule: Rule,
    metric: Metric,
    candidate: Series,
    baseline: Series | None,
    *,
    items: Items,
    expected: int,
    group: str | None = None,
    blocked: str | None = None,
) -> Figure:
    """The numbers of a rule, and what they say.

    In this order: what cannot be compared, what was not run, what is missing, too few items, the interval. None of
    these can pass.

    Args:
        rule: of the policy.
        metric: the rule's.
        candidate: its numbers.
        baseline: likewise, where the rule needs one and one is given.
        items: of either run.
        expected: how many there should be, at least ``len(items)``.
        group: value of the column that the rule goes by.
        blocked: why the two runs cannot be compared.
    """
    empty = Figure(
        group=group,
        outcome="inconclusive",
        message=f"not compared: {blocked}",
        expected=expected,
        n=0,
        coverage=f"0/{expected}",
        threshold=threshold_of(rule),
    )
    if blocked is not None:
        return empty
    pairs = pair(candidate, baseline, items, expected)
    counted = replace(
        empty,
        n=pairs.n,
        coverage=f"{pairs.n}/{expected}",
        lost_candidate=pairs.lost_candidate,
        lost_baseline=pairs.lost_baseline,
        lost=pairs.lost,
    )
    found = estimate(rule, metric, pairs) if pairs.n else "no item has the number"
    if isinstance(found, str):
        outcome, reason = _lacking(rule, pairs, candidate, baseline) or ("inconclusive", found)
        return replace(counted, outcome=outcome, message=reason)
    lacking = _lacking(rule, pairs, candidate, baseline)
    outcome, message, wanted = _concluded(rule, metric, pairs, found, lacking)
    bounds = found.bounds
    exact = rule.statistic in EXACT
    return replace(
        counted,
        outcome=outcome,
        message=message,
        candidate=_rounded(found.candidate),
        baseline=_rounded(found.baseline),
        measured=_rounded(bounds.value),
        interval=None
        if exact
        else Interval(
            low=_rounded(bounds.low),
            high=_rounded(bounds.high),
            confidence=rule.confidence,
            method=bounds.method,
            seed=rule.seed if "bootstrap" in bounds.method or "Gaffke" in bounds.method else None,
        ),
        needed=wanted,
        worst=_worst(rule, metric, pairs) if lacking is None else (),
    )


def _lacking(
    rule: Rule, pairs: Pairs, candidate: Series, baseline: Series | None
) -> tuple[Outcome, str] | None:
    """What coverage says, where it is too low.

    What the candidate alone lost is the candidate's fault; what the baseline lacks, or neither run could measure, says
    nothing of the candidate.
    """
    for side, series in (("candidate", candidate), ("baseline", baseline)):
        if series is not None and series.not_run is not None:
            return "inconclusive", f"not measured on the {side}'s side: {series.not_run}"
    if not pairs.expected:
        return "inconclusive", "the run has no items"
    if pairs.n / pairs.expected >= rule.minimum_coverage:
        return None
    share = f"{pairs.n} of {pairs.expected} {'pairs' if pairs.baseline is not None else 'items'} have the number"
    asked = f"{share}, the policy asks for {100 * rule.minimum_coverage:g} %"
    first = next((lost for lost in pairs.lost if lost.side == "candidate"), None)
    if (pairs.expected - pairs.lost_by_candidate_alone) / pairs.expected < rule.minimum_coverage:
        why = "" if first is None else f" (first {first.id}: {first.reason})"
        return "fail", f"{asked}; the candidate lacks {pairs.lost_candidate}{why}"
    lacking = f"the baseline lacks {pairs.lost_baseline}, the candidate {pairs.lost_candidate}"
    return "inconclusive", f"{asked}; {lacking}"


def _concluded(
    rule: Rule, metric: Metric, pairs: Pairs, found: Estimate, lacking: tuple[Outcome, str] | None
) -> tuple[Outcome, str, int | None]:
    """Outcome, sentence, and the items that would settle it."""
    bounds = found.bounds
    low, high, value = _rounded(bounds.low), _rounded(bounds.high), _rounded(bounds.value)
    assert value is not None, "an estimate has a value"
    text = measured_text(rule, metric, pairs.n, found.candidate, found.baseline, value)
    text += interval_text(rule, low, high)
    limit = limit_text(rule)
    if lacking is not None:
        return lacking[0], f"{lacking[1]}; {text}", None
    if pairs.n < rule.least_items:
        few = rule.least_items if rule.statistic in EXACT else needed(rule, found, pairs.n)
        asked = f"fewer than the {rule.least_items} that the policy asks for"
        then = "" if few is None else f"; about {few} would settle “{limit}”"
        return "inconclusive", f"{text}: {asked}{then}", few
    outcome = _outcome(rule, low, high)
    if outcome == "pass":
        return outcome, f"{text}: {limit}", None
    if outcome == "fail":
        if rule.statistic == "each":
            text = f"{_violators(rule, pairs)} of {pairs.n} items, {text}"
        return outcome, f"{text}: {beyond(rule)} the limit, {limit}", None
    wanted = needed(rule, found, pairs.n)
    why = f"; {bounds.why_not}" if bounds.why_not else ""
    how = "no sample would: it is on the limit" if wanted is None else f"about {wanted} items would"
    if bounds.why_not and bounds.least is None:
        how = "no number of items is known that would"
        wanted = None
    return outcome, f"{text}: does not settle “{limit}”{why}; {how}", wanted


def _outcome(rule: Rule, low: float | None, high: float | None) -> Outcome:
    """Written so that None never passes."""
    threshold = threshold_of(rule)
    # On the side that the limit bounds, with larger meaning worse.
    good, bad = (high, low) if rule.bound in UPPER else (_negative(low), _negative(high))
    limit = threshold if rule.bound in UPPER else -threshold
    if bad is not None and bad > limit:
        return "fail"
    if good is None:
        return "inconclusive"
    # "At most" holds on the limit; a worsening must stay below its margin, or a margin of 0 would show nothing.
    inclusive = rule.bound in ABSOLUTE or rule.statistic in EXACT
    return "pass" if good < limit or (inclusive and good == limit) else "inconclusive"


def _negative(value: float | None) -> float | None:
    return None if value is None else -value


def _worst(rule: Rule, metric: Metric, pairs: Pairs) -> tuple[ItemFigure, ...]:
    own = by_item(rule, pairs)
    order = np.argsort(-own if rule.bound in UPPER else own, kind="stable")
    shown = min(SHOWN, _violators(rule, pairs)) if rule.statistic == "each" else _WORST
    if metric.kind == "indicator":
        # Of yes and no, an item is worst or it is not: the next ones in order are good.
        good = 0.0 if pairs.baseline is not None or rule.bound in UPPER else 1.0
        shown = min(shown, int((own > good).sum() if rule.bound in UPPER else (own < good).sum()))
    return tuple(
        ItemFigure(
            id=pairs.items.id(index),
            candidate=round(float(pairs.candidate.value[index]), DECIMALS),
            baseline=None if pairs.baseline is None else round(float(pairs.baseline.value[index]), DECIMALS),
        )
        for index in order[:shown].tolist()
    )


def _violators(rule: Rule, pairs: Pairs) -> int:
    own, threshold = by_item(rule, pairs), threshold_of(rule)
    return int((own > threshold).sum() if rule.bound in UPPER else (own < threshold).sum())


def _rounded(value: float | None) -> float | None:
    # Adding 0 makes -0.0 a 0.0.
    return None if value is None else round(value, DECIMALS) + 0.0
