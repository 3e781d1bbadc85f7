"""Ctrl-C that loses nothing: the first ends the work when what is under way is done, the second ends it at once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from mediacheck.cli.outputs import note


@contextmanager
def draining(said: Callable[[], str]) -> Iterator[Callable[[], bool]]:
    """While the block runs, the first Ctrl-C or SIGTERM only sets what the function that it yields returns.

    Args:
        said: the remark at the first one.
    """
    asked = False

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        note(said())

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
