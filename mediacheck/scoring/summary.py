"""From the scores of many files to one figure each, with coverage; never over scores of different identities."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Literal

from mediacheck.errors import ScoringError
from mediacheck.scoring.protocols import PROTOCOLS
from mediacheck.scoring.score import Control, Identity, Measured, Missing, NotMeasured, Scores, Summary
from mediacheck.scoring.scorer import Scorer


def same_identity(scores: Sequence[Measured]) -> Identity:
    """The identity that all these values have.

    Raises:
        ScoringError: there is no value, or two were computed by different things.
    """
    if not scores:
        raise ScoringError("no item was scored: there is nothing to average or compare")
    first = scores[0].identity
    for score in scores[1:]:
        if score.identity != first:
            differing = ", ".join(
                name for name in Identity.__struct_fields__ if getattr(score.identity, name) != getattr(first, name)
            )
            raise ScoringError(
                f"scores of {first.scorer} differ in identity ({differing}), and cannot be averaged or compared; "
                "score all files alike"
            )
    return first


def summarise(scorer: str, unit: str, results: Sequence[Scores]) -> Summary:
    """One scorer over the files of a run.

    Args:
        scorer: its id.
        unit: of its values.
        results: of every file that was expected, also of those that have no value.

    Returns:
        A summary whose ``error`` says so where nothing was scored.

    Raises:
        ScoringError: values have different identities.
    """
    values: list[Measured] = []
    missing: list[Missing] = []
    for result in results:
        own = [score for score in result.scores if score.scorer == scorer]
        if not own:
            missing.append(Missing(name=result.subject.name, reason="the scorer did not run"))
        for score in own:
            if isinstance(score, NotMeasured):
                missing.append(Missing(name=result.subject.name, reason=score.reason))
            else:
                values.append(score)
    expected = len(results)
    common = Summary(
        scorer=scorer,
        unit=unit,
        expected=expected,
        scored=len(values),
        coverage=f"{len(values)}/{expected}",
        not_measured=tuple(missing),
    )
    return _with_means(common, values)


def summaries(scorers: Sequence[Scorer], results: Sequence[Scores]) -> tuple[Summary, ...]:
    """A summary for each scorer of the run, in their order."""
    return tuple(summarise(scorer.info.id, scorer.info.unit, results) for scorer in scorers)


def _with_means(summary: Summary, values: Sequence[Measured]) -> Summary:
    from msgspec.structs import replace

    if not values:
        return replace(summary, error=f"none of {summary.expected} files was scored: there is no figure")
    # numpy, for the draws.
    from mediacheck.scoring import bootstrap

    identity = same_identity(values)
    summary = replace(summary, control=_control(values))
    counts = [value.counts for value in values if value.counts is not None]
    macro = bootstrap.mean([value.value for value in values])
    if len(counts) != len(values):
        return replace(summary, mean=macro, identity=identity)
    # A file in which nothing was to be said and nothing was heard adds no word and no error.
    spoken = [count for count in counts if count.reference]
    total = reduce(add, counts)
    if not spoken:
        return replace(summary, mean=macro, counts=total, identity=identity)
    micro = bootstrap.ratio([count.errors for count in spoken], [count.reference for count in spoken])
    return replace(
        summary,
        mean=macro,
        corpus=micro,
        counts=total,
        headline=headline_of(identity),
        identity=identity,
    )


def headline_of(identity: Identity) -> Literal["corpus", "mean"]:
    """Which rate of errors the protocol's published figures state."""
    protocol = None if identity.normaliser is None else PROTOCOLS.get(identity.normaliser.id)
    return "mean" if protocol is not None and protocol.headline == "mean of utterances" else "corpus"


def _control(values: Sequence[Measured]) -> Control | None:
    from mediacheck.scoring import bootstrap

    pairs = [(value.value, value.control) for value in values if value.control is not None]
    if not pairs:
        return None
    same, other = bootstrap.mean([own for own, _ in pairs]), bootstrap.mean([control for _, control in pairs])
    return Control(files=len(pairs), same=same, other=other, margin=same.value - other.value)
