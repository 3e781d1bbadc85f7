"""What a run shows while it goes: on a terminal a bar, in a log a line now and then, and on standard output nothing."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mediacheck.cli import progress as module
from mediacheck.cli.progress import progress
from tests.cli.run import environment, write_wav

pty = pytest.importorskip("pty", reason="there are no such terminals on Windows")


def shown_on_a_terminal(folder: Path, *arguments: str) -> tuple[str, bytes]:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "mediacheck", "validate", *arguments],
        cwd=folder,
        env=environment(TERM="xterm", COLUMNS="100"),
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    os.close(theirs)
    seen = b""
    # A terminal whose last writer is gone answers with an error.
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == 0
    return seen.decode(), out


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.wav", "b.wav", "c.wav"):
        write_wav(tmp_path / name)
    return tmp_path


def test_a_terminal_shows_how_many_files_are_done(folder: Path) -> None:
    seen, out = shown_on_a_terminal(folder, "a.wav", "b.wav", "c.wav", "--json", "-")
    assert "measuring" in seen
    assert "0/3" in seen
    assert "3/3" in seen
    assert out.startswith(b"{")
    assert b"measuring" not in out


@pytest.mark.parametrize("arguments", [("a.wav",), ("a.wav", "b.wav", "-q")])
def test_one_file_or_quiet_shows_nothing(folder: Path, arguments: tuple[str, ...]) -> None:
    assert "measuring" not in shown_on_a_terminal(folder, *arguments)[0]


class Clock:
    """Ten seconds more at each look."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        self.now += 10.0
        return self.now


def lines(monkeypatch: pytest.MonkeyPatch, count: int, *, logged: bool, quiet: bool = False) -> list[str]:
    log = io.StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    monkeypatch.setattr(module, "time", Clock())
    with progress(count, quiet=quiet, logged=logged) as advance:
        for _ in range(count):
            advance()
    return log.getvalue().splitlines()


def test_a_log_has_a_line_every_half_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines(monkeypatch, 7, logged=True) == [
        "mediacheck: 3 of 7 items, 6.0/min, 40 s left",
        "mediacheck: 6 of 7 items, 6.0/min, 10 s left",
    ]


def test_no_log_is_written_where_none_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines(monkeypatch, 7, logged=False) == []
    assert lines(monkeypatch, 7, logged=True, quiet=True) == []
