"""The numbers of a run: its results, read once, line by line."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from mediacheck.api import printable_name
from mediacheck.batch.record import RECORD, RunRecord, read_record
from mediacheck.batch.results import RESULTS, ItemResult, read_results
from mediacheck.errors import ValidatorError
from mediacheck.gate.decision import RunIdentity
from mediacheck.gate.metrics import Metric, Reading, RunContext

_GREATEST: Final = 1e100
"""Numbers beyond it overflow when they are squared; written so that NaN is none either."""
WITHOUT_GROUP: Final = "(none)"


@dataclass
class Series:
    """One metric over the items of a run."""

    metric: Metric
    readings: dict[str, Reading] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    """Why an item has no number."""
    not_run: str | None = None
    """Why no item of this run can have one."""


@dataclass(frozen=True)
class GateRun:
    """What a gate takes from a run folder."""

    identity: RunIdentity
    record: RunRecord
    ids: tuple[str, ...]
    """In the manifest's order; an id that stands there twice has ``#2`` behind it."""
    duplicates: tuple[str, ...]
    groups: dict[str, dict[str, str]]
    """Column -> id -> value."""
    series: dict[str, Series]

    def group_of(self, column: str, id: str) -> str:
        return self.groups[column].get(id, WITHOUT_GROUP)


def load_run(
    run: Path, metrics: Sequence[Metric], columns: Sequence[str] = (), *, validator: str | None = None
) -> GateRun:
    """Read a finished run.

    Args:
        run: its folder.
        metrics: what to take from each item.
        columns: group columns to keep.
        validator: id or path of the run's validator, where it is one of the user's own.

    Raises:
        RunError: the folder is no run, or has no results, or they are malformed.
    """
    record = read_record(run)
    context = RunContext(record, _checks(record, validator))
    series = {metric.name: Series(metric, not_run=metric.was_run(context)) for metric in metrics}
    groups: dict[str, dict[str, str]] = {column: {} for column in columns}
    ids: dict[str, None] = {}
    duplicates: list[str] = []
    valid = 0
    for item in read_results(run):
        id = item.id
        if id in ids:
            duplicates.append(id)
            number = 2
            while f"{id}#{number}" in ids:
                number += 1
            id = f"{id}#{number}"
        ids[id] = None
        valid += item.verdict == "pass"
        for column in columns:
            value = item.group(column)
            if value is not None:
                groups[column][id] = value
        for own in series.values():
            _take(own, id, item, context)
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
    return GateRun(identity, record, tuple(ids), tuple(duplicates), groups, series)


def _take(series: Series, id: str, item: ItemResult, context: RunContext) -> None:
    found = series.not_run or series.metric.read(item, context)
    if isinstance(found, str):
        series.absent[id] = found
    elif not all(abs(number) < _GREATEST for number in (found.value, found.numerator, found.denominator)):
        series.absent[id] = "its number is not finite"
    else:
        series.readings[id] = found


def _checks(record: RunRecord, validator: str | None) -> frozenset[str] | None:
    """Ids of the checks that the run's validator makes; None where none of its digest is here."""
    from mediacheck.validators import load_validator

    try:
        found = load_validator(validator or record.validator.id)
    except ValidatorError:
        if validator is not None:
            raise
        return None
    if found.digest != record.validator.digest:
        return None
    return frozenset(check.definition.id for check in found.checks)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
