"""The engine of a cluster: actors on every node do the work, the driver alone writes the ledger.

Files are read where an actor runs: on a file system that all nodes share, or behind a URL. Each node needs the same
mediacheck with the same extras.
"""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from mediacheck.batch.engines.queue import BATCH, ScoringQueue
from mediacheck.batch.errors import RunError
from mediacheck.batch.examining import examine
from mediacheck.batch.scoring import score_batch
from mediacheck.batch.tasks import Examined, Outcome, Rules, ScoredBatch, ScoreTask, ScoringPlan, ValidateTask
from mediacheck.errors import MediacheckError
from mediacheck.measuring import MEGABYTE, Limits
from mediacheck.scoring.registry import require_library
from mediacheck.scoring.score import Identity
from mediacheck.workers import Pool, WorkerFailure

AHEAD: Final = 2
"""Files that a validating actor holds: the next one is there when it is done with one."""
MOST_LOSSES: Final = 3
"""Actors that may go down with a file before the file is held to be why."""
NOBODY_S: Final = 300.0
"""Wall-clock seconds without a living actor after which the cluster is given up."""
_LOOK_S: Final = 0.5
"""Between two looks at deadlines."""


class Validator:
    """Runs as an actor: one process of its own below it measures, so that a decoder may crash or hang there too."""

    def __init__(self, rules: Rules, keep_facts: bool, limits: Limits) -> None:
        self._pool: Pool[ValidateTask, Examined] = Pool(
            partial(examine, rules, keep_facts),
            timeout_s=limits.timeout_s,
            memory_bytes=limits.memory_mb * MEGABYTE,
        )

    def ready(self) -> bool:
        return True

    def work(self, task: ValidateTask) -> Examined | WorkerFailure:
        ((_, result),) = self._pool.run([task])
        return result


class Scorer:
    """Runs as an actor that holds the models."""

    def __init__(self, plan: ScoringPlan) -> None:
        self._plan = plan

    def ready(self) -> bool:
        return True

    def work(self, batch: tuple[ScoreTask, ...]) -> ScoredBatch:
        return score_batch(self._plan, batch)


@dataclass
class _Hand:
    """An actor, and what it holds."""

    actor: Any
    scores: bool
    up: bool = False
    held: int = 0
    lost: bool = False


@dataclass
class _Given:
    """A task, or a batch of them, that an actor holds."""

    hand: _Hand
    what: ValidateTask | tuple[ScoreTask, ...] | None
    """None: it is asked whether it is up."""
    deadline: float | None = None


@dataclass
class _Losses:
    counts: dict[tuple[str, int], int] = field(default_factory=dict)

    def add(self, task: ValidateTask | ScoreTask) -> int:
        key = (task.stage, task.subject)
        self.counts[key] = self.counts.get(key, 0) + 1
        return self.counts[key]


class RayEngine:
    """Work on ``ray.init()`` here, or on a cluster by its address."""

    def __init__(
        self,
        rules: Rules,
        scoring: tuple[ScoringPlan, ...],
        *,
        limits: Limits,
        jobs: int,
        address: str | None = None,
        keep_facts: bool = False,
    ) -> None:
        """Connect, and start actors.

        Args:
            rules: by which to judge.
            scoring: one plan for each scoring actor; none: nothing is scored.
            limits: for one file; the time also holds for the scores of one item.
            jobs: processors to use where no cluster is named; of a cluster all are.
            address: of a cluster; None: a new one on this machine.
            keep_facts: whether facts are sent back.

        Raises:
            ModelError: ray is not installed.
            RunError: the cluster cannot be reached.
        """
        require_library("ray", extra="ray", wanted_by="the engine ray")
        import ray

        self._ray = ray
        self._limits = limits
        _connect(address, jobs + len(scoring))
        self._queue = ScoringQueue()
        self._files: deque[ValidateTask] = deque()
        self._losses = _Losses()
        self._given: dict[Any, _Given] = {}
        self._alive_at = time.monotonic()
        resources = ray.cluster_resources()
        gpus = int(resources.get("GPU", 0))
        share = {"num_gpus": 1, "num_cpus": 0} if gpus else {"num_cpus": 1}
        plans = scoring * gpus if gpus and len(scoring) == 1 else scoring
        self._rules = ray.put(rules)
        # Lost actors are not restarted by Ray: what they held is given to others at once.
        self._validator = partial(
            ray.remote(Validator).options(num_cpus=1, max_restarts=0).remote, self._rules, keep_facts, limits
        )
        self._scorers = [partial(ray.remote(Scorer).options(max_restarts=0, **share).remote, plan) for plan in plans]
        self._wanted = max(1, int(resources.get("CPU", 1)) - (0 if gpus else len(plans)))
        self._hands = [_Hand(scorer(), scores=True) for scorer in self._scorers]
        self._hands += [_Hand(self._validator(), scores=False) for _ in range(self._wanted)]
        for hand in self._hands:
            self._ask(hand)

    @property
    def busy(self) -> int:
        given = (given.what for given in self._given.values())
        held = sum(len(what) if isinstance(what, tuple) else 1 for what in given if what is not None)
        return held + len(self._files) + len(self._queue)

    def room_to_validate(self) -> bool:
        return len(self._files) < self._wanted

    def room_to_score(self) -> bool:
        return len(self._queue) < BATCH * max(1, len(self._scorers))

    def submit(self, task: ValidateTask | ScoreTask) -> None:
        if isinstance(task, ScoreTask):
            self._queue.append(task)
        else:
            self._files.append(task)
        self._feed()

    def drain(self) -> None:
        self._files.clear()
        self._queue.clear()

    def identities(self) -> tuple[Identity, ...]:
        found: dict[str, Identity] = {}
        scorers = [hand for hand in self._hands if hand.scores]
        try:
            answers = self._ray.get([hand.actor.work.remote(()) for hand in scorers])
        except self._ray.exceptions.RayTaskError as error:
            failure = _raised(error)
            raise failure.error or RunError(f"loading the scorers failed: {failure.message}") from error
        for answer in answers:
            found |= {identity.digest: identity for identity in answer.identities}
        return tuple(found.values())

    def wait(self) -> list[Outcome]:
        self._feed()
        if not self._given:
            return []
        ready, _ = self._ray.wait(list(self._given), num_returns=1, timeout=_LOOK_S)
        done: list[Outcome] = []
        for reference in ready:
            done += self._take(reference, self._given.pop(reference))
        done += self._overdue()
        self._replace_lost()
        self._feed()
        return done

    def close(self) -> None:
        for hand in self._hands:
            with suppress(Exception):
                self._ray.kill(hand.actor)
        self._ray.shutdown()

    def _ask(self, hand: _Hand) -> None:
        self._given[hand.actor.ready.remote()] = _Given(hand, None)

    def _take(self, reference: Any, given: _Given) -> list[Outcome]:
        hand, what = given.hand, given.what
        hand.held -= what is not None
        try:
            result = self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            failure = _raised(error)
            if isinstance(what, tuple):
                return self._queue.done(what, failure)
            assert what is not None, "an actor that is asked whether it is up runs none of our code"
            return [Outcome(what, failure)]
        except self._ray.exceptions.RayError:
            hand.lost = True
            return self._again(what)
        self._alive_at = time.monotonic()
        if what is None:
            hand.up = True
            return []
        if isinstance(what, tuple):
            return self._queue.done(what, result)
        return [Outcome(what, result)]

    def _again(self, what: ValidateTask | tuple[ScoreTask, ...] | None) -> list[Outcome]:
        """What a lost actor held goes to another one; until it has gone down with too many."""
        failure = WorkerFailure("crashed", f"lost {MOST_LOSSES} actors of the cluster")
        if isinstance(what, ValidateTask):
            if self._losses.add(what) >= MOST_LOSSES:
                return [Outcome(what, failure)]
            self._files.appendleft(what)
        elif what is not None:
            if max(map(self._losses.add, what)) >= MOST_LOSSES:
                return self._queue.done(what, failure)
            self._queue.again(what)
        return []

    def _overdue(self) -> list[Outcome]:
        """Scoring that takes too long: its actor is killed. (Files are under a limit where they are measured.)"""
        now = time.monotonic()
        done: list[Outcome] = []
        for reference, given in list(self._given.items()):
            if given.deadline is None or now < given.deadline or not isinstance(given.what, tuple):
                continue
            del self._given[reference]
            given.hand.lost = True
            self._ray.kill(given.hand.actor)
            limit = self._limits.timeout_s * len(given.what)
            done += self._queue.done(given.what, WorkerFailure("timeout", f"took longer than {limit:g} s"))
        return done

    def _replace_lost(self) -> None:
        """Start another actor for each that is gone; it waits in the cluster until there is room for it."""
        lost = [hand for hand in self._hands if hand.lost]
        for hand in lost:
            self._hands.remove(hand)
            made = self._scorers[0]() if hand.scores else self._validator()
            replacement = _Hand(made, scores=hand.scores)
            self._hands.append(replacement)
            self._ask(replacement)
        if any(hand.up for hand in self._hands):
            self._alive_at = time.monotonic()
        elif time.monotonic() - self._alive_at > NOBODY_S:
            raise RunError(f"no actor of the cluster came up within {NOBODY_S:g} s; the run can go on when it is there")

    def _feed(self) -> None:
        for hand in self._hands:
            while hand.up and not hand.lost and hand.held < (1 if hand.scores else AHEAD):
                what = self._next(scores=hand.scores)
                if what is None:
                    break
                hand.held += 1
                limit = time.monotonic() + self._limits.timeout_s * len(what) if isinstance(what, tuple) else None
                self._given[hand.actor.work.remote(what)] = _Given(hand, what, limit)

    def _next(self, *, scores: bool) -> ValidateTask | tuple[ScoreTask, ...] | None:
        if scores:
            return self._queue.batch() or None
        return self._files.popleft() if self._files else None


def _raised(error: Any) -> WorkerFailure:
    """What our own code raised in an actor, as a worker on this machine would say it."""
    cause = error.cause
    if isinstance(cause, MediacheckError):
        return WorkerFailure("raised", str(cause), error=cause)
    return WorkerFailure("raised", f"{type(cause).__name__}: {cause}", traceback=str(error))


def _connect(address: str | None, processors: int) -> None:
    import ray

    # It asks a server of its makers otherwise.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    before = signal.getsignal(signal.SIGTERM)
    quiet: dict[str, Any] = {"include_dashboard": False} if address is None else {}
    if address is None:
        quiet["num_cpus"] = processors
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **quiet)
    except Exception as error:
        where = "here" if address is None else f"at {address}"
        raise RunError(f"Ray cannot be reached {where}: {' '.join(str(error).split())[:300]}") from error
    finally:
        # Ray takes SIGTERM for itself, which would end the run without its draining.
        signal.signal(signal.SIGTERM, before)
