"""The hook of ``.pre-commit-hooks.yaml``: which files it takes, and how it calls mediacheck with them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from mediacheck.suffixes import MEDIA_SUFFIXES
from tests.cli.run import ROOT, mediacheck, write_cut_wav, write_wav

HOOK = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
TYPESCRIPT = {".ts", ".mts"}


def value(key: str) -> str:
    """A key of the only hook."""
    found = re.findall(rf"(?m)^(?:- |  ){key}: (.+)$", HOOK)
    assert len(found) == 1
    return str(found[0])


def hook(folder: Path, *names: str) -> tuple[int, str]:
    """Call it as pre-commit does: the entry, its arguments, the files."""
    program, *entry = shlex.split(value("entry"))
    assert program == "mediacheck"
    ran = mediacheck(*entry, *re.findall(r'"([^"]*)"', value("args")), *names, cwd=folder)
    return ran.code, ran.text + ran.err


def test_it_takes_all_media_but_typescript() -> None:
    taken = re.compile(value("files").strip("'"))
    assert {suffix for suffix in MEDIA_SUFFIXES if taken.search(f"a/b c{suffix}")} == MEDIA_SUFFIXES - TYPESCRIPT
    assert taken.search("A.WAV")
    assert not any(taken.search(name) for name in ("a.wav.md", "wav", "a.ts", "a.py", "awav", "a.wavx"))


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    for name in ("a/one.wav", "b/one.wav", "c d/é.wav", "-dash.wav"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write_wav(tmp_path / name)
    return tmp_path


def test_several_good_files(golden: Path) -> None:
    code, said = hook(golden, "-dash.wav", "a/one.wav", "b/one.wav", "c d/é.wav")
    assert code == 0
    assert "4 files: 0 fail, 0 inconclusive, 4 pass" in said


def test_a_bad_one_is_named_with_the_reason(golden: Path) -> None:
    write_cut_wav(golden / "b" / "one.wav")
    code, said = hook(golden, "a/one.wav", "b/one.wav")
    assert code == 1
    assert re.search(r"(?m)^FAIL +b/one\.wav .*\n +fail  media\.complete: ", said)


def test_media_that_git_lfs_holds_is_told(golden: Path) -> None:
    (golden / "a" / "one.wav").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12\n")
    code, said = hook(golden, "a/one.wav")
    assert code == 1
    assert "fail  media.decodable: " in said
