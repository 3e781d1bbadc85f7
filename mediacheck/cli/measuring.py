"""Measure files in workers, so that a decoder that crashes or hangs costs one file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mediacheck.api import FileChangedError, measure
from mediacheck.cli.inputs import Input
from mediacheck.cli.progress import progress
from mediacheck.cli.settings import Settings
from mediacheck.errors import PathError
from mediacheck.facts import ContainerFacts, FileFacts, MediaFacts, Problem
from mediacheck.workers import Pool, WorkerFailure

_MEGABYTE = 1_000_000
PLAIN_SUFFIXES = frozenset({".wav", ".wave", ".w64", ".rf64", ".aif", ".aiff", ".pcm", ".raw"})


@dataclass(frozen=True)
class Work:
    """What a worker is sent."""

    path: Path
    name: str
    raw: str | None


@dataclass(frozen=True)
class Measured:
    index: int
    """Position among the inputs."""
    facts: MediaFacts
    failure: WorkerFailure | None
    """Why the facts are no more than bytes and digest; None where the file was measured."""

    @property
    def internal_error(self) -> bool:
        """Whether a bug of ours, and no fault or size of the file, is why."""
        return self.failure is not None and self.failure.kind == "raised" and self.failure.error is None


def measure_one(work: Work) -> MediaFacts:
    """Runs in the worker: only here are the decoders imported."""
    return measure(work.path, name=work.name, raw=work.raw)


def import_decoders(plain: bool) -> None:
    """Runs in a worker as it starts. ``plain``: all files look uncompressed, which FFmpeg is not needed for."""
    import mediacheck.media.measurement
    from mediacheck.media.memory import keep_freed_memory

    keep_freed_memory()
    if not plain:
        import mediacheck.media.ffmpeg  # noqa: F401


class Measuring:
    """Workers that measure. They start, and import the decoders, while the caller loads validators and contracts."""

    def __init__(self, files: Sequence[Input], *, raw: str | None, settings: Settings, quiet: bool) -> None:
        self._work = [Work(item.path, item.name, raw) for item in files]
        self._settings = settings
        self._quiet = quiet
        plain = raw is not None or all(item.path.suffix.lower() in PLAIN_SUFFIXES for item in files)
        self._pool: Pool[Work, MediaFacts] = Pool(
            measure_one,
            jobs=min(settings.jobs, len(self._work)),
            timeout_s=settings.timeout,
            memory_bytes=settings.memory_limit * _MEGABYTE,
            prepare=partial(import_decoders, plain),
        )

    def __enter__(self) -> Measuring:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.close()

    def all(self) -> Iterator[Measured]:
        """Measure every file, yielding each as it is done.

        Raises:
            MediacheckError: ``raw`` is malformed.
        """
        with progress(len(self._work), quiet=self._quiet) as advance:
            for index, result in self._pool.run(self._work):
                if isinstance(result, WorkerFailure):
                    if result.error is not None and not isinstance(result.error, PathError):
                        raise result.error
                    facts = _facts_without_measuring(self._work[index], result, self._settings)
                    yield Measured(index, facts, result)
                else:
                    yield Measured(index, result, None)
                advance()


def _facts_without_measuring(work: Work, failure: WorkerFailure, settings: Settings) -> MediaFacts:
    from mediacheck import media

    problem = _problem(failure, settings)
    try:
        return media.unmeasured(work.path, name=work.name, problem=problem)
    except OSError:
        # The file went away under the run.
        return MediaFacts(
            file=FileFacts(name=work.name, bytes=0, sha256=""),
            container=ContainerFacts(format=None, problems=(problem,)),
        )


def _problem(failure: WorkerFailure, settings: Settings) -> Problem:
    match failure.kind:
        case "crashed":
            code, message = "worker.crashed", f"the decoder {failure.message} on this file"
        case "timeout":
            code, message = "worker.timeout", f"measuring this file {failure.message}; --timeout sets the limit"
        case "memory":
            code = "worker.memory"
            message = f"measuring this file needs more than {settings.memory_limit} MB; --memory-limit sets the limit"
        case "raised" if isinstance(failure.error, FileChangedError):
            code = "file.changed"
            message = "the file changed while it was measured; measure it again when it is written to its end"
        case "raised" if failure.error is not None:
            code, message = "file.unreadable", "the file could not be read any more when its turn came"
        case "raised":
            code, message = "worker.error", f"mediacheck itself failed on this file ({failure.message})"
    return Problem(code=code, message=message, affects="decodable")
