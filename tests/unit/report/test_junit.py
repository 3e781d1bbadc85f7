from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mediacheck.report import junit
from tests.junit_rules import checked
from tests.unit.report.samples import ABSENT, FAILED, PASSED, UNCLEAR, WARNED, finding, report


def test_each_outcome_has_its_element() -> None:
    root = checked(junit.render([report("fail", PASSED, FAILED, UNCLEAR, WARNED, ABSENT)]))
    suite = root.find("testsuite")
    assert suite is not None
    cases = {case.get("name"): [child.tag for child in case] for case in suite}
    assert cases == {
        "media.decodable@1": [],
        "audio.finite@1": ["failure"],
        "audio.coverage@1": ["error"],
        "audio.dc_offset@1": ["system-out"],
        "video.black@1": ["skipped"],
    }
    assert [suite.get(key) for key in ("tests", "failures", "errors", "skipped")] == ["5", "1", "1", "1"]


def test_a_failure_says_what_was_measured_and_where() -> None:
    root = checked(junit.render([report("fail", FAILED)]))
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.text is not None
    assert failure.text.startswith("measured 3 samples\nexpected 0 samples\nat 0:01:15.075")


def test_suites_may_have_names_of_their_own() -> None:
    root = checked(junit.render([report("pass", PASSED), report("pass", PASSED)], ["a \x1b", "b"]))
    assert [suite.get("name") for suite in root] == ["a \ufffd", "b"]
    assert [case.get("classname") for case in root.iter("testcase")] == ["a \ufffd", "b"]


def test_names_that_look_alike_in_xml_are_told_apart() -> None:
    root = checked(junit.render([report("pass", PASSED, name=name) for name in ("a\x01", "a\x02", "b", "b")]))
    assert [suite.get("name") for suite in root] == ["a\ufffd", "a\ufffd (2)", "b", "b (2)"]


def test_a_warning_that_could_not_be_determined_fails_no_build() -> None:
    unclear = finding("audio.loudness", "inconclusive", "warning")
    root = checked(junit.render([report("pass", PASSED, unclear)]))
    assert root.get("errors") == root.get("failures") == "0"
    assert [suite.get("skipped") for suite in root] == ["1"]


def test_a_verdict_without_a_case_of_its_own_gets_one() -> None:
    root = checked(junit.render([report("inconclusive", ABSENT, not_checked="nothing applied")]))
    assert root.get("errors") == "1"
    case = root.find(".//testcase[@name='verdict']/error")
    assert case is not None
    assert case.get("message") == "nothing applied"


def test_totals_are_summed_over_files() -> None:
    root = checked(junit.render([report("fail", FAILED), report("fail", FAILED, PASSED)]))
    assert root.get("tests") == "3"
    assert root.get("failures") == "2"


@given(st.text(), st.text())
def test_any_name_and_message_give_wellformed_xml(name: str, message: str) -> None:
    suite = checked(junit.render([report("fail", finding(message=message), name=name)])).find("testsuite")
    assert suite is not None
    assert suite.get("name") == junit.legal(name)
