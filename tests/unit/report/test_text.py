"""Golden texts: what people read is part of the interface."""

from __future__ import annotations

import click
import msgspec
import pytest

from mediacheck.facts import ContainerFacts, FileFacts, MediaFacts, Problem
from mediacheck.report import table, text
from mediacheck.report.words import describe
from tests.unit.report.samples import ABSENT, FAILED, PASSED, UNCLEAR, WARNED, facts, report


def test_a_failing_report() -> None:
    rendered = click.unstyle(text.render(report("fail", PASSED, WARNED, UNCLEAR, FAILED, ABSENT)))
    assert rendered == (
        "FAIL  out.mp4\n"
        "  mov; h264 160x96 24 fps, 0:00:15.083 (362 frames); aac 32000 Hz stereo, 0:00:15.075 (482400 samples); "
        "319.3 kB\n"
        "  fail  audio.finite: 3 samples are not finite, the first at 0:01:15.075\n"
        "        at 0:01:15.075 to 0:01:15.100, 0:01:16.075 to 0:01:16.100, 0:01:17.075 to 0:01:17.100 and 117 more\n"
        "  inconclusive  audio.coverage: no timestamps\n"
        "  warning  audio.dc_offset: mean 0.02, limit 0.01\n"
        "  not checked: no contract: duration.contract\n"
        "  validator v2 (preview), contract minimax-h3-ref2va (verified-in-source)\n"
    )


def test_a_passing_report_says_no_more_than_needed() -> None:
    lines = click.unstyle(text.render(report("pass", PASSED, ABSENT, not_checked=""))).splitlines()
    assert lines[0] == "PASS  out.mp4"
    assert len(lines) == 3


def test_names_and_messages_cannot_steer_the_terminal() -> None:
    hostile = "\x1b]0;owned\x07[red]\nPASS  other.wav"
    rendered = click.unstyle(text.render(report("fail", FAILED, name=hostile)))
    assert rendered.splitlines()[0] == "FAIL  \\x1b]0;owned\\x07[red]\\nPASS  other.wav"


def test_a_table_keeps_the_order_and_counts() -> None:
    reports = [report("fail", FAILED, name="b.wav"), report("pass", PASSED, name="a 音.wav")]
    lines = click.unstyle(table.render([table.entry(one) for one in reports])).splitlines()
    assert lines[0] == "FAIL          b.wav     0:00:15.083"
    assert lines[1].strip().startswith("fail  audio.finite")
    assert lines[3] == "PASS          a 音.wav  0:00:15.083"
    assert "2 files: 1 fail, 0 inconclusive, 1 pass" in lines


def test_a_table_says_once_what_no_file_was_checked_for() -> None:
    same = [table.entry(report("pass", PASSED))] * 2
    assert click.unstyle(table.render(same)).endswith("\nnot checked: no contract: duration.contract\n")
    other = table.entry(report("pass", PASSED, not_checked="no video stream: video.black"))
    assert "this differs between the files" in table.render([*same, other])


@pytest.mark.parametrize(("name", "columns"), [("abc", 3), ("音.wav", 6), ("e\u0301", 1)])
def test_width_counts_terminal_columns(name: str, columns: int) -> None:
    assert table.width(name) == columns


def test_facts_name_problems_and_levels() -> None:
    rendered = text.render_facts(facts())
    assert "trailing_data: 3 bytes follow" in rendered
    assert "peak -6.0 dBFS, RMS no dBFS" in rendered


def test_what_was_not_measured_is_not_called_unknown_media() -> None:
    for code in ("worker.crashed", "worker.timeout", "file.changed"):
        problem = Problem(code=code, message="it broke", affects="decodable")
        broken = MediaFacts(
            file=FileFacts(name="a", bytes=2, sha256=""), container=ContainerFacts(format=None, problems=(problem,))
        )
        assert describe(broken) == "not measured; 2 B"
        other = msgspec.structs.replace(broken, container=ContainerFacts(format=None))
        assert describe(other) == "not recognised as media; 2 B"


def test_the_summary_counts_good_files_with_warnings() -> None:
    reports = [report("pass", WARNED), report("pass", PASSED), report("fail", FAILED, WARNED)]
    entries = [table.entry(one) for one in reports]
    assert table.summary(entries) == "3 files: 1 fail, 0 inconclusive, 2 pass (1 with warnings)"
    assert table.summary(entries[1:2]) == "1 file: 0 fail, 0 inconclusive, 1 pass"
