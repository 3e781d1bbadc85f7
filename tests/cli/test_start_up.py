"""Starting must stay light: nothing heavy is imported before it is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.run import ROOT, environment, mediacheck, write_wav

HEAVY = ("torch", "whisper", "jiwer", "librosa", "scipy", "matplotlib", "ray", "numpy", "av", "soundfile", "rich")
REPORT = f"import sys; print([name for name in {HEAVY!r} if name in sys.modules], file=sys.__stderr__)"


def loaded(code: str, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.stderr.splitlines()[-1]


def run_main(*arguments: str) -> str:
    return f"from mediacheck.cli.main import main\ncode = main({list(arguments)!r})\nassert code != 4\n{REPORT}"


def test_importing_the_package_loads_nothing_heavy(tmp_path: Path) -> None:
    assert (
        loaded(f"import mediacheck\nmediacheck.MediaFacts, mediacheck.validate, mediacheck.judge\n{REPORT}", tmp_path)
        == "[]"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        ("validate", "--help"),
        ("validate",),
        ("validate", "missing.wav"),
        ("contracts", "list"),
        ("validators", "list"),
        ("references", "list"),
        ("explain",),
        ("explain", "audio.finite"),
        ("explain", "dnsmos"),
        ("explain", "findings:audio.silent"),
        ("explain", "p95"),
        ("score", "--help"),
        ("score", "missing.wav"),
        ("gate", "--help"),
        ("gate", "missing", "--policy", "missing.toml"),
    ],
)
def test_commands_that_decode_nothing_load_nothing_heavy(arguments: tuple[str, ...], tmp_path: Path) -> None:
    assert loaded(run_main(*arguments), tmp_path) == "[]"


def test_judging_loads_nothing_heavy(tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav")
    assert mediacheck("measure", "a.wav", "--json", "facts.json", cwd=tmp_path).code == 0
    assert loaded(run_main("judge", "facts.json"), tmp_path) == "[]"


def test_the_parent_of_workers_loads_no_decoder(tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav")
    assert loaded(run_main("validate", "a.wav"), tmp_path) == "[]"


def test_the_module_runs_as_the_command_does(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mediacheck", "--version"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert done.stdout == mediacheck("--version", cwd=tmp_path).out


def test_the_root_of_the_tests_is_the_checkout() -> None:
    assert (ROOT / "pyproject.toml").is_file()
