"""The recorded findings of every validator that comes with mediacheck, and its LOCK."""

from __future__ import annotations

import pytest

from mediacheck.serialise import from_json
from mediacheck.validators import list_validators, load_validator, validator_ids
from mediacheck.validators_lock import load_record_set, verify
from tests.frozen.record import FOLDER, H3, Findings, findings_of, records


@pytest.mark.parametrize("id", validator_ids())
def test_recorded_facts_are_found_as_they_were(id: str) -> None:
    recorded = from_json((FOLDER / "1" / "findings" / f"{id}.json").read_bytes(), Findings)
    now = findings_of(load_validator(id), load_record_set(FOLDER, 1))
    for was, found in zip(recorded.records, now.records, strict=True):
        assert found == was


def test_frozen_validators_are_as_they_were_frozen() -> None:
    found = verify(records=FOLDER)
    assert found.problems == ()
    assert found.not_replayed is None


def test_every_check_fails_on_some_record_and_passes_on_another() -> None:
    """A digest over findings that are all alike would not see a change."""
    seen: dict[str, set[str]] = {}
    for validator in list_validators():
        for one in findings_of(validator, load_record_set(FOLDER, 1)).records:
            for finding in one.findings:
                seen.setdefault(finding.check, set()).add(finding.outcome)
    assert {check for check, outcomes in seen.items() if not {"pass", "fail"} <= outcomes} == set()


def test_the_story_is_on_record() -> None:
    outcomes = {}
    for id in ("v1", "v2"):
        found = findings_of(load_validator(id), load_record_set(FOLDER, 1))
        story = next(one for one in found.records if one.record == "story")
        outcomes[id] = {finding.check: finding.outcome for finding in story.findings}
    assert outcomes["v1"]["duration.av_match"] == "fail"
    assert outcomes["v2"]["duration.contract"] == "pass"
    assert "fail" not in outcomes["v2"].values()


def test_records_are_those_of_the_script() -> None:
    names = {record.name for record in records()}
    assert names == {path.stem for path in (FOLDER / "1").glob("*.json")}
    assert (FOLDER / "1" / H3).is_file()
