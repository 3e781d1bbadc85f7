"""Run scorers over one candidate: what they need is seen to here, once, and what fails becomes ``not measured``."""

from __future__ import annotations

from collections.abc import Sequence

from mediacheck.errors import UsageError
from mediacheck.scoring.registry import scorer_type
from mediacheck.scoring.score import NotMeasured, Score
from mediacheck.scoring.scorer import Item, ModelError, Scorer, ScoringOptions, Unmeasurable

TAKES_SILENCE = frozenset({"wer", "cer"})
"""Scorers whose value for a silent file is defined: every word of the reference counts as deleted."""


def prepare(ids: Sequence[str], options: ScoringOptions) -> tuple[Scorer, ...]:
    """Make the scorers of a run and load their models, before any file is processed.

    Raises:
        UsageError: no scorer, an unknown one, or options that do not fit.
        ModelError: a library or a model is missing.
    """
    if not ids:
        raise UsageError("no scorer was chosen; name one with --scorer")
    scorers = tuple(scorer_type(id)(options) for id in dict.fromkeys(ids))
    for scorer in scorers:
        scorer.prepare()
    return scorers


def score_item(
    scorers: Sequence[Scorer], item: Item, *, refused: str | None = None, reference_refused: str | None = None
) -> tuple[Score, ...]:
    """One score for each scorer, in their order.

    Args:
        scorers: prepared.
        item: the candidate and what it is held against.
        refused: why nothing may be scored (the candidate is missing or failed validation); None: it may.
        reference_refused: why nothing may be scored against the reference audio; None: it may.
    """
    return tuple(_score(scorer, item, refused, reference_refused) for scorer in scorers)


def _score(scorer: Scorer, item: Item, refused: str | None, reference_refused: str | None) -> Score:
    info = scorer.info
    if refused is not None:
        return NotMeasured(scorer=info.id, reason=refused)
    if item.silent and info.id not in TAKES_SILENCE:
        return NotMeasured(scorer=info.id, reason="the candidate is silent")
    if "text" in info.needs and item.text is None:
        return NotMeasured(scorer=info.id, reason="no text was given for this candidate")
    if "reference" in info.needs and reference_refused is not None:
        return NotMeasured(scorer=info.id, reason=reference_refused)
    if "reference" in info.needs and not item.references:
        return NotMeasured(scorer=info.id, reason="no reference audio was given")
    try:
        return scorer.score(item)
    except Unmeasurable as error:
        return NotMeasured(scorer=info.id, reason=str(error), transient=error.transient)
    except (ModelError, MemoryError):
        raise
    except Exception as error:
        # One file must not take the others down; what the library said is the reason.
        sentence = " ".join(str(error).split())
        reason = f"the scorer failed ({type(error).__name__}: {sentence})"
        return NotMeasured(scorer=info.id, reason=reason, transient=True)
