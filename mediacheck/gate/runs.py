"""The numbers of a run: its results, read once, line by line."""

from __future__ import annotations

import hashlib
import math
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from mediacheck.api import printable_name
from mediacheck.batch.errors import RunError
from mediacheck.batch.record import RECORD, RunRecord, read_record
from mediacheck.batch.results import RESULTS, ItemResult, Value, read_results
from mediacheck.errors import ValidatorError
from mediacheck.gate.decision import RunIdentity
from mediacheck.gate.items import Places
from mediacheck.gate.metrics import Metric, RunContext

Floats: TypeAlias = npt.NDArray[np.float64]

_GREATEST: Final = 1e100
"""Numbers beyond it overflow when they are squared; written so that NaN is none either."""


@dataclass(frozen=True, eq=False)
class Numbers:
    """Of items, in order: their values, and of rates by what these are made."""

    value: Floats
    over: Floats
    under: Floats


@dataclass(frozen=True, eq=False)
class Series:
    """One metric over the items of a run, in the run's order: columns, since a run may have a million items."""

    metric: Metric
    value: Floats
    """NaN: the item has no number."""
    over: Floats
    """Numerators; the values themselves where the metric has no counts."""
    under: Floats
    """Denominators, likewise 1."""
    absent: Mapping[int, str] = field(default_factory=dict)
    """Why an item has no number, by its place."""
    not_run: str | None = None
    """Why no item of this run can have one."""

    def has(self, places: Places) -> npt.NDArray[np.bool_]:
        """Whether each of these items has the number; one that is not in the run (-1) has none."""
        if not len(self.value):
            return np.zeros(len(places), bool)
        return np.asarray((places >= 0) & ~np.isnan(self.value[places]))

    def take(self, places: Places) -> Numbers:
        return Numbers(self.value[places], self.over[places], self.under[places])

    def why(self, place: int) -> str | None:
        """Why the item at this place has no number; None: it is not in the run."""
        return None if place < 0 else self.not_run or self.absent[place]


@dataclass(frozen=True, eq=False)
class GateRun:
    """What a gate takes from a run folder."""

    identity: RunIdentity
    record: RunRecord
    ids: Sequence[str]
    """In the manifest's order; an id that stands there twice has ``#2`` behind it."""
    duplicates: tuple[str, ...]
    groups: dict[str, Sequence[str | None]]
    """Column -> value of each item."""
    series: dict[str, Series]


def load_run(
    run: Path,
    metrics: Sequence[Metric],
    columns: Sequence[str] = (),
    *,
    validator: str | None = None,
    like: GateRun | None = None,
) -> GateRun:
    """Read a finished run.

    Args:
        run: its folder.
        metrics: what to take from each item.
        columns: group columns to keep.
        validator: id or path of the run's validator, where it is one of the user's own.
        like: a run that likely has the same ids, which are then kept once for both.

    Raises:
        RunError: the folder is no run, or has no results, or they are malformed.
    """
    record = read_record(run)
    context = RunContext(record, _checks(record, validator))
    readers = [_Reader(metric) for metric in metrics if metric.was_run(context) is None]
    groups: dict[str, list[str | None]] = {column: [] for column in columns}
    known = () if like is None else like.ids
    ids: dict[str, None] = {}
    duplicates: list[str] = []
    valid = 0
    for place, item in enumerate(own_results(run, record)):
        id = item.id
        if place < len(known) and known[place] == id:
            id = known[place]
        if id in ids:
            duplicates.append(id)
            number = 2
            while f"{id}#{number}" in ids:
                number += 1
            id = f"{id}#{number}"
        ids[id] = None
        valid += item.verdict == "pass"
        for column, found in groups.items():
            value = item.group(column)
            found.append(None if value is None else sys.intern(value))
        for reader in readers:
            reader.take(place, item, context)
    identity = RunIdentity(
        name=printable_name(run.resolve().name),
        record=_digest(run / RECORD),
        results=_digest(run / RESULTS),
        items=record.manifest.items,
        present=len(ids),
        valid=valid,
        asked=record.manifest.asked,
        validator=record.validator.id,
        validator_digest=record.validator.digest,
        source_revision=record.source_revision,
        model_revision=record.model_revision,
    )
    series = {reader.metric.name: reader.series() for reader in readers}
    nothing = np.broadcast_to(np.float64(np.nan), len(ids))
    for metric in metrics:
        if metric.name not in series:
            series[metric.name] = Series(metric, nothing, nothing, nothing, not_run=metric.was_run(context))
    order = known if tuple(ids) == known else tuple(ids)
    return GateRun(identity, record, order, tuple(duplicates), dict(groups), series)


class _Reader:
    """One metric, item by item."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self._value, self._over, self._under = array("d"), array("d"), array("d")
        self._absent: dict[int, str] = {}
        self._counted = metric.kind == "counted"

    def take(self, place: int, item: ItemResult, context: RunContext) -> None:
        found = self.metric.read(item, context)
        if not isinstance(found, str):
            value, over, under = found.value, found.numerator, found.denominator
            if abs(value) < _GREATEST and abs(over) < _GREATEST and abs(under) < _GREATEST:
                self._value.append(value)
                if self._counted:
                    self._over.append(over)
                    self._under.append(under)
                return
            found = "its number is not finite"
        self._absent[place] = found
        self._value.append(math.nan)
        if self._counted:
            self._over.append(math.nan)
            self._under.append(math.nan)

    def series(self) -> Series:
        value = np.array(self._value)
        if not self._counted:
            return Series(self.metric, value, value, np.broadcast_to(np.float64(1.0), len(value)), self._absent)
        return Series(self.metric, value, np.array(self._over), np.array(self._under), self._absent)


def _checks(record: RunRecord, validator: str | None) -> frozenset[str] | None:
    """Ids of the checks that the run's validator makes; None where none of its digest is here."""
    from mediacheck.validators import load_validator

    found = None if validator is None else load_validator(validator)
    if found is None or found.digest != record.validator.digest:
        try:
            found = load_validator(record.validator.id)
        except ValidatorError:
            return None
    if found.digest != record.validator.digest:
        return None
    return frozenset(check.definition.id for check in found.checks)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def own_results(run: Path, record: RunRecord) -> Iterator[ItemResult]:
    """The results of a run, each score by one of the scorers in its record.

    Raises:
        RunError: they are malformed, or lie beside the record of another run, whose scorers would be taken for theirs.
    """
    scorers = {identity.digest: (identity.scorer, identity.unit) for identity in record.scorers}
    for item in read_results(run):
        seen = set()
        for score in item.scores:
            if score.scorer in seen:
                raise RunError(f"{run / RESULTS}: {item.id} has two scores by {score.scorer}; make the run anew")
            seen.add(score.scorer)
            if isinstance(score, Value) and scorers.get(score.identity) != (score.scorer, score.unit):
                raise RunError(
                    f"{run / RESULTS}: the {score.scorer} of {item.id} was computed by {score.identity}, which is none "
                    f"of the scorers in {RECORD}; take both files from one run"
                )
        yield item
