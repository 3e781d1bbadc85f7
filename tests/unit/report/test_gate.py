"""Every format shows the one decision, and no text of strangers steers a reader."""

from __future__ import annotations

import datetime

import pytest
from msgspec.structs import replace

from mediacheck.gate.decision import (
    Decision,
    Figure,
    Interval,
    Lost,
    PolicyIdentity,
    Requirement,
    RuleResult,
    RunIdentity,
)
from mediacheck.gate.policy import Approval
from mediacheck.report import gate, gate_github, gate_junit, gate_markdown
from mediacheck.verdict import Outcome, Verdict
from tests.junit_rules import checked

RUN = RunIdentity(
    name="run-b", record="sha256:1", results="sha256:2", items=4, present=4, valid=3, asked="sha256:3", validator="v2",
    validator_digest="sha256:4",
)  # fmt: skip
NASTY = "\x1b[35m|<b>@all</b> [x](http://evil)\nnext, 100%: `done`"


def figure(outcome: Outcome, group: str | None = None, **changes: object) -> Figure:
    made = Figure(
        group=group, outcome=outcome, message=f"figure {outcome}", expected=4, n=3, coverage="3/4", candidate=0.1,
        baseline=0.05, measured=0.05, threshold=0.02,
        interval=Interval(low=0.03, high=0.07, confidence=0.95, method="studentised bootstrap", seed=1),
        lost_candidate=1, lost=(Lost(id="u4", side="candidate", reason="not there"),),
    )  # fmt: skip
    return replace(made, **changes)


def rule(outcome: Outcome, *figures: Figure, computed: Outcome | None = None, **changes: object) -> RuleResult:
    made = RuleResult(
        id=f"r-{outcome}", metric="wer", statistic="corpus", bound="max_increase", limit=0.02, unit="errors/word",
        confidence=0.95, by=None, minimum_coverage=1.0, minimum_count=20, outcome=outcome,
        computed=computed or outcome, message=f"said {outcome}", figures=figures or (figure(computed or outcome),),
    )  # fmt: skip
    return replace(made, **changes)


def decision(verdict: Verdict, *rules: RuleResult, **changes: object) -> Decision:
    made = Decision(
        tool="0.1.0",
        policy=PolicyIdentity(id="nightly", digest="sha256:" + "5" * 64, summary=""),
        approval=Approval(by="Ada", date=datetime.date(2026, 11, 30), workload="tts-en"),
        unapproved=None,
        workload="tts-en",
        candidate=RUN,
        baseline=replace(RUN, name="run-a"),
        requirements=(Requirement(id="same_scorers", outcome="pass", message="the same"),),
        rules=rules,
        verdict=verdict,
        message=f"overall {verdict}",
    )
    return replace(made, **changes)


ALL = decision("fail", rule("pass"), rule("fail"), rule("inconclusive"))


def test_text_shows_the_worst_first_with_who_approved() -> None:
    shown = gate.render(ALL)
    words = [shown.index(f"said {outcome}") for outcome in ("fail", "inconclusive", "pass")]
    assert words == sorted(words)
    assert "approved by Ada on 2026-11-30 for tts-en" in shown
    assert "baseline run-a: 4 of 4 items, 3 valid" in shown
    assert "candidate lacks u4: not there" in shown


def test_items_without_a_name_are_not_more_of_those_shown() -> None:
    nameless = gate.render(decision("fail", rule("fail", figure("fail", lost_candidate=55, lost=()))))
    assert "more; --json" not in nameless
    some = gate.render(decision("fail", rule("fail", figure("fail", lost_candidate=55))))
    assert "    and 54 more; --json names the first twenty\n" in some


def test_what_did_not_pass_is_named_once_to_be_explained() -> None:
    unmet = Requirement(id="same_scorers", outcome="inconclusive", message="they differ")
    made = decision("fail", rule("pass", metric="speaker"), rule("fail"), rule("inconclusive"), requirements=(unmet,))
    assert gate.render(made).splitlines()[-1] == "  'mediacheck explain NAME' tells more: same_scorers, wer"
    assert "\n`mediacheck explain NAME` tells more: same\\_scorers, wer.\n" in gate_markdown.render(made)
    good = decision("pass", rule("pass"))
    assert "explain" not in gate.render(good) + gate_markdown.render(good)
    for shown in (gate.render(made), gate_markdown.render(made)):
        assert shown.count("mediacheck explain") == 1


def test_junit_has_an_element_for_each_outcome() -> None:
    absent = Requirement(id="same_validator", outcome="not_applicable", message="there is no baseline")
    root = checked(gate_junit.render(replace(ALL, requirements=(absent,))))
    cases = {case.get("name"): [child.tag for child in case] for case in root.iter("testcase")}
    assert cases == {
        "r-pass: corpus of wer": ["system-out"],
        "r-fail: corpus of wer": ["failure"],
        "r-inconclusive: corpus of wer": ["error"],
        "same_validator": ["skipped"],
    }
    assert [root[0].get(key) for key in ("tests", "failures", "errors", "skipped")] == ["4", "1", "1", "1"]


def test_groups_are_cases_and_rows_of_their_own() -> None:
    grouped = rule("fail", figure("fail", "de"), figure("pass", "en"), by="language")
    root = checked(gate_junit.render(decision("fail", grouped)))
    assert [case.get("name") for case in root.iter("testcase")][:2] == [
        "r-fail: corpus of wer [language=de]",
        "r-fail: corpus of wer [language=en]",
    ]
    assert "| ✅ pass | r-fail, language en |" in gate_markdown.render(decision("fail", grouped))


def test_groups_that_look_alike_in_xml_are_cases_of_their_own() -> None:
    grouped = rule("fail", figure("fail", "a\x01"), figure("pass", "a\x02"), by="language")
    assert checked(gate_junit.render(decision("fail", grouped))).get("tests") == "3"


@pytest.mark.parametrize("computed", ["pass", "fail", "inconclusive"])
def test_what_is_not_approved_decides_nothing_in_any_format(computed: Outcome) -> None:
    groups = (figure(computed, "de"), figure("pass", "en"))
    grouped = rule("inconclusive", *groups, computed=computed, by="language")
    open_ = decision("inconclusive", grouped, unapproved="nobody")
    root = checked(gate_junit.render(open_))
    assert (root.get("failures"), root.get("errors")) == ("0", "2")
    page = gate_markdown.render(open_)
    assert "✅" not in page
    assert "❌" not in page
    assert gate_github.render(open_).count("::warning ") == 2
    assert gate.render(open_).startswith("\x1b[33m\x1b[1mINCONCLUSIVE")


@pytest.mark.parametrize("verdict", ["pass", "fail", "inconclusive"])
def test_every_format_tells_the_verdict(verdict: Verdict) -> None:
    made = decision(verdict, *([rule(verdict)] if verdict == "pass" else []))
    root = checked(gate_junit.render(made))
    counts = {"pass": ("0", "0"), "fail": ("1", "0"), "inconclusive": ("0", "1")}
    assert (root.get("failures"), root.get("errors")) == counts[verdict]
    assert verdict in gate_markdown.render(made).splitlines()[0]
    first = {"pass": "::notice", "fail": "::error", "inconclusive": "::warning"}
    assert gate_github.render(made).startswith(first[verdict])
    assert verdict.upper() in gate.render(made).splitlines()[0]


def test_unmet_requirements_are_errors_everywhere() -> None:
    unmet = Requirement(id="same_scorers", outcome="inconclusive", message="wer differs")
    made = decision("inconclusive", rule("pass"), requirements=(unmet,))
    assert checked(gate_junit.render(made)).get("errors") == "1"
    assert "- same\\_scorers: wer differs" in gate_markdown.render(made)
    assert "::warning title=same_scorers::wer differs" in gate_github.render(made)
    assert "same_scorers: wer differs" in gate.render(made)


def test_text_of_strangers_steers_nothing() -> None:
    nasty = rule("fail", figure("fail", NASTY, lost=(Lost(id=NASTY, side="candidate", reason=NASTY),)), by="language")
    made = decision("fail", nasty, candidate=replace(RUN, name=NASTY), message=NASTY)
    assert "\x1b[35m" not in gate.render(made)
    page = gate_markdown.render(made)
    assert "<b>" not in page
    assert "@all" not in page
    assert "http://" not in page
    assert len({line.replace("\\|", "").count("|") for line in page.splitlines() if line.startswith("|")}) == 1
    commands = gate_github.render(made)
    assert all(line.startswith("::") for line in commands.splitlines())
    assert "100%25" in commands
    assert checked(gate_junit.render(made)).get("failures") == "1"


def test_github_shows_no_more_than_it_can() -> None:
    many = decision("fail", *(rule("fail", id=f"r{number}") for number in range(30)))
    assert gate_github.render(many).count("::error ") == 10
    unmet = Requirement(id="same_scorers", outcome="inconclusive", message="wer differs")
    open_ = decision(
        "inconclusive", *(rule("inconclusive", id=f"r{number}") for number in range(30)), requirements=(unmet,)
    )
    lines = gate_github.render(open_).splitlines()
    assert sum(line.startswith("::warning ") for line in lines) == 10
    assert lines[1] == "::warning title=same_scorers::wer differs"


def test_an_annotation_is_one_command_whatever_it_says() -> None:
    made = decision("fail", rule("fail", id="a:b,c", message=NASTY * 1000))
    first, second = gate_github.render(made).splitlines()
    assert first.startswith("::error title=gate nightly%3A fail::")
    assert second.startswith("::error title=fail%3A a%3Ab%2Cc%3A corpus of wer::\\x1b[35m|<b>@all</b>")
    assert "\\nnext, 100%25: `done`" in second
    # GitHub takes messages up to 64 KiB.
    assert len(second) < 10_000


def many_groups(count: int, name: str = "speaker {}") -> Decision:
    """A rule by speaker of whom every third fails."""
    outcomes: tuple[Outcome, ...] = ("pass", "fail", "inconclusive")
    figures = (figure(outcomes[number % 3], name.format(number)) for number in range(count))
    return decision("fail", rule("fail", *figures, by="speaker"), rule("pass"))


@pytest.mark.parametrize(("count", "name"), [(6000, "speaker {}"), (600, "{}" + NASTY * 20)])
def test_a_page_of_thousands_of_groups_is_still_a_comment(count: int, name: str) -> None:
    page = gate_markdown.render(many_groups(count, name))
    # GitHub refuses longer comments, and drops a step's summary above 1 MiB.
    assert len(page) <= 65_536
    table = [line for line in page.splitlines() if line.startswith("| ")][2:]
    shown = [row for row in table if "❌" in row]
    assert len(shown) == len(table), "what failed comes first"
    each = count // 3
    left_out = f"{each - len(shown)} fail, {each} inconclusive, {each + 1} pass"
    assert f"and {count + 1 - len(table)} more rows: {left_out}; the JSON holds them all" in page
    assert page.rstrip().endswith("approved by Ada on 2026-11-30 for tts-en.")


def test_a_page_that_fits_is_whole_and_in_the_order_of_the_policy() -> None:
    page = gate_markdown.render(many_groups(9))
    rows = [line.split("|")[2].strip() for line in page.splitlines() if line.startswith("| ")][2:]
    assert rows == [*(f"r-fail, speaker speaker {number}" for number in range(9)), "r-pass"]
    assert "more rows" not in page


def test_text_and_annotations_of_thousands_of_groups_are_short() -> None:
    made = many_groups(5000)
    shown = gate.render(made)
    assert len(shown.splitlines()) < 100
    assert "and 4980 more: 1647 fail, 1666 inconclusive, 1667 pass; --json holds them all" in shown
    assert "speaker speaker 1:" in shown
    assert "speaker speaker 2:" not in shown
    assert len(gate_github.render(made)) < 10_000
    assert len(list(checked(gate_junit.render(made)).iter("testcase"))) == 5002
