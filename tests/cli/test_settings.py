from __future__ import annotations

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
