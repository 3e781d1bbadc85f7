"""What is run: mediacheck, and the peers as people use them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from benchmarks.process import BenchmarkError, Command

ROOT = Path(__file__).resolve().parent.parent
AUDIO_CHECKS = ("-af", "silencedetect,astats,ebur128")
VIDEO_CHECKS = ("-vf", "blackdetect,freezedetect")
TWO_AT_A_TIME = ("xargs", "-0", "-n", "1", "-P", "2")


@dataclass(frozen=True)
class Setting:
    """Where things are."""

    peers: Path
    """The Python that has the peers of requirements.txt."""
    scratch: Path
    """Takes reports, which nobody reads."""


@dataclass(frozen=True)
class Subject:
    """What is to be validated: a file, or a folder of files."""

    path: Path
    video: bool = False
    jobs: int = 1


Build = Callable[[Subject, Setting], Command]


class OwnBuild(Protocol):
    """Of a command of mediacheck, whose revisions are held against one another too."""

    def __call__(self, subject: Subject, setting: Setting, *, folder: Path = ROOT, strict: bool = True) -> Command: ...


def mediacheck(subject: Subject, setting: Setting, *, folder: Path = ROOT, strict: bool = True) -> Command:
    """The whole job: measure, judge, write the report with its facts.

    Args:
        subject: file or folder.
        setting: where the report goes.
        folder: a checkout of mediacheck; this one by default.
        strict: a file that fails validation is an error, since a fault found early would make a fine time.
    """
    argv = (sys.executable, "-m", "mediacheck", "validate", str(subject.path))
    options = ("--json", str(setting.scratch / "report.json"), "--jobs", str(subject.jobs))
    return Command((*argv, *options), folder, allowed=frozenset({0} if strict else {0, 1, 3}))


def mediacheck_batch(
    subject: Subject, setting: Setting, *, folder: Path = ROOT, strict: bool = True, scorers: Sequence[str] = ()
) -> Command:
    """The same into a run folder: a ledger that is written item by item, results and a summary.

    Args:
        subject: a folder, or a manifest.
        setting: where the run folder goes.
        folder: a checkout of mediacheck; this one by default.
        strict: as for ``mediacheck``.
        scorers: ids of what to compute besides.
    """
    run = setting.scratch / "run"
    argv = (sys.executable, "-m", "mediacheck", "batch", str(subject.path), "--run", str(run))
    options = ("--jobs", str(subject.jobs), "--quiet", *(f"--scorer={scorer}" for scorer in scorers))
    return Command((*argv, *options), folder, allowed=frozenset({0} if strict else {0, 1, 3}), anew=run)


def ffmpeg_checks(subject: Subject, setting: Setting) -> Command:
    pictures = VIDEO_CHECKS if subject.video else ()
    return _ffmpeg(subject.path, (*AUDIO_CHECKS, *pictures))


def ffmpeg_decode(subject: Subject, setting: Setting) -> Command:
    return _ffmpeg(subject.path, ())


def _ffmpeg(path: Path, filters: Sequence[str]) -> Command:
    return Command(("ffmpeg", "-nostdin", "-v", "error", "-i", str(path), *filters, "-f", "null", "-"))


def ffmpeg_checks_each(subject: Subject, setting: Setting) -> Command:
    """One process a file; xargs starts them with next to no cost of its own."""
    ffmpeg = ("ffmpeg", "-nostdin", "-v", "error", "-i", "{}", *AUDIO_CHECKS, "-f", "null", "-")
    return Command((*_without_count(TWO_AT_A_TIME), "-I", "{}", *ffmpeg), items=_files(subject.path))


def ffprobe_each(subject: Subject, setting: Setting) -> Command:
    ffprobe = ("ffprobe", "-v", "error", "-of", "json", "-show_format", "-show_streams")
    return Command((*TWO_AT_A_TIME, *ffprobe), items=_files(subject.path))


def librosa_scan(subject: Subject, setting: Setting) -> Command:
    """A few levels and the silences of each file."""
    return _librosa(subject, setting, ())


def librosa_scan_with_loudness(subject: Subject, setting: Setting) -> Command:
    """All that ffmpeg's checks measure, and true peak."""
    return _librosa(subject, setting, ("--loudness",))


def _librosa(subject: Subject, setting: Setting, options: Sequence[str]) -> Command:
    script = Path(__file__).with_name("librosa_scan.py")
    python = _installed(setting.peers)
    out = str(setting.scratch / "librosa.json")
    return Command((str(python), str(script), out, *options), items=_files(subject.path))


def audio_qa(subject: Subject, setting: Setting) -> Command:
    """audio-data-quality-toolkit, by its own command line."""
    python = _installed(setting.peers)
    main = "import sys; from audio_qa.cli import main; sys.exit(main())"
    options = ("--workers", "2", "--report", str(setting.scratch / "audio_qa.json"))
    return Command((str(python), "-c", main, str(subject.path), *options))


def bare_python() -> Command:
    """An interpreter that does nothing for as long as it takes to look at it."""
    return Command((sys.executable, "-c", "import time; time.sleep(0.3)"))


def imports_only() -> Command:
    """What no tool can do without that decodes from Python."""
    return Command((sys.executable, "-c", "import time, av; time.sleep(0.3)"))


def _installed(peers: Path) -> Path:
    if not peers.exists():
        raise BenchmarkError("the peers from PyPI are not installed (make bench installs them)")
    return peers


def _without_count(xargs: Sequence[str]) -> tuple[str, ...]:
    # -I takes one item at a time by itself, and GNU xargs warns of -n beside it.
    return tuple(word for word in xargs if word not in ("-n", "1"))


def _files(path: Path) -> tuple[str, ...]:
    return tuple(sorted(entry.path for entry in os.scandir(path))) if path.is_dir() else (str(path),)
