from __future__ import annotations

import pytest
from msgspec.structs import replace

from mediacheck.gate.errors import PolicyError
from mediacheck.gate.metrics import Reading, RunContext, find_metric, metric_names
from mediacheck.scoring.registry import scorer_ids, scorer_type
from mediacheck.verdict import ValidatorIdentity
from tests.unit.gate.factory import SPEAKER, finding, item, missing, record, unscored, wer

CONTEXT = RunContext(record(1), frozenset({"audio.silent"}))
FINDINGS = (finding("audio.silent"), finding("audio.loudness", "inconclusive"))
INVALID = item("a", wer(1), verdict="fail", findings=FINDINGS)


def read(name: str, result: object) -> Reading | str:
    return find_metric(name).read(result, CONTEXT)  # type: ignore[arg-type]


def test_every_name_is_found_and_states_what_it_is() -> None:
    assert len(set(metric_names())) == len(metric_names())
    for name in metric_names():
        metric = find_metric(name)
        assert metric.name == name
        assert metric.unit
        assert metric.statistics


@pytest.mark.parametrize("id", scorer_ids())
def test_scorers_lend_unit_and_direction(id: str) -> None:
    info, metric = scorer_type(id).info, find_metric(id)
    assert metric.unit == info.unit
    assert metric.better == {True: "higher", False: "lower", None: None}[info.higher_is_better]


def test_validity_counts_every_item_expected() -> None:
    assert read("validity_rate", item("a")) == Reading(1.0, 1.0, 1.0)
    for bad in (INVALID, missing("a"), item("a", verdict="inconclusive")):
        assert read("validity_rate", bad) == Reading(0.0, 0.0, 1.0)
    assert read("verdict:fail", INVALID) == Reading(1.0, 1.0, 1.0)
    assert read("verdict:fail", missing("a")) == Reading(0.0, 0.0, 1.0)


def test_statuses() -> None:
    assert read("status:missing", missing("a")) == read("status:not_judged", missing("a")) == Reading(1.0, 1.0, 1.0)
    assert read("status:crashed", missing("a")) == Reading(0.0, 0.0, 1.0)


def test_findings_are_of_judged_items_and_say_when_they_cannot_tell() -> None:
    assert read("findings:audio.silent", INVALID) == Reading(1.0, 1.0, 1.0)
    assert read("findings:audio.finite", INVALID) == Reading(0.0, 0.0, 1.0)
    assert read("findings:audio.loudness", INVALID) == "the check is inconclusive"
    assert read("findings:audio.silent", missing("a")) == "a.wav is not there"


def test_a_check_that_was_never_made_finds_nothing_and_that_is_no_number() -> None:
    assert find_metric("findings:audio.silent").was_run(CONTEXT) is None
    assert find_metric("findings:audio.finite").was_run(CONTEXT) == "the run's validator v2 does not make audio.finite"
    own = replace(record(1), validator=ValidatorIdentity(id="mine", digest="sha256:1", status="preview"))
    assert "name it by --validator" in (find_metric("findings:audio.silent").was_run(RunContext(own, None)) or "")


def test_error_rates_and_their_parts() -> None:
    score = wer(4, 8, deletions=1, insertions=1)
    assert read("wer", item("a", score)) == Reading(0.5, 4.0, 8.0)
    assert read("wer.substitutions", item("a", score)) == Reading(0.25, 2.0, 8.0)
    assert read("wer.deletions", item("a", score)) == read("wer.insertions", item("a", score))
    assert read("wer", item("a", wer(0, 0))) == read("wer.deletions", item("a", wer(0, 0))) == Reading(0.0, 0.0, 0.0)
    assert read("wer", item("a", unscored("wer", "why"))) == read("wer.deletions", item("a", unscored("wer", "why")))
    assert read("wer", item("a")) == "wer did not run"
    assert read("wer", missing("a")) == "a.wav is not there"
    assert find_metric("speaker").was_run(RunContext(record(1, scorers=(SPEAKER,)), None)) is None
    assert find_metric("wer.deletions").was_run(RunContext(record(1, scorers=(SPEAKER,)), None)) is not None


def test_coverage_is_of_every_item_expected() -> None:
    assert read("coverage:wer", item("a", wer(0))) == Reading(1.0, 1.0, 1.0)
    assert read("coverage:wer", item("a", unscored("wer"))) == read("coverage:wer", missing("a"))


def test_an_unknown_name_is_refused_with_near_ones() -> None:
    with pytest.raises(PolicyError, match=r"did you mean wer\.deletions"):
        find_metric("wer.deletion")
