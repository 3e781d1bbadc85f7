"""``wer``, ``speaker``, …: the values of a scorer; ``wer.substitutions`` and the like: the parts of an error rate;
``coverage:wer``: whether there is a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from mediacheck.batch.results import ItemResult, Value
from mediacheck.errors import UsageError
from mediacheck.gate.metrics.metric import Metric, Reading, RunContext, indicator
from mediacheck.scoring.registry import scorer_ids, scorer_type
from mediacheck.scoring.score import ScorerInfo

PARTS: Final = ("substitutions", "deletions", "insertions")
COUNTED: Final = {"wer": "word", "cer": "character"}
"""Scorers whose values have counts, and of what."""
COVERAGE: Final = "coverage:"


def names() -> tuple[str, ...]:
    parts = tuple(f"{scorer}.{part}" for scorer in COUNTED for part in PARTS)
    return (*scorer_ids(), *parts, *(f"{COVERAGE}{scorer}" for scorer in scorer_ids()))


def find(name: str) -> Metric | None:
    if name not in names():
        return None
    if name.startswith(COVERAGE):
        scorer = name.removeprefix(COVERAGE)
        scored = indicator(name, "higher", lambda item, _: _value(item, scorer) is not None)
        return replace(scored, was_run=_ran(scorer))
    scorer, _, part = name.partition(".") if name not in scorer_ids() else (name, "", "")
    try:
        info = scorer_type(scorer).info
    except UsageError:
        return None
    return _part(name, scorer, part) if part else _whole(info)


def _whole(info: ScorerInfo) -> Metric:
    counted = info.id in COUNTED
    width = None if info.lowest is None or info.highest is None else info.highest - info.lowest

    def read(item: ItemResult, context: RunContext) -> Reading | str:
        score = _value(item, info.id)
        if score is None:
            return _why_not(item, info.id)
        if not counted:
            return Reading.of(score.value)
        if score.counts is None:
            return "the value has no counts"
        return Reading(score.value, float(score.counts.errors), float(score.counts.reference))

    return Metric(
        name=info.id,
        unit=info.unit,
        better=None if info.higher_is_better is None else "higher" if info.higher_is_better else "lower",
        kind="counted" if counted else "value",
        lowest=info.lowest,
        highest=info.highest,
        # An utterance that is lost altogether. More can be inserted, but that an item does worse than that is rarer.
        worst_case=1.0 if counted else width,
        read=read,
        was_run=_ran(info.id),
    )


def _part(name: str, scorer: str, part: str) -> Metric:
    def read(item: ItemResult, context: RunContext) -> Reading | str:
        score = _value(item, scorer)
        if score is None:
            return _why_not(item, scorer)
        if score.counts is None:
            return "the value has no counts"
        errors, reference = float(getattr(score.counts, part)), float(score.counts.reference)
        # Where nothing was to be said and nothing was heard, no error is 0 by the scorer's own rule.
        return Reading(errors / reference if reference else 0.0, errors, reference)

    return Metric(
        name=name,
        unit=f"{part}/{COUNTED[scorer]}",
        better="lower",
        kind="counted",
        lowest=0.0,
        highest=None if part == "insertions" else 1.0,
        worst_case=1.0,
        read=read,
        was_run=_ran(scorer),
    )


def _value(item: ItemResult, scorer: str) -> Value | None:
    # A plain loop: a generator costs more than all else that is done with an item.
    for score in item.scores:
        if isinstance(score, Value) and score.scorer == scorer:
            return score
    return None


def _why_not(item: ItemResult, scorer: str) -> str:
    for score in item.scores:
        if score.scorer == scorer and not isinstance(score, Value):
            return score.reason
    return item.reason or (item.status if item.status != "judged" else f"{scorer} did not run")


def _ran(scorer: str) -> Callable[[RunContext], str | None]:
    def was_run(context: RunContext) -> str | None:
        ran = any(identity.scorer == scorer for identity in context.record.scorers)
        return None if ran else f"{scorer} is not among the scorers of the run"

    return was_run
