"""Run a function over many items, each in a process that can be killed.

A decoder may crash, hang or eat all memory on one file. That must cost this file alone, so every call runs in a worker
process under a wall-clock limit and a memory limit; a worker that breaks is killed and replaced.
"""

from __future__ import annotations

import atexit
import math
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext, SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any, Generic, TypeVar

from mediacheck.worker_process import Task, WorkerFailure, serve

__all__ = ["Pool", "WorkerFailure", "processors", "wait_for"]

Item = TypeVar("Item")
Result = TypeVar("Result")

# poll(2) counts in C ints.
_LONGEST_WAIT_S = 86_400.0


def processors() -> int:
    """How many this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return min(1024, len(affinity(0)) if affinity else os.cpu_count() or 1)


class Pool(Generic[Item, Result]):
    """Worker processes that call one function. Leaving the ``with`` block, by whatever way, kills every worker."""

    def __init__(
        self,
        function: Callable[[Item], Result],
        *,
        jobs: int = 1,
        timeout_s: float | None = 600.0,
        memory_bytes: int | None = None,
        prepare: Callable[[], object] | None = None,
        fork: bool = True,
        items_per_worker: int | None = None,
        short: Callable[[Item], bool] | None = None,
    ) -> None:
        """Start the workers.

        Args:
            function: where workers cannot be forked (see ``_context``), it must be importable by name.
            jobs: how many processes work at once, at least 1.
            timeout_s: wall-clock seconds for one item, finite and above 0; None for no limit. The first item of a
                worker pays its imports.
            memory_bytes: how much memory of its own a worker may take, above 0; None for no limit.
            prepare: called in each worker as it starts, while the caller goes on: imports, say.
            fork: False in a process that is not ours: its threads, locks and open sockets must not be copied into a
                worker that outlives the call, nor its main module be imported there.
            items_per_worker: after how many a new process takes over; None: it stays to the end.
            short: whether an item takes moments only. One such item may wait in the pipe behind another, so that the
                worker need not wait for it; an item that takes long keeps none from the other workers.

        Raises:
            ValueError: a limit is not above 0, or not finite.
            OSError: the system refuses even one process. Where it refuses some of them, fewer work.
        """
        if timeout_s is not None and not 0 < timeout_s < math.inf:
            raise ValueError(f"timeout_s must be finite and above 0, not {timeout_s}")
        if memory_bytes is not None and not memory_bytes > 0:
            raise ValueError(f"memory_bytes must be above 0, not {memory_bytes}")
        self._context = _context() if fork else _BareContext()
        self._task = Task(function, prepare, timeout_s, memory_bytes)
        self._jobs = max(1, jobs)
        self._workers: list[_Worker[Item, Result]] = []
        self._short = short
        self._again: deque[tuple[int, Item]] = deque()
        """Items that waited behind one over which their worker broke."""
        self._items_per_worker = math.inf if items_per_worker is None else items_per_worker
        self._process = os.getpid()
        _open_pools.add(self)
        try:
            while len(self._workers) < self._jobs:
                self._start()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Pool[Item, Result]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for worker in self._workers:
            worker.kill()
        self._workers = []

    def _start(self) -> None:
        """Start one worker more; with some there, a refusal by the system means to go on with those."""
        try:
            siblings = [worker.connection for worker in self._workers]
            self._workers.append(_Worker(self._context, self._task, siblings))
        except OSError:
            # Too many processes or open files for this system.
            if not self._workers:
                raise
            self._jobs = len(self._workers)

    def run(self, items: Iterable[Item]) -> Iterator[tuple[int, Result | WorkerFailure]]:
        """Call the function on every item, and yield ``(index, result)`` as each is done.

        No more than ``jobs`` items are under way or waiting to be taken at any time, and as many short ones behind
        them.

        Args:
            items: must be picklable, as must the results.

        Yields:
            The item's index with its result, or with a ``WorkerFailure``; in order of completion.

        Raises:
            OSError: workers broke, and the system refuses even one new process.
        """
        pending = enumerate(items)
        following: tuple[int, Item] | None = None
        done: list[tuple[int, Result | WorkerFailure]] = []
        while True:
            # Before what is done is handed on: a worker shall not wait while the caller writes a file.
            while following := following or (self._again.popleft() if self._again else next(pending, None)):
                if not self.offer(*following):
                    break
                following = None
            yield from done
            if not self.busy:
                return
            done = self.collect(wait_for([self]))

    @property
    def busy(self) -> int:
        """How many items are under way, or wait behind one that is."""
        return sum(len(worker.given) for worker in self._workers)

    @property
    def free(self) -> bool:
        """Whether any item would be taken now."""
        return sum(bool(worker.given) for worker in self._workers) < self._jobs

    def offer(self, index: int, item: Item, *, timeout_s: float | None = None) -> bool:
        """Hand an item to a worker that is free, or a short one behind another; False where there is no place.

        Args:
            index: what ``collect`` calls it.
            item: must be picklable.
            timeout_s: wall-clock seconds for this item, at most those of the pool; None: those of the pool.

        Raises:
            OSError: workers broke, and the system refuses even one new process.
        """
        while worker := self._idle():
            if worker.give(index, item, timeout_s):
                return True
            worker.kill()
            self._workers.remove(worker)
        return any(worker.give(index, item, timeout_s) for worker in self._with_place_behind(item))

    def _with_place_behind(self, item: Item) -> Iterator[_Worker[Item, Result]]:
        """Workers that have one short item, where ``item`` is short too."""
        if self._short is None:
            return
        for worker in self._workers:
            # Asked last: an item without a place is offered again whenever another is done.
            place = len(worker.given) == 1 and worker.taken < self._items_per_worker
            if place and self._short(item) and self._short(worker.given[0].item):
                yield worker

    def collect(self, spoken: Collection[object] | None = None) -> list[tuple[int, Result | WorkerFailure]]:
        """What is done by now, with the index of each; nothing is waited for.

        ``spoken``: what ``wait_for`` gave; None: look again.
        """
        done: list[tuple[int, Result | WorkerFailure]] = []
        busy = [worker for worker in self._workers if worker.given]
        ready = wait([worker.connection for worker in busy], timeout=0) if spoken is None else spoken
        for worker in busy:
            if worker.connection in ready:
                done.append(worker.take())
            elif time.monotonic() >= worker.deadline:
                done.append(worker.expire())
            if worker.dead:
                self._again += ((given.index, given.item) for given in worker.given)
                self._workers.remove(worker)
        return done

    def _waited_for(self) -> tuple[list[Connection], float]:
        """What speaks when an item is done, and the time at which the first is out of time."""
        busy = [worker for worker in self._workers if worker.given]
        return [worker.connection for worker in busy], min((worker.deadline for worker in busy), default=math.inf)

    def _idle(self) -> _Worker[Item, Result] | None:
        """A worker without an item, a new one where some are missing; None where all are busy."""
        for worker in list(self._workers):
            if worker.given:
                continue
            if worker.taken < self._items_per_worker:
                return worker
            worker.kill()
            self._workers.remove(worker)
        if len(self._workers) < self._jobs:
            before = len(self._workers)
            self._start()
            if len(self._workers) > before:
                return self._workers[-1]
        return None


def _close_open_pools() -> None:
    """At the end of the process: multiprocessing would ask workers by SIGTERM to end, which they do not hear."""
    for pool in list(_open_pools):
        # A fork has copies of its parent's pools.
        if pool._process == os.getpid():
            pool.close()


_open_pools: weakref.WeakSet[Pool[Any, Any]] = weakref.WeakSet()
atexit.register(_close_open_pools)


def wait_for(pools: Iterable[Pool[Any, Any]]) -> Collection[object]:
    """Sleep until an item of one of the pools is done or out of time; nothing where none is busy.

    Returns:
        What spoke, for ``collect``.
    """
    waited = [pool._waited_for() for pool in pools]
    connections = [connection for own, _ in waited for connection in own]
    deadline = min((at for _, at in waited), default=math.inf)
    if not connections:
        return ()
    left_s = None if math.isinf(deadline) else min(_LONGEST_WAIT_S, max(0.0, deadline - time.monotonic()))
    return wait(connections, left_s)


def _context() -> BaseContext:
    """Fork costs a few milliseconds, but is safe only while no thread and no library with threads of its own is up."""
    light = threading.active_count() == 1 and not {"numpy", "av"} & sys.modules.keys()
    forkable = "fork" in multiprocessing.get_all_start_methods() and sys.platform != "darwin"
    return multiprocessing.get_context("fork" if light and forkable else "spawn")


class _BareProcess(SpawnProcess):
    """A spawned process that does not import the parent's main module: all that a worker calls has a module's name.

    ``multiprocessing`` would run it again otherwise: a script that calls ``pytest.main()`` without a guard would start
    its tests a second time in the worker.
    """

    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Any:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            return SpawnProcess._Popen(process_obj)
        finally:
            sys.modules["__main__"] = main


class _BareContext(SpawnContext):
    Process = _BareProcess


@dataclass(frozen=True)
class _Given(Generic[Item]):
    """An item that a worker was handed."""

    index: int
    item: Item
    limit_s: float | None


class _Worker(Generic[Item, Result]):
    """The parent's side of one worker process."""

    def __init__(self, context: BaseContext, task: Task, siblings: list[Connection]) -> None:
        self.connection, theirs = context.Pipe()
        self.given: deque[_Given[Item]] = deque()
        """The item under way, and what waits behind it."""
        self.deadline = math.inf
        self.dead = False
        self.taken = 0
        """Items so far."""
        self._timeout_s = task.timeout_s
        # A forked child holds copies of the parent's ends; left open, they would keep it from seeing the parent die.
        inherited = [self.connection, *siblings] if context.get_start_method() == "fork" else []
        self._process = context.Process(  # type: ignore[attr-defined]
            target=serve, args=(theirs, task, inherited), daemon=True
        )
        try:
            self._process.start()
        except OSError:
            self.connection.close()
            raise
        finally:
            theirs.close()

    def give(self, index: int, item: Item, timeout_s: float | None) -> bool:
        """Hand over an item; False where the process is gone."""
        try:
            # Not connection.send(): its pickler, which can also send open files, takes twice as long to set up.
            self.connection.send_bytes(pickle.dumps(item, pickle.HIGHEST_PROTOCOL))
        except OSError:
            return False
        self.given.append(_Given(index, item, self._timeout_s if timeout_s is None else timeout_s))
        self.taken += 1
        if len(self.given) == 1:
            self._start_clock()
        return True

    def _start_clock(self) -> None:
        """For the item that is under way now."""
        limit_s = self.given[0].limit_s if self.given else None
        self.deadline = math.inf if limit_s is None else time.monotonic() + limit_s

    def take(self) -> tuple[int, Result | WorkerFailure]:
        """What the process sent, or how it ended."""
        index = self.given.popleft().index
        self._start_clock()
        try:
            outcome: Result | WorkerFailure = pickle.loads(self.connection.recv_bytes())
        except (EOFError, OSError):
            self._process.join(timeout=1)
            code = self._process.exitcode
            # No decoder and no library sends itself this one.
            outcome = WorkerFailure("crashed", _ending(code), killed=code == -signal.SIGKILL)
            self.kill()
        else:
            # After running out of memory the process is in no state to go on.
            if isinstance(outcome, WorkerFailure) and outcome.kind == "memory":
                self.kill()
        return index, outcome

    def expire(self) -> tuple[int, WorkerFailure]:
        self.kill()
        given = self.given.popleft()
        return given.index, WorkerFailure("timeout", f"took longer than {given.limit_s:g} s")

    def kill(self) -> None:
        self.dead = True
        self._process.kill()
        self._process.join()
        self.connection.close()


def _ending(exitcode: int | None) -> str:
    if exitcode is None or exitcode >= 0:
        return f"ended the worker (exit status {exitcode})"
    try:
        name = signal.Signals(-exitcode).name
    except ValueError:
        name = "unknown"
    hint = ", most likely by the system for want of memory" if name == "SIGKILL" else ""
    return f"crashed (signal {-exitcode}, {name}{hint})"
