"""What a ledger amounts to, item by item: ``results.jsonl`` and ``results.parquet``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from mediacheck import serialise
from mediacheck.batch.item import Item
from mediacheck.batch.ledger import Attempt, Ledger
from mediacheck.batch.results import DECIMALS, RESULTS, ItemResult, Status, Value
from mediacheck.batch.tasks import Scored, Validated
from mediacheck.scoring.score import Measured, NotMeasured, Score, ScoredFile
from mediacheck.verdict import Verdict

PARQUET: Final = "results.parquet"
REFERENCES: Final = 1000
"""That are kept in memory: there may be one for each item."""
_ROWS_AT_A_TIME = 2000


def results_of(ledger: Ledger) -> Iterator[ItemResult]:
    """The result of every item, in the manifest's order."""
    reference = lru_cache(maxsize=REFERENCES)(partial(_reference, ledger))
    for item in ledger.items():
        held = tuple(file for name in item.entry.references if (file := reference(name)) is not None)
        yield _result(ledger, item, held)


def write_results(run: Path, ledger: Ledger) -> tuple[str, ...]:
    """Write ``results.jsonl``: the same bytes however often the run was interrupted, ``attempts`` apart.

    Returns:
        The columns by which some item is grouped, sorted.

    Raises:
        OSError: the system refuses.
    """
    columns: set[str] = set()
    with serialise.written_atomically(run / RESULTS) as lines:
        for result in results_of(ledger):
            columns.update(tag.key for tag in result.groups)
            lines.write(serialise.to_compact_json(result) + b"\n")
    return tuple(sorted(columns))


def can_write_parquet() -> bool:
    """Whether pyarrow is installed."""
    return find_spec("pyarrow") is not None


def write_parquet(run: Path, results: Iterator[ItemResult], scorers: tuple[str, ...], groups: tuple[str, ...]) -> None:
    """Write ``results.parquet``: a row for each item, a column for each scorer and group.

    Args:
        run: folder.
        results: in the manifest's order.
        scorers: ids.
        groups: keys of the groups.

    Raises:
        OSError: the system refuses.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    text, number, whole = pa.string(), pa.float64(), pa.int64()
    fields = [
        ("id", text), ("media", text), ("status", text), ("verdict", text), ("reason", text), ("bytes", whole),
        ("sha256", text), ("duration_s", number), ("failed", pa.list_(text)), ("inconclusive", pa.list_(text)),
        ("attempts", whole),
    ]  # fmt: skip
    fields += [(f"group.{key}", text) for key in groups]
    for scorer in scorers:
        fields += [
            (f"{scorer}", number), (f"{scorer}.errors", whole), (f"{scorer}.reference", whole),
            (f"{scorer}.not_measured", text),
        ]  # fmt: skip
    schema = pa.schema(fields)
    with serialise.written_atomically(run / PARQUET) as file, pq.ParquetWriter(file, schema) as writer:
        rows: list[dict[str, Any]] = []
        for result in results:
            rows.append(_row(result, scorers, groups))
            if len(rows) == _ROWS_AT_A_TIME:
                writer.write_table(pa.Table.from_pylist(rows, schema))
                rows = []
        writer.write_table(pa.Table.from_pylist(rows, schema))


def _row(result: ItemResult, scorers: tuple[str, ...], groups: tuple[str, ...]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": result.id,
        "media": result.media,
        "status": result.status,
        "verdict": result.verdict,
        "reason": result.reason,
        "bytes": result.bytes,
        "sha256": result.sha256,
        "duration_s": None if result.duration is None else float(result.duration),
        "failed": [f.check for f in result.findings if f.outcome == "fail" and f.severity == "error"],
        "inconclusive": [f.check for f in result.findings if f.outcome == "inconclusive"],
        "attempts": result.attempts,
    }
    row |= {f"group.{key}": result.group(key) for key in groups}
    for score in result.scores:
        if isinstance(score, NotMeasured):
            row[f"{score.scorer}.not_measured"] = score.reason
            continue
        row[score.scorer] = score.value
        if score.counts is not None:
            row[f"{score.scorer}.errors"] = score.counts.errors
            row[f"{score.scorer}.reference"] = score.counts.reference
    return row


def _result(ledger: Ledger, item: Item, references: tuple[ScoredFile, ...]) -> ItemResult:
    entry = item.entry
    tried = ledger.latest("validate", item.position)
    assert tried is not None, "results are written when every item was tried"
    scored = ledger.latest("score", item.position)
    validated = None if tried.result is None else serialise.from_json(tried.result, Validated)
    scores = () if scored is None or scored.result is None else serialise.from_json(scored.result, Scored).scores
    attempts = max(ledger.attempts("validate", item.position), ledger.attempts("score", item.position))
    return ItemResult(
        id=entry.id,
        media=entry.media,
        where=item.where or None,
        bytes=None if validated is None else validated.file.bytes,
        sha256=None if validated is None else validated.file.sha256,
        status=_status(tried),
        reason=tried.reason,
        verdict=None if validated is None else _verdict(validated),
        duration=None if validated is None else validated.duration,
        findings=() if validated is None else validated.findings,
        scores=tuple(map(_value, scores)),
        references=references,
        groups=entry.groups,
        attempts=attempts,
    )


def _status(attempt: Attempt) -> Status:
    assert attempt.status != "scored" and attempt.status != "unsettled", "the first stage scores nothing"  # noqa: PT018
    return attempt.status


def _verdict(validated: Validated) -> Verdict:
    verdict = validated.validation.verdict
    assert verdict != "unreadable", "only what can be read is judged"
    return verdict


def _reference(ledger: Ledger, name: str) -> ScoredFile | None:
    known = ledger.reference_named(name)
    if known is None:
        return None
    attempt = ledger.latest("reference", known[0])
    if attempt is None or attempt.result is None:
        return ScoredFile(name=name, bytes=None, sha256=None)
    return serialise.from_json(attempt.result, Validated).file


def _value(score: Score) -> Value | NotMeasured:
    if not isinstance(score, Measured):
        return score
    return Value(
        scorer=score.scorer,
        value=_rounded(score.value),
        unit=score.unit,
        counts=score.counts,
        hypothesis=score.hypothesis,
        control=None if score.control is None else _rounded(score.control),
        remark=score.remark,
        identity=score.identity.digest,
    )


def _rounded(value: float) -> float:
    # Adding zero makes 0.0 of -0.0.
    return round(value, DECIMALS) + 0.0
