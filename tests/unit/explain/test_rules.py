"""The texts of a gate's rules: every name has one, and its example is what is printed today."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from msgspec.structs import replace

from mediacheck.errors import InstallationError, UsageError
from mediacheck.explain import (
    ExplainError,
    Explanation,
    bounds,
    entries,
    find,
    groups,
    metrics,
    policies,
    requirements,
    statistics,
)
from mediacheck.explain.entries import Entry
from mediacheck.gate.metrics import find_metric, metric_names
from mediacheck.gate.policy import BOUNDS, Approval, Evidence, Policy, Requires, Rule, parse_policy
from mediacheck.report import gate
from mediacheck.scoring import registry
from mediacheck.scoring.registry import BUILT_IN, scorer_type
from mediacheck.verdict import Outcome
from tests.unit.explain.rule_cases import CASES, ENTRIES, INTELLIGIBLE, TEXTS, cut_run, other_model, shown, unapproved
from tests.unit.explain.rule_runs import OTHER, changed, decided, other_package, report, speech
from tests.unit.gate.factory import policy, policy_text

KINDS = (metrics.KIND, bounds.KIND, statistics.KIND, requirements.KIND, policies.KIND)
FILES = sorted(TEXTS.rglob("*.md"))
LISTED = [name for kind in KINDS for name in kind.names()]
# Members of families whose example is filled in; of percentiles it is always that of one.
MEMBERS = [name for entry in ENTRIES if entry.name != "pN" for name in entry.members]
PLACEHOLDERS = re.compile(r"\b(CHECK|SCORER|PART|UNIT|UNITS|Units|STATUS|VERDICT|SIDE|STANDARD|BAND|pN|N)\b")


def test_every_entry_has_a_text_and_a_case_and_every_text_an_entry() -> None:
    files = {path.relative_to(TEXTS).with_suffix("").as_posix() for path in FILES}
    assert files == {entry.file for entry in ENTRIES} == set(CASES)


def test_every_metric_bound_and_statistic_is_explained() -> None:
    for name in (*metric_names(), *BOUNDS):
        assert find(name).name == name
    allowed = {one for name in metric_names() for one in find_metric(name).statistics} - {"p1…p99"}
    assert {find(name).kind for name in (*allowed, "p1", "p50", "p99")} == {"statistic"}


def test_every_key_of_a_policy_is_explained() -> None:
    keys = [*Policy.__struct_fields__, *Requires.__struct_fields__, *Rule.__struct_fields__]
    keys += [f"approval.{key}" for key in Approval.__struct_fields__]
    keys += [f"evidence.{key}" for key in Evidence.__struct_fields__]
    # Where a rule has a key of the same name, that is meant.
    keys += [key for kind in (Approval, Evidence) for key in kind.__struct_fields__]
    for key in keys:
        told = find(key)
        word = key.rpartition(".")[2]
        in_text = any(f"`{shown}`" in told.what for shown in (word, f"[{word}]", f"[[{word}]]"))
        assert told.name == key or in_text, key


def test_every_outcome_and_requirement_that_is_printed_is_explained() -> None:
    for outcome in get_args(Outcome):
        assert f"`{outcome}`" in find(outcome).what
    base = speech("wer", 0.05, 1)
    asked = policy(INTELLIGIBLE, head='requires = { validator = "v2" }')
    made = decided(asked, base, speech("wer", 0.05, 2))
    assert len(made.requirements) == 7
    for requirement in made.requirements:
        assert find(requirement.id).name == requirement.id


@pytest.mark.parametrize("name", [*LISTED, *MEMBERS])
def test_the_example_is_what_is_printed(name: str) -> None:
    found, example = shown(name), find(name).example
    assert found.printed
    assert (example.policy, example.printed) == (found.policy, found.printed)


@pytest.mark.parametrize("name", [*LISTED, *MEMBERS])
def test_the_rule_of_an_example_is_one_that_a_policy_may_have(name: str) -> None:
    with other_package():
        example = find(name).example
        if not example.policy.startswith("[[rules]]") or example.printed.startswith("mediacheck: "):
            return
        asked = parse_policy(f"{policy_text()}\n{example.policy}".encode(), name)
    assert asked.rules
    for one in asked.rules:
        assert f"  {one.id}: {one.statistic} of {one.metric}: " in example.printed


def blocks(told: Explanation) -> tuple[str, str]:
    return told.example.policy, told.example.printed


@pytest.mark.parametrize("name", [*MEMBERS, *BUILT_IN, "p5"])
def test_nothing_is_left_to_fill_in(name: str) -> None:
    told = find(name)
    for part in (told.title, told.what, told.why, told.how, told.fix, told.example.situation, *blocks(told)):
        # Of a finding's check, what to type stands in the text.
        assert not PLACEHOLDERS.findall(part.replace("`mediacheck explain CHECK`", "")), part


@pytest.mark.parametrize("id", BUILT_IN)
def test_a_scorer_and_its_text_have_one_title(id: str) -> None:
    info, told = scorer_type(id).info, find(id)
    assert told.title == info.summary
    said = {one.name: one.value for one in told.properties}
    assert said["unit"] == info.unit
    assert said["computed from"].removeprefix("the file").strip(", ") == ", ".join(info.needs)
    assert (info.extra or "nothing more") in said["install"]


def test_properties_are_what_the_code_says() -> None:
    def said(name: str) -> dict[str, str]:
        return {one.name: one.value for one in find(name).properties}

    assert said("validity_rate")["unit"] == "fraction (rate), items (count)"
    assert (said("si_sdr")["range"], said("si_sdr")["worst case"]) == ("no bounds", "none: a rule states it")
    assert (said("wer")["range"], said("speaker")["range"]) == ("0 and above", "-1 to 1")
    assert said("findings:audio.silent")["the check"].startswith(find("audio.silent").title)
    assert said("corpus")["of"] == "error rates and their parts"
    assert said("each")["speaks of"] == "the items of this run"
    assert said("max_ratio") == {"limits": "from above", "compares with": "a baseline, item by item", "unit": "ratio"}
    assert said("at_least")["compares with"] == "nothing"
    assert said("seed")["default"] == str(Rule.__struct_defaults__[-1])
    assert said("confidence")["default"] == "0.95"
    assert said("same_scorers")["by default"] == "required"
    assert said("validator")["by default"] == "not required"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_lines_are_no_longer_than_elsewhere(path: Path) -> None:
    prose = re.sub(r"(?s)```\w+\n.*?\n```", "", path.read_text(encoding="utf-8"))
    assert max(map(len, prose.splitlines())) <= 120


@pytest.mark.parametrize("name", LISTED)
def test_titles_are_sentences_of_one_line(name: str) -> None:
    title = find(name).title
    assert title.endswith((".", ")."))
    assert len(title) <= 100


def test_a_scorer_of_another_package_is_explained_where_it_is_installed() -> None:
    with other_package():
        told = find(OTHER)
        assert told.name == OTHER
        assert OTHER in told.title
        assert ("says", "What my scorer says.") in [(one.name, one.value) for one in told.properties]
        assert find(f"coverage:{OTHER}").name == f"coverage:{OTHER}"
        assert OTHER not in [one.name for group in groups() for one in group.explanations]
    with pytest.raises(ExplainError, match=OTHER):
        find(OTHER)


class _Broken:
    name, value = "broken", "no_such_package:Scorer"

    def load(self) -> None:
        raise ImportError("no_such_package")


def test_a_broken_package_is_named_and_spoils_no_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "offers", lambda: (_Broken(),))
    assert groups()
    assert find("wer").name == "wer"
    with pytest.raises(UsageError, match="no_such_package:Scorer cannot be imported"):
        find("broken")


def test_a_missing_text_is_a_broken_installation() -> None:
    with pytest.raises(InstallationError, match=r"text bounds/none\.md is missing; install"):
        entries.explained("none", "bound", [Entry("bounds/none", "none")])


def test_a_report_names_what_did_not_pass_and_each_name_is_explained() -> None:
    assert gate.explained(other_model()) == ("same_scorers", "wer")
    assert gate.explained(unapproved()) == ("approval", "wer")
    lost = decided(policy(INTELLIGIBLE), speech("wer", 0.05, 2)[:-3], speech("wer", 0.05, 1))
    for made in (other_model(), unapproved(), lost):
        assert "'mediacheck explain NAME' tells more: " in gate.render(made)
        for name in gate.explained(made):
            assert find(name).name == name


def test_a_report_of_what_passed_does_not() -> None:
    run = changed(speech("wer", 0.03, 2), 0)
    made = decided(policy(INTELLIGIBLE), run, speech("wer", 0.05, 1))
    assert made.verdict == "pass"
    assert gate.explained(made) == ()
    assert "mediacheck explain" not in gate.render(made)


def test_a_long_report_names_the_first_six() -> None:
    (one,) = other_model().rules
    made = replace(other_model(), rules=tuple(replace(one, metric=f"metric-{number}") for number in range(9)))
    assert len(gate.explained(made)) == 6


def test_cases_of_both_sides_differ() -> None:
    assert "the baseline has results of 197 items" in cut_run("whole:baseline").printed
    assert report(other_model()).printed.count("same_scorers") == 1
