"""The published JSON Schemas, made from the types: ``python -m mediacheck.schema FOLDER`` writes them."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec

from mediacheck.batch.record import RUN_SCHEMA, RunRecord
from mediacheck.batch.results import RESULT_SCHEMA, ItemResult
from mediacheck.batch.summary import SUMMARY_SCHEMA, RunSummary
from mediacheck.facts import FACTS_SCHEMA, MediaFacts
from mediacheck.facts_file import FACTS_LIST_SCHEMA, FactsList
from mediacheck.gate.calibration import CALIBRATION_SCHEMA, Calibration
from mediacheck.gate.decision import GATE_SCHEMA, Decision
from mediacheck.scoring.score import SCORES_LIST_SCHEMA, SCORES_SCHEMA, Scores, ScoresList
from mediacheck.verdict import REPORT_SCHEMA, REPORTS_SCHEMA, Report, Reports

FRACTION_PATTERN = r"^-?\d+/\d+$"

DOCUMENTS: dict[str, type] = {
    FACTS_SCHEMA: MediaFacts,
    FACTS_LIST_SCHEMA: FactsList,
    REPORT_SCHEMA: Report,
    REPORTS_SCHEMA: Reports,
    SCORES_SCHEMA: Scores,
    SCORES_LIST_SCHEMA: ScoresList,
    RUN_SCHEMA: RunRecord,
    RESULT_SCHEMA: ItemResult,
    SUMMARY_SCHEMA: RunSummary,
    GATE_SCHEMA: Decision,
    CALIBRATION_SCHEMA: Calibration,
}


def schema_of(kind: type) -> dict[str, Any]:
    """JSON Schema (2020-12) of one of our documents."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **msgspec.json.schema(kind, schema_hook=_hook),
    }


def file_name(document: str) -> str:
    """``mediacheck.report/1`` is published as ``mediacheck.report-1.json``."""
    return document.replace("/", "-") + ".json"


def schema_bytes(kind: type) -> bytes:
    """The schema as it is published."""
    return msgspec.json.format(msgspec.json.encode(schema_of(kind), order="deterministic"), indent=2) + b"\n"


def write_schemas(folder: Path) -> list[Path]:
    """Write every schema into ``folder`` and return what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for document, kind in DOCUMENTS.items():
        path = folder / file_name(document)
        path.write_bytes(schema_bytes(kind))
        written.append(path)
    return written


def _hook(kind: type) -> dict[str, Any]:
    if kind is Fraction:
        return {"type": "string", "pattern": FRACTION_PATTERN}
    raise NotImplementedError


if __name__ == "__main__":
    write_schemas(Path(sys.argv[1]))
