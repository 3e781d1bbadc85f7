"""``mediacheck explain``."""

from __future__ import annotations

from pathlib import Path

from tests.cli.run import mediacheck, one_line


def test_without_a_name_all_are_listed(tmp_path: Path) -> None:
    ran = mediacheck("explain", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert "audio.finite@1            Every sample is a number.\n" in ran.text


def test_one_check(tmp_path: Path) -> None:
    ran = mediacheck("explain", "audio.finite", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.text.startswith("audio.finite@1\nEvery sample is a number. (v1: error, v2: error)\n\nWhat it does\n")
    assert mediacheck("explain", "audio.finite@1", cwd=tmp_path).out == ran.out
    assert b"\x1b[1m" in mediacheck("explain", "audio.finite", cwd=tmp_path, FORCE_COLOR="1").out


def test_an_unknown_name_is_a_wrong_usage(tmp_path: Path) -> None:
    ran = mediacheck("explain", "audio.finit", cwd=tmp_path)
    assert ran.code == 2
    assert "did you mean audio.finite" in one_line(ran)


def test_docstrings_may_be_stripped(tmp_path: Path) -> None:
    plain = mediacheck("explain", "audio.finite", cwd=tmp_path)
    assert mediacheck("explain", "audio.finite", cwd=tmp_path, PYTHONOPTIMIZE="2").out == plain.out
