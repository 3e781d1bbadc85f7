"""Small runs, and what two of them have in common."""

from __future__ import annotations

import json
import math
import os
import signal
import struct
import subprocess
import sys
import time
import wave
from pathlib import Path
from typing import Any

from tests.cli.run import environment

RESULTS = "results.jsonl"


def write_tone(path: Path, number: int, seconds: float = 0.5, rate: int = 8000) -> None:
    """A good file of its own: its pitch says which one it is."""
    count = round(seconds * rate)
    pitch = 200 + number
    values = (
        round(9000 * math.sin(math.pi * k / count) * math.sin(2 * math.pi * pitch * k / rate)) for k in range(count)
    )
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(b"".join(struct.pack("<h", value) for value in values))


def write_manifest(folder: Path, count: int, **columns: Any) -> Path:
    """``count`` good files, and a manifest that names them."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for number in range(count):
        write_tone(folder / f"{number:04}.wav", number)
        extra = {key: value(number) if callable(value) else value for key, value in columns.items()}
        lines.append(json.dumps({"id": f"item-{number}", "media": f"{number:04}.wav", **extra}))
    manifest = folder / "manifest.jsonl"
    manifest.write_text("\n".join(lines) + "\n")
    return manifest


def start(*arguments: str | Path, cwd: Path, **variables: str) -> subprocess.Popen[bytes]:
    """``mediacheck batch ARGUMENTS`` as a process group of its own, so that all of it can be killed."""
    return subprocess.Popen(
        [sys.executable, "-m", "mediacheck", "batch", *map(str, arguments)],
        cwd=cwd,
        env=environment(**variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def results(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / RESULTS).read_text().splitlines()]


def export(run: Path) -> list[str]:
    """The lines of the export without the only field that an interruption may change."""
    lines = []
    for line in (run / RESULTS).read_text().splitlines():
        result = json.loads(line)
        del result["attempts"]
        lines.append(json.dumps(result))
    return lines


def children(pid: int) -> list[int]:
    """Processes that a process started and that still run."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def kill(pid: int) -> bool:
    """Kill a process; whether it was there."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def wait_until_gone(pids: list[int], seconds: float = 20.0) -> None:
    """Workers whose driver was killed end by themselves."""
    end = time.monotonic() + seconds
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < end:
        time.sleep(0.02)
