"""Measure one file in a worker, and say why it could not be: a decoder that crashes or hangs costs one file."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from mediacheck.api import FileChangedError, measure
from mediacheck.facts import ContainerFacts, FileFacts, MediaFacts, Problem
from mediacheck.workers import WorkerFailure

MEGABYTE = 1_000_000
PLAIN_SUFFIXES = frozenset({".wav", ".wave", ".w64", ".rf64", ".aif", ".aiff", ".pcm", ".raw"})
"""Of files that are uncompressed by their name."""
FILES_PER_WORKER = 1000
"""After which a worker is replaced: what fragments of its heap files of many sizes leave over must not add up. The
second 500 clips add 0.1 MB. Starting one takes a hundredth of the time of 1,000 short clips."""
SHORT_BYTES = 2_000_000
"""Of files up to here one may wait for another in the same worker: they take hundredths of a second, few a fifth."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
"""Of malloc.h."""
_OF_ONE_FILE = 512 << 10, 2 << 20
"""What is at least as large as the one is mapped by itself, and so given back when it is freed; of the rest no more is
kept than the other. glibc would raise the first to the size of the largest piece ever freed: an hour's series would
leave holes. A second of sound must stay below it: mapped anew for each, it takes a sixth of the time."""
_OF_MANY_FILES = 4 << 20, 16 << 20
"""The same, so that pages are kept for the next file: fetching them for each clip anew takes a fifth of its processor
time."""
_MODEL_BYTES = 1 << 30
"""A model takes and frees the same hundreds of megabytes for each file. Mapped anew each time, as glibc does above 32
MB whatever was freed before, they take a sixth of the processor time of a short clip."""


@dataclass(frozen=True)
class Limits:
    """What measuring one file may take."""

    timeout_s: float = 600.0
    """Wall-clock seconds."""
    memory_mb: int = 4096
    """Megabytes (1,000,000 bytes) of memory of its own."""


@dataclass(frozen=True)
class Work:
    """What a worker is sent."""

    path: Path
    name: str
    raw: str | None = None


def measure_one(work: Work) -> MediaFacts:
    """Runs in the worker: only here are the decoders imported."""
    return measure(work.path, name=work.name, raw=work.raw)


def is_short(work: Work) -> bool:
    """Whether measuring it takes moments, as far as its size says."""
    try:
        return work.path.stat().st_size <= SHORT_BYTES
    except OSError:
        return True


def import_decoders(plain: bool, *, several: bool, threads: bool) -> None:
    """Runs in a worker as it starts.

    Args:
        plain: all files look uncompressed, which FFmpeg is not needed for.
        several: the worker may get more files than one.
        threads: one file may keep several processors busy: other workers leave some free.
    """
    _set_heap(several)
    import mediacheck.media.measurement

    if not threads:
        from mediacheck.media.beside import work_in_one_thread

        work_in_one_thread()
    if not plain:
        import mediacheck.media.ffmpeg  # noqa: F401


def _set_heap(several: bool) -> None:
    """One heap, and what it gives back.

    glibc gives threads heaps of their own, up to eight a processor, and each keeps what the largest file took there.
    Each file is measured by new threads, so that a worker would grow for thousands of files.
    """
    mapped, kept = _OF_MANY_FILES if several else _OF_ONE_FILE
    _set_malloc((_M_ARENA_MAX, 1), (_M_MMAP_THRESHOLD, mapped), (_M_TRIM_THRESHOLD, kept))


def keep_freed_memory() -> None:
    """Runs in a process that scores, before its models are loaded."""
    _set_malloc((_M_MMAP_THRESHOLD, _MODEL_BYTES), (_M_TRIM_THRESHOLD, _MODEL_BYTES))


def _set_malloc(*settings: tuple[int, int]) -> None:
    import ctypes

    # Without glibc there is no such function, and there are no such heaps.
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        for name, value in settings:
            mallopt(name, value)


def facts_without_measuring(work: Work, failure: WorkerFailure, limits: Limits) -> MediaFacts:
    """What is known of a file that could not be measured: its size, its digest, and why.

    Args:
        work: what the worker was sent.
        failure: how it ended.
        limits: that it had.
    """
    from mediacheck import media

    problem = problem_of(failure, limits)
    try:
        return media.unmeasured(work.path, name=work.name, problem=problem)
    except OSError:
        # The file went away under the run.
        return MediaFacts(
            file=FileFacts(name=work.name, bytes=0, sha256=""),
            container=ContainerFacts(format=None, problems=(problem,)),
        )


def problem_of(failure: WorkerFailure, limits: Limits) -> Problem:
    """Why a file could not be measured, as a fact of its container."""
    match failure.kind:
        case "crashed":
            code, message = "worker.crashed", f"the decoder {failure.message} on this file"
        case "timeout":
            code, message = "worker.timeout", f"measuring this file {failure.message}; --timeout sets the limit"
        case "memory":
            code = "worker.memory"
            message = f"measuring this file needs more than {limits.memory_mb} MB; --memory-limit sets the limit"
        case "raised" if isinstance(failure.error, FileChangedError):
            code = "file.changed"
            message = "the file changed while it was measured; measure it again when it is written to its end"
        case "raised" if failure.error is not None:
            code, message = "file.unreadable", "the file could not be read any more when its turn came"
        case "raised":
            code, message = "worker.error", f"mediacheck itself failed on this file ({failure.message})"
    return Problem(code=code, message=message, affects="decodable")
