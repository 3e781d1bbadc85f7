from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from mediacheck import schema, serialise
from mediacheck.facts_file import FactsList
from mediacheck.verdict import Reports
from tests.unit.report.samples import FAILED, PASSED, WARNED, facts, report

PUBLISHED = Path(__file__).parents[2] / "docs" / "schemas"


@pytest.mark.parametrize("document", schema.DOCUMENTS)
def test_published_schemas_are_up_to_date(document: str) -> None:
    path = PUBLISHED / schema.file_name(document)
    assert path.read_bytes() == schema.schema_bytes(schema.DOCUMENTS[document]), "run 'make schemas'"


def test_nothing_else_is_published() -> None:
    assert {path.name for path in PUBLISHED.iterdir()} == {schema.file_name(name) for name in schema.DOCUMENTS}


def validator(kind: type) -> jsonschema.Draft202012Validator:
    made = schema.schema_of(kind)
    jsonschema.Draft202012Validator.check_schema(made)
    return jsonschema.Draft202012Validator(made)


def test_documents_fit_their_schemas() -> None:
    one = report("fail", PASSED, FAILED, WARNED)
    for document in (one, Reports(reports=(one, one)), facts(), FactsList(facts=(facts(),))):
        validator(type(document)).validate(json.loads(serialise.to_json(document)))


@pytest.mark.parametrize("wrong", ["15.075", 15.075, "603/", "a/b", None])
def test_a_time_that_is_no_fraction_does_not_fit(wrong: object) -> None:
    document = json.loads(serialise.to_json(facts()))
    document["streams"][1]["duration"] = wrong
    assert not validator(type(facts())).is_valid(document)


def test_an_unknown_field_does_not_fit() -> None:
    document = json.loads(serialise.to_json(facts()))
    document["streams"][0]["fromes"] = 1
    assert not validator(type(facts())).is_valid(document)
