"""A progress bar on standard error, where someone is there to see it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(count: int, *, quiet: bool, label: str = "measuring") -> Iterator[Callable[[], None]]:
    """A function to call after each of ``count`` files; it draws only for several files on a terminal.

    Args:
        count: of files.
        quiet: draw nothing.
        label: what is being done.
    """
    if quiet or count < 2 or not sys.stderr.isatty():
        yield _nothing
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    # Without a refreshing thread: workers are forked while it runs.
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task("", total=count)

        def advance() -> None:
            bar.advance(task)
            bar.refresh()

        bar.refresh()
        yield advance


def _nothing() -> None:
    """Where no bar is drawn."""
