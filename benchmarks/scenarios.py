"""Which inputs are held against which peers, and how far we may be from each: the targets of the project."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Literal, Protocol, TypeVar

from benchmarks import commands
from benchmarks.commands import Build, OwnBuild, Subject
from benchmarks.inputs import FORMATS, LENGTHS_S, PICTURES, VIDEOS, Cache
from benchmarks.process import BenchmarkError
from benchmarks.ratios import Target

Figure = Literal["wall_s", "cpu_s"]

AUDIO_MEMORY_MB = 60
VIDEO_MEMORY_MB = 150
ENVELOPE_MB = 4
"""By how much saved envelopes may grow, per channel and hour."""

# 10 minutes, wall-clock: against ffmpeg's checks, against its decoding.
TEN_MINUTES = {
    "pcm16": (Target(0.20, 0.35), Target(2.5, 4.0)),
    "float32": (Target(0.20, 0.35), Target(2.5, 4.0)),
    "flac": (Target(0.45, 0.60), Target(1.6, 2.2)),
    "mp3": (Target(0.28, 0.45), Target(1.5, 2.2)),
    "m4a": (Target(0.28, 0.45), Target(1.5, 2.2)),
    "opus": (Target(0.35, 0.50), Target(1.3, 1.8)),
}
VIDEO_CPU = (Target(0.90, 1.05), Target(1.10, 1.30))
ONE_SHORT_WAV = Target(2.0, 3.0)
CLIPS_FFMPEG = Target(0.08, 0.15)
CLIPS_LIBROSA = Target(0.10, 0.25)


@dataclass(frozen=True)
class Peer:
    name: str
    build: Build


@dataclass(frozen=True)
class Own:
    """A command of mediacheck."""

    name: str
    build: OwnBuild


VALIDATE = Own("mediacheck", commands.mediacheck)
BATCH = Own("mediacheck batch", commands.mediacheck_batch)


@dataclass(frozen=True)
class Comparison:
    peer: Peer
    figure: Figure
    target: Target | None = None


@dataclass(frozen=True)
class Scenario:
    name: str
    make: Callable[[Cache], Subject]
    comparisons: tuple[Comparison, ...]
    memory_limit_mb: float | None = None
    """Above the bare interpreter; None: none is set."""
    ours: Own = VALIDATE
    """What is held against the peers."""

    @property
    def peers(self) -> tuple[Peer, ...]:
        """Each once, in order."""
        return tuple(dict.fromkeys(comparison.peer for comparison in self.comparisons))


CHECKS = Peer("ffmpeg checks", commands.ffmpeg_checks)
DECODE = Peer("ffmpeg decode", commands.ffmpeg_decode)
AUDIO_QA = Peer("audio-data-quality-toolkit", commands.audio_qa)
CHECKS_EACH = Peer("ffmpeg checks, one process a file, 2 at a time", commands.ffmpeg_checks_each)
FFPROBE_EACH = Peer("ffprobe, one process a file, 2 at a time (reads headers only)", commands.ffprobe_each)
LIBROSA = Peer("librosa scan with loudness and true peak, 2 processes", commands.librosa_scan_with_loudness)
LIBROSA_LEVELS = Peer("librosa scan of levels and silences alone, 2 processes", commands.librosa_scan)
VALIDATE_ALL = Peer("mediacheck validate", commands.mediacheck)
"""What a run folder costs beyond it."""


def all_scenarios(clips: int = 1000) -> tuple[Scenario, ...]:
    """Short inputs first: a run that is broken off has then most rows."""
    short, middle, long = ([_audio(length, form) for form in FORMATS] for length in LENGTHS_S)
    videos = [_video(name, picture) for name in VIDEOS for picture in PICTURES]
    return (*short, *middle, *videos, _clips(clips), _batch(clips), *long)


class Named(Protocol):
    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=Named)


def chosen(named: Sequence[N], patterns: Sequence[str]) -> tuple[N, ...]:
    """Those whose name fits a pattern (``10min-*``), or has it as a part; all without patterns.

    Raises:
        BenchmarkError: a pattern fits none.
    """
    for pattern in patterns:
        if not any(_fits(item, pattern) for item in named):
            raise BenchmarkError(f"--only {pattern} fits none of these: {', '.join(item.name for item in named)}")
    return tuple(item for item in named if not patterns or any(_fits(item, pattern) for pattern in patterns))


def _fits(item: Named, pattern: str) -> bool:
    return fnmatch(item.name, pattern) or pattern in item.name


def _audio(length: str, form: str) -> Scenario:
    checks, decode = TEN_MINUTES[form] if length == "10min" else (None, None)
    comparisons = [Comparison(CHECKS, "wall_s", checks), Comparison(DECODE, "wall_s", decode)]
    if length == "60min":
        # It tells whether time and memory grow with length alone: the checks would double the time of a whole run.
        comparisons = [Comparison(DECODE, "wall_s")]
    if length == "10s" and form == "pcm16":
        comparisons = [
            Comparison(CHECKS, "wall_s", ONE_SHORT_WAV),
            Comparison(DECODE, "wall_s"),
            Comparison(AUDIO_QA, "wall_s"),
        ]
    return Scenario(
        f"{length}-{form}", lambda cache: Subject(cache.audio(length, form)), tuple(comparisons), AUDIO_MEMORY_MB
    )


def _video(name: str, picture: str) -> Scenario:
    checks, decode = (None, None) if name == "768x1344" else VIDEO_CPU
    return Scenario(
        f"{name}-{picture}",
        lambda cache: Subject(cache.video(name, picture), video=True),
        (
            Comparison(CHECKS, "cpu_s", checks),
            Comparison(DECODE, "cpu_s", decode),
            Comparison(CHECKS, "wall_s"),
            Comparison(DECODE, "wall_s"),
        ),
        VIDEO_MEMORY_MB if name == "1080p" else None,
    )


def _clips(count: int) -> Scenario:
    return Scenario(
        f"clips-{count}",
        lambda cache: Subject(cache.clips(count), jobs=2),
        (
            Comparison(CHECKS_EACH, "wall_s", CLIPS_FFMPEG),
            Comparison(LIBROSA, "wall_s", CLIPS_LIBROSA),
            Comparison(LIBROSA_LEVELS, "wall_s"),
            Comparison(FFPROBE_EACH, "wall_s"),
        ),
    )


def _batch(count: int) -> Scenario:
    return Scenario(
        f"batch-{count}",
        lambda cache: Subject(cache.clips(count), jobs=2),
        (
            Comparison(CHECKS_EACH, "wall_s", CLIPS_FFMPEG),
            Comparison(LIBROSA, "wall_s", CLIPS_LIBROSA),
            Comparison(VALIDATE_ALL, "wall_s"),
            Comparison(VALIDATE_ALL, "cpu_s"),
        ),
        ours=BATCH,
    )
