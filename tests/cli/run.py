"""Run the command line as a user does, and make the small media that the tests need."""

from __future__ import annotations

import json
import math
import os
import struct
import subprocess
import sys
import wave
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Ran:
    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def environment(**more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MEDIACHECK_")}
    return {**kept, "PYTHONPATH": str(ROOT), **more}


def mediacheck(
    *arguments: str | bytes | Path, cwd: Path, input: bytes = b"", before: str = "", **variables: str
) -> Ran:
    """``mediacheck ARGUMENTS`` in a process of its own; ``before`` is Python that runs there first."""
    code = (
        f"import sys\nfrom mediacheck.cli.main import main\n{before}\nif __name__ == '__main__':\n    sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        input=input,
        env=environment(**variables),
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr.decode())


def one_line(ran: Ran) -> str:
    """The one sentence of a refusal, which is all that was printed."""
    assert ran.out == b""
    assert ran.err.startswith("mediacheck: ")
    assert ran.err.endswith("\n")
    assert ran.err.count("\n") == 1
    assert "Traceback" not in ran.err
    return ran.err


def samples(seconds: float, rate: int) -> list[int]:
    """A tone that swells and fades, so that neither its start nor its end is abrupt."""
    count = round(seconds * rate)
    return [
        round(9000 * math.sin(math.pi * k / count) * math.sin(2 * math.pi * 220 * k / rate)) if count else 0
        for k in range(count)
    ]


def write_wav(path: Path | str | bytes, seconds: float = 1.0, rate: int = 8000) -> None:
    """A good file."""
    values = samples(seconds, rate)
    with open(path, "wb") as file, wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(struct.pack(f"<{len(values)}h", *values))


def write_cut_wav(path: Path) -> None:
    """A file that ends before its header says."""
    write_wav(path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
