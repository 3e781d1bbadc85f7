"""The hook of ``.pre-commit-hooks.yaml``: which files it takes, and how it calls mediacheck with them."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from mediacheck.suffixes import MEDIA_SUFFIXES
from tests.cli.recipes import Project, make_project, recipes
from tests.cli.run import ROOT, mediacheck, write_cut_wav, write_wav
from tests.needs import needs_module, needs_program

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


GIT = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "kim@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


def git(folder: Path, *arguments: str) -> None:
    variables = {"PATH": os.environ["PATH"], **GIT}
    subprocess.run(["git", *arguments], cwd=folder, env=variables, capture_output=True, check=True)


@pytest.fixture
def repository(tmp_path: Path) -> Project:
    """One with golden media and the documents' configuration, and the hook in a repository of its own."""
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    # Only what it is installed by differs: here mediacheck is installed.
    (hooks / ".pre-commit-hooks.yaml").write_text(HOOK.replace("language: python", "language: system"), "utf-8")
    project = make_project(tmp_path / "golden media")
    (project.folder / ".programs" / ".gitignore").write_text("*\n")
    config = recipes("docs/how-to/ci.md")["pre-commit"].text
    assert config.count("https://git.example.com/mediacheck") == config.count("rev: v0.1.0") == 1
    config = config.replace("https://git.example.com/mediacheck", str(hooks))
    (project.folder / ".pre-commit-config.yaml").write_text(config)
    for name in ("a/one.wav", "b/UP.WAV", "c d/é.wav", "-dash.wav"):
        (project.folder / name).parent.mkdir(exist_ok=True)
        write_wav(project.folder / name)
    (project.folder / "a.ts").write_text("export {}")
    (project.folder / "tests" / "broken").mkdir(parents=True)
    write_cut_wav(project.folder / "tests" / "broken" / "cut.wav")
    for folder in (hooks, project.folder):
        git(folder, "init", "--quiet")
        git(folder, "add", "--all")
    git(hooks, "commit", "--quiet", "--message", "the hook")
    git(hooks, "tag", "v0.1.0")
    return project


def commit(project: Project) -> tuple[int, str]:
    """What pre-commit says when all is committed."""
    git(project.folder, "add", "--all")
    home = str(project.folder.parent / "pre-commit")
    return project.run(sys.executable, "-m", "pre_commit", "run", "--verbose", PRE_COMMIT_HOME=home, **GIT)


@needs_module("pre_commit", "yaml")
@needs_program("git")
def test_pre_commit_itself_takes_the_configuration_of_the_documents(repository: Project) -> None:
    code, said = commit(repository)
    assert code == 0, said
    assert "4 files: 0 fail, 0 inconclusive, 4 pass" in said
    assert "validator v2" in said
    write_cut_wav(repository.folder / "c d" / "é.wav")
    code, said = commit(repository)
    assert code == 1
    assert re.search(r"(?m)^FAIL +é.wav .*\n +fail  media\.complete: ", said), said


@needs_module("pre_commit")
def test_pre_commit_itself_takes_the_hook() -> None:
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")]
    assert subprocess.run(command, check=False).returncode == 0
