"""How much work a call is, without a clock: a busy machine must not fail a test."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_HANG_S = 60


class NeverEnds(Exception):
    """What was called is still at it."""


@contextmanager
def ends() -> Iterator[None]:
    """Turns what would hang the tests into a failure. A limit far above what the block takes, no measurement."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise NeverEnds(f"not done within {_HANG_S} s of what takes far less than one")

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.alarm(_HANG_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def calls(function: Callable[[], Any]) -> int:
    """Calls of Python's functions and of C's that Python makes: the same on every machine."""
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count
