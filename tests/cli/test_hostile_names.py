"""Names of files and items that try to steer whoever reads them: a terminal, a CI server's log, its pages."""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path

import pytest

from tests.batch.runs import write_tone
from tests.cli.run import Ran, mediacheck, write_cut_wav
from tests.junit_rules import checked

STEMS = (
    "::error title=x::boo", "##[add-mask]a", "##vso[task.setvariable variable=v]1", "two\nlines", "return\rback",
    "100%0A", "a|b", "`id`", "$(id)", "<script>alert(1)<", "\x1b[31mred\x1b]0;title\x07", "\x01\x7f\x85", "🎵",
    "\u202egnp", "\ufffe", "'\"&;", "@all #1", "\udcff",
)  # fmt: skip
NAMES = [f"{stem}.wav" for stem in STEMS]
POLICY = """\
schema = "mediacheck.policy/1"
id = "valid"

[approval]
by = "Kim"
date = "2026-11-30"
workload = "test"

[[rules]]
id = "valid"
metric = "validity_rate"
statistic = "count"
at_least = 18
unit = "items"

[[rules]]
id = "by-speaker"
metric = "validity_rate"
statistic = "count"
at_least = 1
unit = "items"
by = "speaker"
"""


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    for number, name in enumerate(NAMES):
        write_tone(tmp_path / name, number)
    write_cut_wav(tmp_path / NAMES[0])
    return tmp_path


def commands(ran: Ran) -> list[str]:
    """Lines of both streams that GitHub's runner, Azure's agent or TeamCity would take for a command."""
    lines = (ran.out.decode() + ran.err).split("\n")
    return [line for line in lines if line.lstrip().startswith("::") or "##[" in line or "##vso[" in line]


def steering(ran: Ran) -> set[str]:
    """Characters that would steer a terminal."""
    said = (ran.out.decode() + ran.err).replace("\n", "")
    return {character for character in said if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}}


def test_validate_and_measure_show_a_line_for_each(hostile: Path) -> None:
    for arguments in (("validate", "--junit", "made.xml"), ("measure",)):
        ran = mediacheck(*arguments, "--", *NAMES, cwd=hostile, GITHUB_ACTIONS="true")
        assert commands(ran) == []
        assert steering(ran) == set()
        assert "\\x3a:error title=x::boo.wav" in ran.text
        assert "two\\nlines.wav" in ran.text
    root = checked((hostile / "made.xml").read_bytes())
    # What XML cannot hold is one replacement character; the rest is there to the letter.
    assert len(root) == len(NAMES)
    assert {suite.get("name") for suite in root} >= {name for name in NAMES if name.isascii() and name.isprintable()}
    assert any(suite.get("name") == "two\nlines.wav" for suite in root)
    (failure,) = root.iter("failure")
    assert failure.get("type") == "media.complete"


def test_one_file_alone_is_a_text_that_steers_nothing(hostile: Path) -> None:
    for name in NAMES[:4]:
        ran = mediacheck("measure", "--", name, cwd=hostile)
        assert ran.code == 0
        assert (commands(ran), steering(ran)) == ([], set())


def test_a_gate_on_items_with_such_ids_and_groups(hostile: Path) -> None:
    named = [name for name in NAMES if name.isprintable() or "\n" in name]
    lines = [{"id": name, "media": name, "speaker": name} for name in named]
    (hostile / "manifest.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (hostile / "policy.toml").write_text(POLICY)
    ran = mediacheck("batch", "manifest.jsonl", "--run", "run", "--malformed", "record", cwd=hostile)
    assert ran.code == 1
    assert (commands(ran), steering(ran)) == ([], set())
    summary = hostile / "summary.md"
    summary.touch()
    ran = mediacheck(
        "gate", "run", "--policy", "policy.toml", "--workload", "test", "--junit", "made.xml", cwd=hostile,
        GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=os.fspath(summary),
    )  # fmt: skip
    assert ran.code == 1, ran.err
    assert steering(ran) == set()
    assert [line.split("::")[1].split(" ")[0] for line in commands(ran)] == ["error"] * 3
    checked((hostile / "made.xml").read_bytes())
    page = summary.read_text()
    assert "<script>" not in page
    assert "@all" not in page
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in rows} == {7}
