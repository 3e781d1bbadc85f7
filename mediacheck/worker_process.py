"""A worker process: takes an item, calls the function, sends the result, and ends with its parent.

``workers`` starts it, feeds it and kills it.
"""

from __future__ import annotations

import contextlib
import gc
import math
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Literal

from mediacheck.errors import MediacheckError

# A worker whose parent is gone ends itself this long after the limit at which the parent would have killed it.
_ORPHAN_GRACE_S = 5
# alarm(2) counts in C ints.
_LONGEST_ALARM_S = 2**31 - 1


@dataclass(frozen=True)
class WorkerFailure:
    """Why there is no result for an item."""

    kind: Literal["crashed", "timeout", "memory", "raised"]
    message: str
    """One clause: ``crashed (signal 11, SIGSEGV)``, ``took longer than 600 s``, …"""
    killed: bool = False
    """Whether the process was killed from outside: by the system, for want of memory, or by somebody."""
    error: MediacheckError | None = None
    """What the function raised, where that was one of our own errors."""
    traceback: str | None = None
    """Where the function raised something else."""


@dataclass(frozen=True)
class Task:
    """What every worker does, and under which limits."""

    function: Callable[[Any], Any]
    prepare: Callable[[], object] | None
    timeout_s: float | None
    memory_bytes: int | None


def serve(connection: Connection, task: Task, inherited: list[Connection]) -> None:
    """The worker process: take an item, call, send the result, until the parent closes the pipe."""
    for other in inherited:
        other.close()
    # Ctrl-C, and SIGTERM of many a scheduler, reach the whole process group; the parent decides, and kills.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # OpenBLAS reserves memory per thread when it is imported; measuring needs none of its threads.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    _silence()
    if task.memory_bytes is not None:
        _limit_memory(task.memory_bytes)
    if task.prepare is not None:
        # Imports make objects that stay: looking for garbage among them takes a twentieth of the time.
        gc.disable()
        # What goes wrong here goes wrong again, and is reported, where it is needed.
        with contextlib.suppress(Exception):
            task.prepare()
        gc.enable()
    # A search for garbage writes into every object that it looks at: pages that a fork shares with its parent would
    # become copies, the more the longer the file.
    gc.freeze()
    while True:
        try:
            item = connection.recv()
        except (EOFError, OSError):
            return
        _set_alarm(task.timeout_s)
        payload = _call(task.function, item)
        _set_alarm(None)
        try:
            connection.send_bytes(payload)
        except OSError:
            return
        # The next item may be long in coming.
        del item, payload


def _call(function: Callable[[Any], Any], item: Any) -> bytes:
    """The result of the call, or its failure, pickled."""
    try:
        return pickle.dumps(function(item), protocol=pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        failure = WorkerFailure("memory", "needed more memory than its limit")
    except MediacheckError as error:
        failure = WorkerFailure("raised", str(error), error=error)
    except Exception as error:
        failure = WorkerFailure("raised", f"{type(error).__name__}: {error}", traceback=traceback.format_exc())
    return pickle.dumps(failure)


def _silence() -> None:
    """Keep what native libraries print away from the terminal and from JSON on standard output."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    os.close(null)


def _limit_memory(memory_bytes: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    # Linux counts what a process can write to (RLIMIT_DATA), not what it reserves: FFmpeg starts a thread per core,
    # and the address space that glibc sets aside for each would exhaust RLIMIT_AS on a machine with many cores.
    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    _, hard = resource.getrlimit(kind)
    limit = min(memory_bytes, sys.maxsize) if hard == resource.RLIM_INFINITY else min(memory_bytes, hard)
    resource.setrlimit(kind, (limit, hard))


def _set_alarm(timeout_s: float | None) -> None:
    """A hung native call cannot notice that its parent is gone; SIGALRM's default action ends it all the same."""
    if hasattr(signal, "alarm"):
        signal.alarm(0 if timeout_s is None else min(_LONGEST_ALARM_S, math.ceil(timeout_s) + _ORPHAN_GRACE_S))
