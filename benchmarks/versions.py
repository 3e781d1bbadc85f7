"""On what and with what was measured: everything that figures depend on, nothing that names a person's machine."""

from __future__ import annotations

import os
import platform
import re
import resource
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from benchmarks.commands import ROOT

OUR_LIBRARIES = ("numpy", "av", "soundfile", "msgspec", "xxhash", "click", "rich")
OPTIONAL_LIBRARIES = ("pyarrow",)
"""Where it is installed, a batch writes results.parquet too."""
PEER_LIBRARIES = ("librosa", "audio-data-quality-toolkit", "numpy", "numba", "scipy", "soundfile")


def versions(peers: Path) -> tuple[tuple[str, str], ...]:
    """Name and version of each part; an empty text where it is not there."""
    return (
        ("mediacheck", revision()),
        ("processor", f"{_processor()}, {os.cpu_count()} processors"),
        ("memory", f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 1e9:.0f} GB"),
        ("system", f"{platform.system()} {platform.release()}, {platform.machine()}"),
        ("Python", platform.python_version()),
        ("libraries", ", ".join((*map(_version, OUR_LIBRARIES), *map(_optional, OPTIONAL_LIBRARIES)))),
        ("FFmpeg inside av", _said(sys.executable, "-c", _INSIDE_AV)),
        ("libsndfile", _said(sys.executable, "-c", "import soundfile; print(soundfile.__libsndfile_version__)")),
        ("ffmpeg on the command line", _said("ffmpeg", "-version").partition(" Copyright")[0]),
        ("peers' Python", _said(str(peers), "-c", "import platform; print(platform.python_version())")),
        ("peers", _said(str(peers), "-c", _PEERS)),
    )


_INSIDE_AV = """
import av
versions = {name: ".".join(map(str, version)) for name, version in av.library_versions.items()}
print(av.ffmpeg_version_info, *(f"{name} {versions[name]}" for name in ("libavformat", "libavcodec")), sep=", ")
"""
_PEERS = f"""
from importlib import metadata
print(*(f"{{name}} {{metadata.version(name)}}" for name in {PEER_LIBRARIES!r}), sep=", ")
"""


def _version(name: str) -> str:
    return f"{name} {metadata.version(name)}"


def _optional(name: str) -> str:
    try:
        return _version(name)
    except metadata.PackageNotFoundError:
        return f"no {name}"


def revision() -> str:
    """The commit, and whether the working tree has moved on since."""
    commit = _said("git", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD") or "not from git"
    changed = _said("git", "-C", str(ROOT), "status", "--porcelain", "--", "mediacheck", "validators")
    return f"commit {commit}{', with changes that are not committed' if changed else ''}"


def _processor() -> str:
    found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1].strip() if found else platform.machine()


def _said(*argv: str) -> str:
    try:
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


@dataclass(frozen=True)
class Clock:
    """Processor time of the machine and of our own processes at one moment, seconds."""

    busy_s: float
    all_s: float
    ours_s: float

    @classmethod
    def now(cls) -> Clock:
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
        ticks = [int(field) / os.sysconf("SC_CLK_TCK") for field in fields[:8]]
        idle = ticks[3] + ticks[4]
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return cls(sum(ticks) - idle, sum(ticks), sum(usage.ru_utime + usage.ru_stime for usage in usages))

    def others_since(self, earlier: Clock) -> float:
        """The share of the machine's processors that went to others (or to the host) in between, 0 to 1."""
        whole = self.all_s - earlier.all_s
        others = (self.busy_s - earlier.busy_s) - (self.ours_s - earlier.ours_s)
        return max(0.0, others / whole) if whole > 0 else 0.0
