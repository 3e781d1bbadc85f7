"""``mediacheck explain``."""

from __future__ import annotations

from pathlib import Path

from tests.cli.run import mediacheck, one_line


def test_without_a_name_all_are_listed(tmp_path: Path) -> None:
    ran = mediacheck("explain", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.text.startswith("Checks\n")
    assert "audio.finite@1            Every sample is a number.\n" in ran.text
    assert "\n\nBounds\nat_most                   The candidate's statistic is at most the limit.\n" in ran.text


def test_one_check(tmp_path: Path) -> None:
    ran = mediacheck("explain", "audio.finite", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.text.startswith("audio.finite@1\nEvery sample is a number. (v1: error, v2: error)\n\nWhat it does\n")
    assert mediacheck("explain", "audio.finite@1", cwd=tmp_path).out == ran.out
    assert b"\x1b[1m" in mediacheck("explain", "audio.finite", cwd=tmp_path, FORCE_COLOR="1").out


def test_one_rule(tmp_path: Path) -> None:
    ran = mediacheck("explain", "findings:audio.silent", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.text.startswith("findings:audio.silent\nWhether the check audio.silent failed. (metric)\n\nIn short\n")
    assert "`mediacheck explain audio.silent`" in " ".join(ran.text.split())


def test_a_scorer_is_explained_where_its_libraries_are_not_installed(tmp_path: Path) -> None:
    gone = "import sys\nfor name in ('jiwer', 'soxr', 'torch', 'speechmos', 'onnxruntime'): sys.modules[name] = None"
    for name in ("wer", "dnsmos", "speaker"):
        ran = mediacheck("explain", name, cwd=tmp_path, before=gone)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out == mediacheck("explain", name, cwd=tmp_path).out


def test_an_unknown_name_is_a_wrong_usage(tmp_path: Path) -> None:
    ran = mediacheck("explain", "audio.finit", cwd=tmp_path)
    assert ran.code == 2
    assert "did you mean audio.finite" in one_line(ran)
    ran = mediacheck("explain", "max_increas", cwd=tmp_path)
    assert ran.code == 2
    assert "did you mean max_increase" in one_line(ran)


def test_docstrings_may_be_stripped(tmp_path: Path) -> None:
    plain = mediacheck("explain", "audio.finite", cwd=tmp_path)
    assert mediacheck("explain", "audio.finite", cwd=tmp_path, PYTHONOPTIMIZE="2").out == plain.out
