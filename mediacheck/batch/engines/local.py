"""The engine of one machine: worker processes that decode and judge, and one process a device that holds the models."""

from __future__ import annotations

import tempfile
import time
from functools import partial
from typing import Final

from mediacheck.batch.engines.queue import BATCH, ScoringQueue
from mediacheck.batch.errors import RunError
from mediacheck.batch.examining import examine
from mediacheck.batch.scoring import get_ready, score_batch
from mediacheck.batch.tasks import (
    Examined,
    Outcome,
    Rules,
    ScoredBatch,
    ScoreTask,
    ScoringPlan,
    ValidateTask,
)
from mediacheck.measuring import FILES_PER_WORKER, MEGABYTE, Limits, import_decoders
from mediacheck.scoring.score import Identity
from mediacheck.workers import Pool, WorkerFailure, processors, wait_for

_IDENTIFY: Final = -1
_LOADING_S: Final = 3600.0
"""For loading the models: what a model takes from a slow disk says nothing of a file."""


class LocalEngine:
    """Two kinds of pools of our own; see ``mediacheck.workers`` for how a task that breaks its process is survived."""

    def __init__(
        self,
        rules: Rules,
        scoring: tuple[ScoringPlan, ...],
        *,
        limits: Limits,
        jobs: int,
        keep_facts: bool = False,
        plain: bool = False,
    ) -> None:
        """Start the workers.

        Args:
            rules: by which to judge.
            scoring: one plan for each device; none: nothing is scored.
            limits: for one file; the time also holds for the scores of one item.
            jobs: files measured at once.
            keep_facts: whether facts are sent back.
            plain: whether all files look uncompressed.
        """
        self._limits = limits
        # A worker that is killed leaves behind what it fetched.
        self._scratch = tempfile.TemporaryDirectory(prefix="mediacheck-", ignore_cleanup_errors=True)
        self._number = 0
        self._validating: dict[int, ValidateTask] = {}
        self._queue = ScoringQueue()
        self._scoring: dict[int, tuple[ScoreTask, ...]] = {}
        self._began: dict[int, float] = {}
        """When each batch was handed over."""
        self._validators: Pool[ValidateTask, Examined] = Pool(
            partial(examine, rules, keep_facts),
            jobs=jobs,
            timeout_s=limits.timeout_s,
            memory_bytes=limits.memory_mb * MEGABYTE,
            prepare=partial(_prepare_to_validate, self._scratch.name, plain, jobs < processors()),
            items_per_worker=FILES_PER_WORKER,
        )
        self._scorers: list[Pool[tuple[ScoreTask, ...], ScoredBatch]] = []
        self._pools: list[Pool[ValidateTask, Examined] | Pool[tuple[ScoreTask, ...], ScoredBatch]] = [self._validators]
        try:
            for plan in scoring:
                pool: Pool[tuple[ScoreTask, ...], ScoredBatch] = Pool(
                    partial(score_batch, plan),
                    jobs=1,
                    timeout_s=max(_LOADING_S, limits.timeout_s * BATCH),
                    prepare=partial(_prepare_to_score, self._scratch.name, plan),
                )
                self._scorers.append(pool)
                self._pools.append(pool)
        except BaseException:
            self.close()
            raise

    @property
    def busy(self) -> int:
        return len(self._validating) + len(self._queue) + sum(map(len, self._scoring.values()))

    def room_to_validate(self) -> bool:
        return self._validators.free

    def room_to_score(self) -> bool:
        return len(self._queue) < BATCH * len(self._scorers)

    def submit(self, task: ValidateTask | ScoreTask) -> None:
        if isinstance(task, ScoreTask):
            self._queue.append(task)
            self._feed()
            return
        self._number += 1
        self._validating[self._number] = task
        if not self._validators.offer(self._number, task):
            raise RuntimeError("a task was submitted where there was no room")

    def wait(self) -> list[Outcome]:
        wait_for(self._pools)
        done = []
        for number, examined in self._validators.collect():
            done.append(Outcome(self._validating.pop(number), examined))
        for pool in self._scorers:
            for number, scored in pool.collect():
                batch = self._scoring.pop(number)
                self._queue.took(len(batch), time.monotonic() - self._began.pop(number))
                done += self._queue.done(batch, scored)
        self._feed()
        return done

    def drain(self) -> None:
        self._queue.clear()

    def identities(self) -> tuple[Identity, ...]:
        found: dict[str, Identity] = {}
        for pool in self._scorers:
            if not pool.offer(_IDENTIFY, ()):
                raise RuntimeError("identities are asked for before anything is scored")
        for pool in self._scorers:
            while pool.busy:
                wait_for([pool])
                for _, answer in pool.collect():
                    if isinstance(answer, WorkerFailure):
                        raise answer.error or RunError(f"loading the scorers failed: {answer.message}")
                    found |= {identity.digest: identity for identity in answer.identities}
        return tuple(found.values())

    def close(self) -> None:
        for pool in self._pools:
            pool.close()
        self._scratch.cleanup()

    def _feed(self) -> None:
        """Give every scoring process that waits something to do."""
        for pool in self._scorers:
            if not pool.free or not (batch := self._queue.batch()):
                continue
            self._number += 1
            self._scoring[self._number] = batch
            self._began[self._number] = time.monotonic()
            if not pool.offer(self._number, batch, timeout_s=self._limits.timeout_s * len(batch)):
                raise RuntimeError("a scoring process was free, and took nothing")


def _prepare_to_validate(scratch: str, plain: bool, threads: bool) -> None:
    tempfile.tempdir = scratch
    import_decoders(plain, several=True, threads=threads)


def _prepare_to_score(scratch: str, plan: ScoringPlan) -> None:
    tempfile.tempdir = scratch
    get_ready(plan)
