"""What runs on the nodes of a cluster: actors, each of which keeps one process below it that does the work.

A decoder or a model that crashes, hangs or eats all memory takes that process down and no actor, as on one machine,
and is told of in the same words.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import Final, TypeVar

from mediacheck.batch.engines.queue import BATCH
from mediacheck.batch.examining import examine
from mediacheck.batch.record import libraries
from mediacheck.batch.scoring import get_ready, score_batch
from mediacheck.batch.tasks import Examined, Rules, ScoredBatch, ScoreTask, ScoringPlan, ValidateTask
from mediacheck.facts import Tag
from mediacheck.measuring import MEGABYTE, Limits, import_decoders
from mediacheck.version import __version__
from mediacheck.workers import Pool, WorkerFailure, wait_for

Item = TypeVar("Item")
Result = TypeVar("Result")

_START_S: Final = 120.0
"""At least these seconds has a process to start and import, apart from what it has for its first item."""


def versions() -> tuple[Tag, ...]:
    """What decides the results, of the machine that is asked."""
    return (Tag(key="mediacheck", value=__version__), *libraries())


class Validator:
    """Measures and judges files."""

    def __init__(self, rules: Rules, keep_facts: bool, plain: bool, limits: Limits) -> None:
        _forget_main()
        self._limits = limits
        self._started = False
        self._pool: Pool[ValidateTask | None, Examined | None] = Pool(
            partial(_examine, rules, keep_facts),
            timeout_s=limits.timeout_s,
            memory_bytes=limits.memory_mb * MEGABYTE,
            # Each actor has one processor.
            prepare=partial(import_decoders, plain, several=True, threads=False),
        )

    def ready(self) -> tuple[Tag, ...]:
        """When the process below it is up: by which versions it works."""
        self._start()
        return versions()

    def work(self, task: ValidateTask) -> Examined | WorkerFailure:
        if not self._started and (failure := self._start()) is not None:
            return failure
        result = _one(self._pool, task, self._limits.timeout_s)
        assert result is not None, "a task has a result"
        # The next item must not pay for the start of the process that follows one that broke.
        self._started = not isinstance(result, WorkerFailure) or result.kind == "raised"
        return result

    def _start(self) -> WorkerFailure | None:
        result = _one(self._pool, None, max(self._limits.timeout_s, _START_S))
        self._started = not isinstance(result, WorkerFailure)
        return result if isinstance(result, WorkerFailure) else None


class Scorer:
    """Holds the models, in the process below it."""

    def __init__(self, plan: ScoringPlan, limits: Limits, threads: int) -> None:
        _forget_main()
        # Ray says 1 to every actor that claims no processors; the models are to run as they do without Ray.
        if os.environ.get("OMP_NUM_THREADS", "1") == "1":
            os.environ["OMP_NUM_THREADS"] = str(threads)
        self._limits = limits
        self._pool: Pool[tuple[ScoreTask, ...], ScoredBatch] = Pool(
            partial(score_batch, plan),
            timeout_s=limits.timeout_s * BATCH,
            prepare=partial(get_ready, plan),
        )

    def ready(self) -> ScoredBatch | WorkerFailure:
        """When the models are loaded: the identities of the scorers."""
        return _one(self._pool, (), max(self._limits.timeout_s * BATCH, _START_S))

    def work(self, batch: tuple[ScoreTask, ...]) -> ScoredBatch | WorkerFailure:
        return _one(self._pool, batch, self._limits.timeout_s * len(batch))


def _examine(rules: Rules, keep_facts: bool, task: ValidateTask | None) -> Examined | None:
    """``None``: only say that the process is up."""
    return None if task is None else examine(rules, keep_facts, task)


def _one(pool: Pool[Item, Result], item: Item, timeout_s: float) -> Result | WorkerFailure:
    if not pool.offer(0, item, timeout_s=timeout_s):
        raise RuntimeError("an actor was given something while it was at work")
    while True:
        wait_for([pool])
        for _, result in pool.collect():
            return result


def _forget_main() -> None:
    """The process below is started afresh, for there are threads here; it would first run Ray's own main module."""
    vars(sys.modules["__main__"]).pop("__file__", None)
