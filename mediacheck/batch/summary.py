"""``summary.json``: what a run amounts to, with its coverage; never a figure over scores of different identities."""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from mediacheck.batch.record import ManifestIdentity, RunRecord, Shard
from mediacheck.batch.results import ItemResult, Value
from mediacheck.facts import Struct
from mediacheck.scoring.score import ErrorCounts, Estimate, Identity, NotMeasured
from mediacheck.scoring.summary import headline_of

SUMMARY_SCHEMA: Final = "mediacheck.run-summary/1"
SUMMARY: Final = "summary.json"
WORST: Final = 10
"""Ids that are named for each metric."""
MOST_GROUPS: Final = 200
"""Values of a column; one with more is left out of the summary, and named."""


class Count(Struct, frozen=True, kw_only=True):
    name: str
    items: int


class Extreme(Struct, frozen=True, kw_only=True):
    """One of the worst items."""

    id: str
    value: float


class Metric(Struct, frozen=True, kw_only=True):
    """One scorer over the items of a run; per language where its values depend on that."""

    scorer: str
    language: str | None = None
    """Of the identity; None: the values depend on none."""
    unit: str
    expected: int
    """Items that should have a value."""
    n: int
    """Items that have one."""
    coverage: str
    """``"n/expected"``: it belongs beside every figure below."""
    mean: Estimate | None = None
    """Of the items' values; for rates of errors each item counts alike."""
    median: Estimate | None = None
    p5: Estimate | None = None
    p95: Estimate | None = None
    corpus: Estimate | None = None
    """Rates of errors: all errors over all words (or characters) of all references."""
    counts: ErrorCounts | None = None
    """Rates of errors: summed over the items."""
    headline: Literal["corpus", "mean"] = "mean"
    """Which of the two the protocol's published figures state."""
    same: Estimate | None = None
    """Where items have a control: the mean of their values, …"""
    other: Estimate | None = None
    """… and of their controls, which should be worse."""
    worst: tuple[Extreme, ...] = ()
    """The worst first; empty where no direction is the better one."""
    not_measured: tuple[Count, ...] = ()
    """By reason, the most frequent first."""
    identity: str | None = None
    """Digest of what computed every value; None where there is none."""
    error: str | None = None
    """Why there is no figure."""


class Tally(Struct, frozen=True, kw_only=True):
    """How items came out."""

    expected: int
    present: int
    """Items whose file was there."""
    valid: int
    """Verdict pass."""
    failed: int
    """Verdict fail."""
    inconclusive: int
    """Verdict inconclusive."""
    scored: int
    """Items with a value from every scorer; 0 where nothing was to be scored."""
    coverage: str
    """``"valid/expected"``."""
    by_status: tuple[Count, ...]
    """``judged``, ``missing``, ``crashed``, …: the most frequent first."""
    by_check: tuple[Count, ...]
    """Items that failed a check, an item counted at each."""
    metrics: tuple[Metric, ...]


class Group(Struct, frozen=True, kw_only=True):
    """The items that share the value of a column."""

    column: str
    value: str | None
    """None: items without one."""
    tally: Tally


class RunSummary(Struct, frozen=True, kw_only=True):
    schema: Literal["mediacheck.run-summary/1"] = SUMMARY_SCHEMA
    manifest: ManifestIdentity
    shard: Shard | None = None
    validator: str
    """Id and digest: ``v2 sha256:…``."""
    total: Tally
    groups: tuple[Group, ...] = ()
    groups_left_out: tuple[str, ...] = ()
    """Columns of too many values."""
    extra_files: int = 0
    """Media beside the outputs that no item names."""
    first_extra_files: tuple[str, ...] = ()
    error: str | None = None
    """Why the run shows nothing: no item is valid."""


def summarise(
    record: RunRecord,
    results: Iterable[ItemResult],
    columns: Sequence[str] = (),
    *,
    extra: int = 0,
    first_extra: Sequence[str] = (),
) -> RunSummary:
    """Sum up the results of a run.

    Args:
        record: of the run.
        results: every item's.
        columns: by which items are grouped; those without a value are a group too.
        extra: media files that no item names.
        first_extra: some of them.
    """
    about = _Scorers(record)
    total = _Sums()
    groups: dict[str, dict[str | None, _Sums]] = {column: {} for column in columns}
    left_out: list[str] = []
    for result in results:
        total.add(result, about)
        for column, values in list(groups.items()):
            values.setdefault(result.group(column), _Sums()).add(result, about)
            if len(values) > MOST_GROUPS:
                left_out.append(column)
                del groups[column]
    tally = total.tally(about)
    return RunSummary(
        manifest=record.manifest,
        shard=record.shard,
        validator=f"{record.validator.id} {record.validator.digest}",
        total=tally,
        groups=tuple(
            Group(column=column, value=value, tally=sums.tally(about))
            for column, values in groups.items()
            for value, sums in sorted(values.items(), key=lambda pair: (pair[0] is None, pair[0] or ""))
        ),
        groups_left_out=tuple(sorted(left_out)),
        extra_files=extra,
        first_extra_files=tuple(first_extra),
        # A shard may be empty: its run is a part of one.
        error=None if tally.valid or not tally.expected else f"none of {tally.expected} items is valid",
    )


class _Scorers:
    """What is known of the scorers of a run before their values are seen."""

    def __init__(self, record: RunRecord) -> None:
        from mediacheck.scoring.registry import scorer_type

        self.identities: dict[str, Identity] = {identity.digest: identity for identity in record.scorers}
        self.in_languages = {identity.scorer for identity in record.scorers if identity.language is not None}
        self.language = next((tag.value for tag in record.options if tag.key == "language"), None)
        self.infos = {identity.scorer: scorer_type(identity.scorer).info for identity in record.scorers}

    def language_of(self, scorer: str, result: ItemResult) -> str | None:
        """The language that the item's value of this scorer depends on."""
        return (result.group("language") or self.language) if scorer in self.in_languages else None


@dataclass
class _Values:
    """The values of one metric."""

    expected: int = 0
    values: array[float] = field(default_factory=lambda: array("d"))
    errors: array[float] = field(default_factory=lambda: array("d"))
    lengths: array[float] = field(default_factory=lambda: array("d"))
    counts: ErrorCounts | None = None
    same: array[float] = field(default_factory=lambda: array("d"))
    other: array[float] = field(default_factory=lambda: array("d"))
    worst: list[tuple[float, int, str]] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    identities: set[str] = field(default_factory=set)

    def add(self, id: str, score: Value | NotMeasured, higher_is_better: bool | None) -> None:
        self.expected += 1
        if isinstance(score, NotMeasured):
            self.reasons[score.reason] += 1
            return
        self.values.append(score.value)
        self.identities.add(score.identity)
        if score.counts is not None:
            self.counts = score.counts if self.counts is None else self.counts + score.counts
            # An item in which nothing was to be said and nothing was heard adds no word and no error.
            if score.counts.reference:
                self.errors.append(score.counts.errors)
                self.lengths.append(score.counts.reference)
        if score.control is not None:
            self.same.append(score.value)
            self.other.append(score.control)
        if higher_is_better is not None:
            badness = -score.value if higher_is_better else score.value
            # Of equal ones the first stay.
            entry = (badness, -len(self.values), id)
            (heapq.heappush if len(self.worst) < WORST else heapq.heappushpop)(self.worst, entry)

    def metric(self, scorer: str, language: str | None, about: _Scorers) -> Metric:
        from msgspec.structs import replace

        info = about.infos[scorer]
        n = len(self.values)
        common = Metric(
            scorer=scorer,
            language=language,
            unit=info.unit,
            expected=self.expected,
            n=n,
            coverage=f"{n}/{self.expected}",
            not_measured=_counts(self.reasons),
        )
        if not n:
            return replace(common, error=f"none of {self.expected} items has a value")
        if len(self.identities) > 1:
            return replace(common, error="the values are of different identities, and no figure can be made of them")
        # numpy, for the draws.
        from mediacheck.scoring import bootstrap

        (identity,) = self.identities
        known = about.identities.get(identity)
        sign = -1.0 if info.higher_is_better else 1.0
        return replace(
            common,
            mean=bootstrap.mean(self.values),
            median=bootstrap.quantile(self.values, 0.5),
            p5=bootstrap.quantile(self.values, 0.05),
            p95=bootstrap.quantile(self.values, 0.95),
            corpus=bootstrap.ratio(self.errors, self.lengths) if self.lengths else None,
            counts=self.counts,
            headline="mean" if not self.lengths else "corpus" if known is None else headline_of(known),
            same=bootstrap.mean(self.same) if self.same else None,
            other=bootstrap.mean(self.other) if self.other else None,
            worst=tuple(
                Extreme(id=id, value=sign * badness + 0.0) for badness, _, id in sorted(self.worst, reverse=True)
            ),
            identity=identity,
        )


@dataclass
class _Sums:
    expected: int = 0
    present: int = 0
    scored: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    checks: Counter[str] = field(default_factory=Counter)
    metrics: dict[tuple[str, str | None], _Values] = field(default_factory=dict)

    def add(self, result: ItemResult, about: _Scorers) -> None:
        self.expected += 1
        self.present += result.status not in ("missing", "malformed")
        self.statuses[result.status] += 1
        if result.verdict is not None:
            self.verdicts[result.verdict] += 1
        failed = {f.check for f in result.findings if f.outcome == "fail" and f.severity == "error"}
        self.checks.update(failed)
        self.scored += bool(result.scores) and all(isinstance(score, Value) for score in result.scores)
        for score in result.scores:
            key = (score.scorer, about.language_of(score.scorer, result))
            info = about.infos[score.scorer]
            self.metrics.setdefault(key, _Values()).add(result.id, score, info.higher_is_better)

    def tally(self, about: _Scorers) -> Tally:
        order = {scorer: place for place, scorer in enumerate(about.infos)}
        keys = sorted(self.metrics, key=lambda key: (order[key[0]], key[1] or ""))
        return Tally(
            expected=self.expected,
            present=self.present,
            valid=self.verdicts["pass"],
            failed=self.verdicts["fail"],
            inconclusive=self.verdicts["inconclusive"],
            scored=self.scored,
            coverage=f"{self.verdicts['pass']}/{self.expected}",
            by_status=_counts(self.statuses),
            by_check=_counts(self.checks),
            metrics=tuple(self.metrics[key].metric(*key, about) for key in keys),
        )


def _counts(counter: Counter[str]) -> tuple[Count, ...]:
    ordered = sorted(counter.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(Count(name=name, items=items) for name, items in ordered)
