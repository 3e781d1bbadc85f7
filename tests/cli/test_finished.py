"""What a worker hands on of a report gives the files that the report itself would give."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from mediacheck.cli.finished import finish
from mediacheck.cli.outputs import plan, wants_junit, write
from mediacheck.errors import UsageError
from mediacheck.report import junit
from mediacheck.serialise import to_json
from mediacheck.verdict import Reports
from tests.unit.report.samples import ABSENT, FAILED, PASSED, WARNED, report

MADE = (report("fail", FAILED, WARNED, name="b\n    \u2028 0.wav"), report("pass", PASSED, ABSENT, name="a 音.wav"))


@pytest.mark.parametrize(("count", "several"), [(2, True), (1, True), (0, True), (1, False)])
def test_the_files_are_those_of_the_reports_themselves(count: int, several: bool, tmp_path: Path) -> None:
    reports = MADE[:count]
    targets = plan(str(tmp_path / "r.json"), None, (str(tmp_path / "r.xml"),), quiet=True)
    sent = [pickle.loads(pickle.dumps(finish(one, whole=True))) for one in reports]
    write(targets, sent, several=several)
    assert (tmp_path / "r.json").read_bytes() == to_json(Reports(reports=reports) if several else MADE[0])
    assert (tmp_path / "r.xml").read_bytes() == junit.render(reports)


def test_the_report_itself_is_kept_where_it_is_wanted_only() -> None:
    assert finish(MADE[0], whole=True).report == MADE[0]
    assert finish(MADE[0], whole=False).report is None


@pytest.mark.parametrize(
    ("option", "typed", "wanted"),
    [(None, (), False), (None, ("a.json",), False), ("a.xml", (), True), (None, ("a.json", "B.JUnit.XML"), True)],
)
def test_junit_is_wanted_by_option_or_extension(option: str | None, typed: tuple[str, ...], wanted: bool) -> None:
    assert wants_junit(option, typed) is wanted


def test_an_unknown_extension_is_refused_before_a_worker_starts() -> None:
    with pytest.raises(UsageError, match=r"-o a\.txt"):
        wants_junit(None, ["a.txt"])
