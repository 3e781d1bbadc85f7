"""Run a whole process, with all that it starts, and measure it. Linux only: memory is read from /proc."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

SAMPLING_S = 0.01
_KILOBYTE = 1024
_MEGABYTE = 1e6


class BenchmarkError(Exception):
    """Something that the person at the keyboard can put right; one sentence."""


@dataclass(frozen=True)
class Command:
    """What to run. ``python -m`` finds a package in ``folder`` first."""

    argv: tuple[str, ...]
    folder: Path | None = None
    items: tuple[str, ...] = ()
    """Handed over on standard input, separated by NUL, as xargs reads them."""
    allowed: frozenset[int] = frozenset({0})
    """Exit codes that mean that the work was done."""
    anew: Path | None = None
    """A folder that it writes: removed before each run, since a batch would find that all is done."""


@dataclass(frozen=True)
class Usage:
    """What one run took. The processor's time is that of the process and of all that it started and waited for."""

    wall_s: float
    user_s: float
    system_s: float
    page_faults: int
    """Pages that had to be mapped without reading from disk."""

    @property
    def cpu_s(self) -> float:
        return self.user_s + self.system_s


@dataclass(frozen=True)
class Memory:
    """Peaks of one run, MB (10^6 bytes)."""

    tree: float
    """All processes together, what they share counted once; sampled every 10 ms."""
    largest: float
    """The largest process by itself (VmHWM, as last seen)."""
    first: float = 0.0
    """The process that was started, without those that it starts (VmHWM, as last seen)."""


def run(command: Command) -> Usage:
    """Run to the end, measuring time.

    Raises:
        BenchmarkError: the program is missing or fails.
    """
    _clear(command)
    with tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        process = _start(command, errors)
        # Popen.wait would throw away what wait4 tells.
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        _settle(process, status, command, errors)
    return Usage(wall, used.ru_utime, used.ru_stime, used.ru_minflt)


def run_watched(command: Command) -> Memory:
    """Run to the end, measuring memory; sampling costs time, so this run gives no time.

    The peak that wait4 reports will not do: a process inherits there the size of the one that started it.

    Raises:
        BenchmarkError: as ``run``.
    """
    tree = 0
    largest = 0
    first = 0
    _clear(command)
    with tempfile.TemporaryFile() as errors:
        process = _start(command, errors)
        while True:
            pid, status, _ = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            members = _family(process.pid)
            tree = max(tree, _together([_figures(f"/proc/{member}/smaps_rollup") for member in members]))
            peaks = [_figures(f"/proc/{member}/status").get("VmHWM", 0) for member in members]
            largest = max(largest, *peaks)
            first = max(first, peaks[0])
            time.sleep(SAMPLING_S)
        _settle(process, status, command, errors)
    return Memory(*(kilobytes * _KILOBYTE / _MEGABYTE for kilobytes in (tree, largest, first)))


def _clear(command: Command) -> None:
    if command.anew is not None:
        shutil.rmtree(command.anew, ignore_errors=True)


def _start(command: Command, errors: IO[bytes]) -> subprocess.Popen[bytes]:
    with tempfile.TemporaryFile() as items:
        items.write(b"".join(item.encode() + b"\0" for item in command.items))
        items.seek(0)
        try:
            return subprocess.Popen(
                command.argv,
                cwd=command.folder,
                env=environment(command.folder),
                stdin=items,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )
        except FileNotFoundError as error:
            raise BenchmarkError(f"{command.argv[0]} is not installed") from error


def environment(folder: Path | None) -> dict[str, str]:
    """Ours, without settings of mediacheck that would change what it does, and with ``folder`` first in line."""
    ours = {key: value for key, value in os.environ.items() if not key.startswith("MEDIACHECK_")}
    # Compiled files of a first run must be there for the second.
    ours.pop("PYTHONDONTWRITEBYTECODE", None)
    if folder is not None:
        ours["PYTHONPATH"] = str(folder)
    return ours


def _settle(process: subprocess.Popen[bytes], status: int, command: Command, errors: IO[bytes]) -> None:
    code = os.waitstatus_to_exitcode(status)
    # Popen must not wait for a process that is no longer there.
    process.returncode = code
    if code not in command.allowed:
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip().splitlines()
        reason = f": {said[-1]}" if said else ""
        raise BenchmarkError(f"{' '.join(command.argv[:6])} … ended with exit code {code}{reason}")


def _family(pid: int) -> list[int]:
    """The process and all its descendants, as far as they are still there."""
    members = [pid]
    for member in members:
        with contextlib.suppress(OSError):
            for task in os.scandir(f"/proc/{member}/task"):
                members.extend(int(child) for child in Path(task.path, "children").read_text().split())
    return members


def _together(rollups: list[dict[str, int]]) -> int:
    """Kilobytes of a family. Plain PSS would shrink whenever a stranger runs a program of the same libraries."""
    # Only forked members share memory of their own; Pss_Anon splits it among them.
    own = sum(rollup.get("Pss_Anon", 0) for rollup in rollups)
    # Members map the same programs and libraries, as a rule: the one that maps most stands for all.
    mapped = max(rollup.get("Rss", 0) - rollup.get("Anonymous", 0) for rollup in rollups)
    return own + mapped


def _figures(path: str) -> dict[str, int]:
    """The lines ``Key: 1234 kB`` of a /proc file; none for a process that has just gone."""
    try:
        with open(path) as file:
            lines = [line.split() for line in file]
    except OSError:
        return {}
    return {words[0].rstrip(":"): int(words[1]) for words in lines if len(words) == 3 and words[2] == "kB"}
