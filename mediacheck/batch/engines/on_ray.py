"""The engine of a cluster: actors on every node do the work, the driver alone writes the ledger.

On each node that is up, now or later, there is one validating actor a processor, and one scoring actor a GPU (or one in
all, where the cluster has no GPU) for each ``--device``. Scoring actors claim no processors, as the scoring process of
one machine does not: a cluster of one processor must not be filled by either kind.

Files are read where an actor runs: on a file system that all nodes share, or behind a URL.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from mediacheck.batch.engines import cluster
from mediacheck.batch.engines.actors import Scorer, Validator, versions
from mediacheck.batch.engines.queue import BATCH, ScoringQueue
from mediacheck.batch.errors import RunError
from mediacheck.batch.tasks import Outcome, Rules, ScoredBatch, ScoreTask, ScoringPlan, ValidateTask
from mediacheck.errors import UsageError
from mediacheck.facts import Tag
from mediacheck.measuring import Limits
from mediacheck.scoring.registry import require_library
from mediacheck.scoring.score import Identity
from mediacheck.workers import WorkerFailure

AHEAD: Final = 2
"""Files that a validating actor holds: the next one is there when it is done with one."""
MOST_LOSSES: Final = 3
"""Actors that may be lost while they are at a file before the file is held to be why."""
MOST_STILLBORN: Final = 5
"""Actors that may fail to start on a node before it gets no more."""
NOBODY_S: Final = 300.0
"""Wall-clock seconds without a working actor of a kind after which the cluster is given up."""
HEADLESS_S: Final = 20.0
"""Wall-clock seconds without the head of the cluster after which it is given up."""
GRACE_S: Final = 300.0
"""That an actor has beyond the limits it keeps by itself; after that it is held to be lost."""
_WAIT_S: Final = 0.5
_LOOK_S: Final = 2.0
"""Between two looks at the nodes."""

_VALIDATE: Final = None
"""In place of the number of a plan."""


@dataclass(eq=False)
class _Hand:
    """An actor, and what it holds."""

    actor: Any
    node: cluster.Node
    plan: int | None
    """Of scoring, by its number; None: it validates."""
    up: bool = False
    held: int = 0


@dataclass(frozen=True)
class _Given:
    """A task, or a batch of them, that an actor holds."""

    hand: _Hand
    what: ValidateTask | tuple[ScoreTask, ...] | None
    """None: it is asked whether it is up."""
    deadline: float | None = None


@dataclass
class _Stillborn:
    """Actors of a node that went down before they were up."""

    count: int = 0
    cause: str = ""


@dataclass
class _Stage:
    """What is known of one kind of actors."""

    alive_at: float
    """On the monotonic clock, when one was last known to be up."""
    identities: dict[int, tuple[Identity, ...]] = field(default_factory=dict)
    """By the number of the plan."""


class RayEngine:
    """Work on a Ray of our own here, or on a cluster by its address."""

    def __init__(
        self,
        rules: Rules,
        scoring: tuple[ScoringPlan, ...],
        *,
        limits: Limits,
        jobs: int,
        items: int,
        address: str | None = None,
        keep_facts: bool = False,
        plain: bool = False,
    ) -> None:
        """Connect, and start actors.

        Args:
            rules: by which to judge.
            scoring: one plan for each scoring actor of a node, or of a GPU; none: nothing is scored.
            limits: for one file; the time also holds for the scores of one item.
            jobs: processors to use where no cluster is named; of a cluster all are.
            items: of the run: there are no more actors of a kind.
            address: of a cluster; None: see ``cluster.connect``.
            keep_facts: whether facts are sent back.
            plain: whether all files look uncompressed.

        Raises:
            ModelError: ray is not installed.
            UsageError: a GPU is asked for by its number.
            RunError: the cluster cannot be reached.
        """
        for plan in scoring:
            if ":" in plan.options.device:
                raise UsageError(
                    f"--device {plan.options.device}: Ray hands out the GPUs; write cpu or cuda with --engine ray"
                )
        require_library("ray", extra="ray", wanted_by="the engine ray")
        import ray

        self._ray = ray
        self._limits = limits
        self._items = max(1, items)
        self._plans = scoring
        self._queue = ScoringQueue()
        self._files: deque[ValidateTask] = deque()
        self._losses: Counter[tuple[str, int]] = Counter()
        self._given: dict[Any, _Given] = {}
        """In the order in which each actor works them off."""
        self._hands: list[_Hand] = []
        self._stillborn: dict[str, _Stillborn] = {}
        """By node."""
        self._versions = versions()
        cluster.connect(address, jobs)
        try:
            # Lost actors are not restarted by Ray: what they held is given to others at once.
            self._validator = ray.remote(max_restarts=0)(Validator)
            self._scorer = ray.remote(max_restarts=0)(Scorer)
            self._validator_arguments = (ray.put(rules), keep_facts, plain, limits)
            self._nodes = cluster.alive_nodes()
            # Where scores are computed is part of what they are: a node without GPUs must not score as well.
            gpus = any(node.gpus for node in self._nodes)
            self._on_gpu = tuple(gpus and plan.options.device in ("auto", "cuda") for plan in scoring)
            now = time.monotonic()
            self._stages = {scores: _Stage(now) for scores in ({False, True} if scoring else {False})}
            self._next_look = self._head_at = now
            self._look()
        except BaseException:
            self.close()
            raise

    @property
    def busy(self) -> int:
        given = (given.what for given in self._given.values())
        held = sum(len(what) if isinstance(what, tuple) else 1 for what in given if what is not None)
        return held + len(self._files) + len(self._queue)

    def room_to_validate(self) -> bool:
        return len(self._files) < max(1, self._count(scores=False))

    def room_to_score(self) -> bool:
        return len(self._queue) < BATCH * max(1, self._count(scores=True))

    def submit(self, task: ValidateTask | ScoreTask) -> None:
        if isinstance(task, ScoreTask):
            self._queue.append(task)
        else:
            self._files.append(task)
        self._feed()

    def drain(self) -> None:
        self._files.clear()
        self._queue.clear()

    def wait(self) -> list[Outcome]:
        if not self.busy:
            return []
        done = self._step()
        self._feed()
        return done

    def identities(self) -> tuple[Identity, ...]:
        known = self._stages[True].identities
        while len(known) < len(self._plans):
            self._step()
        found = {identity.digest: identity for own in known.values() for identity in own}
        return tuple(found.values())

    def close(self) -> None:
        for hand in self._hands:
            with suppress(Exception):
                self._ray.kill(hand.actor)
        self._ray.shutdown()

    def _count(self, *, scores: bool) -> int:
        return sum((hand.plan is not _VALIDATE) == scores for hand in self._hands)

    def _step(self) -> list[Outcome]:
        """Wait a little for what is under way."""
        done: list[Outcome] = []
        if not self._given:
            time.sleep(_WAIT_S)
        else:
            everything = list(self._given)
            ready, _ = self._ray.wait(everything, num_returns=1, timeout=_WAIT_S)
            if ready:
                ready, _ = self._ray.wait(everything, num_returns=len(everything), timeout=0)
            for reference in ready:
                # What a lost actor held was given to others meanwhile.
                if reference in self._given:
                    done += self._take(reference)
        done += self._overdue()
        self._look()
        return done

    def _take(self, reference: Any) -> list[Outcome]:
        given = self._given[reference]
        hand, what = given.hand, given.what
        try:
            result = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            return self._lose(hand, cluster.last_line(error))
        del self._given[reference]
        if what is None:
            self._welcome(hand, result)
            return []
        hand.held -= 1
        if isinstance(what, tuple):
            return self._queue.done(what, result)
        return [Outcome(what, result)]

    def _welcome(self, hand: _Hand, said: tuple[Tag, ...] | ScoredBatch | WorkerFailure) -> None:
        """An actor is up; what it says of itself must be what the others are."""
        if isinstance(said, WorkerFailure):
            if said.error is None:
                raise RunError(f"loading the scorers {said.message} (on the node {hand.node.host})")
            raise said.error if len(self._nodes) == 1 else type(said.error)(f"the node {hand.node.host}: {said.error}")
        if isinstance(said, ScoredBatch):
            assert hand.plan is not None, "a validating actor has no scorers"
            known = self._stages[True].identities.setdefault(hand.plan, said.identities)
            if known != said.identities:
                raise RunError(
                    f"the node {hand.node.host} has other models or libraries for scoring than the others; "
                    "install the same on every node"
                )
        else:
            for here, there in zip(self._versions, said, strict=True):
                if here != there:
                    raise RunError(
                        f"the node {hand.node.host} has {there.key} {there.value}, this machine {here.value}; "
                        "install the same on every node"
                    )
        hand.up = True
        self._stillborn.pop(hand.node.id, None)

    def _lose(self, hand: _Hand, cause: str) -> list[Outcome]:
        """Whatever an actor held that is gone goes to others."""
        self._hands.remove(hand)
        with suppress(Exception):
            # It may be there still: what is lost can also be what it sent.
            self._ray.kill(hand.actor)
        if not hand.up:
            failed = self._stillborn.setdefault(hand.node.id, _Stillborn())
            failed.count += 1
            failed.cause = cause
        else:
            self._next_look = time.monotonic()
        held = {reference: given.what for reference, given in self._given.items() if given.hand is hand}
        for reference in held:
            del self._given[reference]
        done: list[Outcome] = []
        lost = [what for what in held.values() if what is not None]
        # It works them off one by one: only what it was at can be why it went down.
        for what in reversed(lost):
            done += self._again(what, blamed=what is lost[0])
        return done

    def _again(self, what: ValidateTask | tuple[ScoreTask, ...], *, blamed: bool) -> list[Outcome]:
        tasks = what if isinstance(what, tuple) else (what,)
        if blamed:
            self._losses.update((task.stage, task.subject) for task in tasks)
        guilty = any(self._losses[task.stage, task.subject] >= MOST_LOSSES for task in tasks)
        failure = WorkerFailure("crashed", f"crashed ({MOST_LOSSES} processes on the cluster were lost, one by one)")
        if isinstance(what, tuple):
            if guilty:
                return self._queue.done(what, failure)
            self._queue.again(what)
        elif guilty:
            return [Outcome(what, failure)]
        else:
            self._files.appendleft(what)
        return []

    def _overdue(self) -> list[Outcome]:
        """An actor that stopped without its process ending: the limits that it keeps are long over."""
        now = time.monotonic()
        late = {given.hand for given in self._given.values() if given.deadline is not None and now > given.deadline}
        return [outcome for hand in late for outcome in self._lose(hand, "it did not answer any more")]

    def _look(self) -> None:
        """See which nodes there are, and start the actors that are missing on them.

        Raises:
            RunError: nobody is there to do the work.
        """
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + _LOOK_S
        if not cluster.head_answers():
            if now - self._head_at > HEADLESS_S:
                raise RunError("the head of the cluster is gone; where there is one, the same command goes on")
            return
        self._head_at = now
        self._nodes = cluster.alive_nodes()
        nodes = [node for node in self._nodes if self._stillborn.get(node.id, _Stillborn()).count < MOST_STILLBORN]
        missing = cluster.placed(nodes, self._on_gpu, self._items)
        missing.subtract((hand.node, hand.plan) for hand in self._hands)
        for (node, plan), count in missing.items():
            for _ in range(count):
                self._start(node, plan)
        for scores, stage in self._stages.items():
            hands = [hand for hand in self._hands if (hand.plan is not _VALIDATE) == scores]
            if any(hand.up for hand in hands):
                stage.alive_at = now
            elif not hands and self._stillborn.keys() & {node.id for node in self._nodes}:
                raise RunError(f"mediacheck cannot start on the cluster: {self._causes()}")
            elif now - stage.alive_at > NOBODY_S:
                kind = "scoring" if scores else "validating"
                raise RunError(
                    f"the cluster had no {kind} actor for {NOBODY_S:g} s: "
                    f"{self._causes() or 'its nodes are gone, or busy with other work'}; "
                    "the same command goes on where this one stopped"
                )

    def _causes(self) -> str:
        return next((failed.cause for failed in self._stillborn.values()), "")

    def _start(self, node: cluster.Node, plan: int | None) -> None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        here = NodeAffinitySchedulingStrategy(node.id, soft=False)
        if plan is _VALIDATE:
            actor = self._validator.options(num_cpus=1, scheduling_strategy=here).remote(*self._validator_arguments)
        else:
            gpus, threads = cluster.share(node, plan, self._on_gpu)
            actor = self._scorer.options(num_cpus=0, num_gpus=gpus, scheduling_strategy=here).remote(
                self._plans[plan], self._limits, threads
            )
        hand = _Hand(actor, node, plan)
        self._hands.append(hand)
        self._given[actor.ready.remote()] = _Given(hand, None)

    def _feed(self) -> None:
        """Give every actor that is up as much as it may hold."""
        for level in range(AHEAD):
            for hand in self._hands:
                if not hand.up or hand.held > level or (level and hand.plan is not _VALIDATE):
                    continue
                what = self._next(hand)
                if what is None:
                    continue
                items = len(what) if isinstance(what, tuple) else 1
                hand.held += 1
                deadline = time.monotonic() + self._limits.timeout_s * items * hand.held + GRACE_S
                self._given[hand.actor.work.remote(what)] = _Given(hand, what, deadline)

    def _next(self, hand: _Hand) -> ValidateTask | tuple[ScoreTask, ...] | None:
        if hand.plan is not _VALIDATE:
            return self._queue.batch() or None
        return self._files.popleft() if self._files else None
