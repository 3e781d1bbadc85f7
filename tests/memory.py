"""How much memory an iterator holds, in a process of its own: what else a test run loads or runs must not count."""

from __future__ import annotations

import multiprocessing
import pathlib
import tracemalloc
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import Final

_EVERY: Final = 997
# pathlib interns the parts of each path. They go again, but now and then the interpreter makes its table of all
# interned strings anew: some MB at a moment that depends on what was loaded before.
_NOT_ITS_OWN: Final = (tracemalloc.Filter(False, pathlib.__file__), tracemalloc.Filter(False, tracemalloc.__file__))


def held(function: Callable[[], Iterable[object]]) -> tuple[int, int]:
    """How many things a function of a module gives, and the most bytes that it held when one of them was given.

    All are taken once before it counts: what is imported, and the caches that fill the first time, are not counted.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as process:
        return process.submit(_held, function).result()


def _held(function: Callable[[], Iterable[object]]) -> tuple[int, int]:
    for _ in function():
        pass
    tracemalloc.start()
    count, most = 0, 0
    for _ in function():
        count += 1
        if count % _EVERY == 0:
            traces = tracemalloc.take_snapshot().filter_traces(_NOT_ITS_OWN)
            most = max(most, sum(trace.size for trace in traces.traces))
    tracemalloc.stop()
    return count, most
