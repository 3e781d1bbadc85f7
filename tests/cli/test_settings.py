from __future__ import annotations

import math
from pathlib import Path

import pytest

from mediacheck.cli.settings import Choices, resolve
from mediacheck.errors import UsageError


def test_built_in_settings(tmp_path: Path) -> None:
    settings = resolve(folder=tmp_path)
    assert (settings.validator, settings.contract, settings.timeout, settings.memory_limit) == ("v2", None, 600, 4096)
    assert settings.jobs >= 1


def test_command_line_over_environment_over_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mediacheck.toml").write_text('validator = "file"\njobs = 3\ntimeout = 30\n')
    monkeypatch.setenv("MEDIACHECK_VALIDATOR", "environment")
    monkeypatch.setenv("MEDIACHECK_JOBS", "5")
    settings = resolve(Choices(jobs=7), folder=tmp_path)
    assert (settings.jobs, settings.validator, settings.timeout) == (7, "environment", 30.0)


def test_pyproject_is_read_where_there_is_no_file_of_our_own(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.mediacheck]\nvalidator = "v1"\n')
    assert resolve(folder=tmp_path).validator == "v1"
    (tmp_path / "mediacheck.toml").write_text('validator = "v3"\n')
    assert resolve(folder=tmp_path).validator == "v3"


@pytest.mark.parametrize(
    "text",
    ['valdiator = "v1"', "jobs = 0", 'jobs = "2"', "timeout = -1", "timeout = nan", "memory_limit = 1", "jobs ="],
)
def test_wrong_files_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "mediacheck.toml").write_text(text)
    with pytest.raises(UsageError, match=r"mediacheck\.toml"):
        resolve(folder=tmp_path)


@pytest.mark.parametrize(
    ("name", "text"), [("JOBS", "many"), ("JOBS", "0"), ("TIMEOUT", "nan"), ("MEMORY_LIMIT", "-1")]
)
def test_wrong_variables_are_refused(name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"MEDIACHECK_{name}", text)
    with pytest.raises(UsageError, match=f"MEDIACHECK_{name}={text}"):
        resolve(folder=tmp_path)


def test_an_empty_variable_is_not_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEDIACHECK_VALIDATOR", "")
    assert resolve(folder=tmp_path).validator == "v2"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Choices(jobs=0), "--jobs 0: write a whole number"),
        (Choices(jobs=1025), "--jobs 1025: write a whole number"),
        (Choices(timeout=0.0), r"--timeout 0\.0: write seconds"),
        (Choices(timeout=math.nan), "--timeout nan: write seconds"),
        (Choices(timeout=math.inf), "--timeout inf: write seconds"),
        (Choices(timeout=1e10), "--timeout .*: write seconds"),
        (Choices(memory_limit=255), "--memory-limit 255: write whole megabytes"),
        (Choices(memory_limit=10**20), "--memory-limit 1.*: write whole megabytes"),
        (Choices(validator=""), "--validator '': write an id"),
    ],
)
def test_wrong_options_are_refused(given: Choices, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        resolve(given, tmp_path)


@pytest.mark.parametrize("text", ["nan", "inf", "abc", "-1", "0", "1e10"])
def test_the_environment_has_the_same_bounds(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEDIACHECK_TIMEOUT", text)
    with pytest.raises(UsageError, match=f"^MEDIACHECK_TIMEOUT={text}: write seconds"):
        resolve(folder=tmp_path)


@pytest.mark.parametrize("text", ["a = " + "[" * 100_000, "tool = 1", "[tool]\nmediacheck = 1"])
def test_a_strange_pyproject_is_no_bug_of_ours(text: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    if text == "tool = 1":
        assert resolve(folder=tmp_path).validator == "v2"
    else:
        with pytest.raises(UsageError, match=r"pyproject\.toml"):
            resolve(folder=tmp_path)
