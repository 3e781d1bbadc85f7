"""Measure files in workers, so that a decoder that crashes or hangs costs one file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from mediacheck.cli.inputs import Input
from mediacheck.cli.progress import progress
from mediacheck.cli.settings import Settings
from mediacheck.errors import PathError
from mediacheck.facts import MediaFacts
from mediacheck.measuring import (
    FILES_PER_WORKER,
    MEGABYTE,
    PLAIN_SUFFIXES,
    Limits,
    Work,
    facts_without_measuring,
    import_decoders,
    is_short,
    measure_one,
)
from mediacheck.workers import Pool, WorkerFailure, processors

Made = TypeVar("Made")


@dataclass(frozen=True)
class Measured(Generic[Made]):
    index: int
    """Position among the inputs."""
    name: str
    result: Made
    failure: WorkerFailure | None
    """Why the result is of facts that are no more than bytes and digest; None where the file was measured."""

    @property
    def internal_error(self) -> bool:
        """Whether a bug of ours, and no fault or size of the file, is why."""
        return self.failure is not None and self.failure.kind == "raised" and self.failure.error is None


def _measure_and_make(make: Callable[[MediaFacts], Made], work: Work) -> Made:
    return make(measure_one(work))


class Measuring(Generic[Made]):
    """Workers that measure, and make of the facts what is wanted of them.

    The facts of an hour take several megabytes, most of them series of which a report holds none: what is made of them
    is made where they are.
    """

    def __init__(
        self,
        files: Sequence[Input],
        make: Callable[[MediaFacts], Made],
        *,
        raw: str | None,
        settings: Settings,
        quiet: bool,
    ) -> None:
        """Start the workers.

        Args:
            files: what to measure.
            make: called in a worker with the facts of each file; it and what it makes must be picklable.
            raw: layout of files without a header.
            settings: number of workers, limits.
            quiet: no progress.
        """
        self._work = [Work(item.path, item.name, raw) for item in files]
        self._make = make
        self._limits = Limits(settings.timeout, settings.memory_limit)
        self._quiet = quiet
        jobs = min(settings.jobs, len(self._work))
        plain = raw is not None or all(item.path.suffix.lower() in PLAIN_SUFFIXES for item in files)
        self._pool: Pool[Work, Made] = Pool(
            partial(_measure_and_make, make),
            jobs=jobs,
            timeout_s=settings.timeout,
            memory_bytes=settings.memory_limit * MEGABYTE,
            prepare=partial(import_decoders, plain, several=len(self._work) > 1, threads=jobs < processors()),
            items_per_worker=FILES_PER_WORKER,
            short=is_short,
        )

    def __enter__(self) -> Measuring[Made]:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.close()

    def all(self) -> Iterator[Measured[Made]]:
        """Measure every file, yielding each as it is done.

        Raises:
            MediacheckError: ``raw`` is malformed.
        """
        with progress(len(self._work), quiet=self._quiet) as advance:
            for index, result in self._pool.run(self._work):
                name = self._work[index].name
                if isinstance(result, WorkerFailure):
                    if result.error is not None and not isinstance(result.error, PathError):
                        raise result.error
                    facts = facts_without_measuring(self._work[index], result, self._limits)
                    yield Measured(index, name, self._make(facts), result)
                else:
                    yield Measured(index, name, result, None)
                advance()
