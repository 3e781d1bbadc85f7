"""How a run over many files goes: a bar on a terminal, and of a long run a line now and then in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from mediacheck.cli.outputs import note

EVERY_S: Final = 30.0
"""Between two lines of a log."""
_REDRAWN_S: Final = 0.1
"""Drawing takes longer than a short file."""


@contextmanager
def progress(
    count: int, *, quiet: bool, label: str = "measuring", logged: bool = False
) -> Iterator[Callable[[], None]]:
    """A function to call after each of ``count`` files; it shows how many are done, how fast, and what is left.

    Args:
        count: of files; one alone shows nothing.
        quiet: show nothing.
        label: what is being done.
        logged: where standard error is no terminal, write a line every 30 s.
    """
    if quiet or count < 2 or sys.stderr is None:
        yield _nothing
    elif sys.stderr.isatty():
        with _bar(count, label) as advance:
            yield advance
    else:
        yield _Log(count).advance if logged else _nothing


@contextmanager
def _bar(count: int, label: str) -> Iterator[Callable[[], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    speed = TextColumn("{task.fields[speed]}")
    columns = TextColumn(label), BarColumn(), MofNCompleteColumn(), speed, TimeRemainingColumn()
    start = time.monotonic()
    # Without a refreshing thread: workers are forked while it runs.
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task("", total=count, speed="")
        shown = 0.0
        done = 0

        def advance() -> None:
            nonlocal shown, done
            done += 1
            now = time.monotonic()
            if now - shown > _REDRAWN_S or done == count:
                shown = now
                bar.update(task, completed=done, speed=_speed(done, now - start))
                bar.refresh()

        bar.refresh()
        yield advance


class _Log:
    def __init__(self, count: int) -> None:
        self._count = count
        self._done = 0
        self._start = self._told = time.monotonic()

    def advance(self) -> None:
        self._done += 1
        now = time.monotonic()
        if now - self._told < EVERY_S:
            return
        self._told = now
        left = (now - self._start) / self._done * (self._count - self._done)
        note(f"{self._done} of {self._count} items, {_speed(self._done, now - self._start)}, {_time(left)} left")


def _speed(done: int, seconds: float) -> str:
    speed = done / seconds if seconds > 0 else 0.0
    return f"{speed:.1f}/s" if speed >= 1 else f"{speed * 60:.1f}/min"


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _nothing() -> None:
    """Where nothing is shown."""
