"""One thread that works beside its caller, one call at a time."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

_threads = True


def work_in_one_thread() -> None:
    """From now on, in this process, nothing is done beside the caller but by it, at once.

    For one of as many processes as there are processors: threads would only get in their way (a tenth of the processor
    time of a short clip).
    """
    global _threads
    _threads = False


class Beside:
    """Runs calls in a thread of its own, in order, never more than one call ahead of the caller.

    The thread starts with the first call. It ends when its ``Beside`` is no longer referred to: while it waits, the
    thread itself refers to nothing of its caller's.
    """

    def __init__(self) -> None:
        self._calls: SimpleQueue[tuple[Callable[[Any], None], Any] | None] = SimpleQueue()
        self._outcomes: SimpleQueue[BaseException | None] = SimpleQueue()
        self._started = False
        self._busy = False

    @property
    def at_once(self) -> bool:
        """Whether a call is over when it returns: nothing of its arguments is in use any more."""
        return not _threads

    def call(self, function: Callable[[Any], None], argument: Any) -> None:
        """Wait for the call before, then start this one.

        Raises:
            BaseException: what the call before raised.
        """
        self.wait()
        self._busy = True
        if not _threads:
            self._outcomes.put(_outcome_of(function, argument))
            return
        if not self._started:
            self._started = True
            threading.Thread(target=_work, args=(self._calls, self._outcomes), daemon=True).start()
            weakref.finalize(self, self._calls.put, None)
        self._calls.put((function, argument))

    def wait(self) -> None:
        """Wait until nothing is under way.

        Raises:
            BaseException: what the last call raised.
        """
        if not self._busy:
            return
        outcome = self._outcomes.get()
        self._busy = False
        if outcome is not None:
            raise outcome


def _work(
    calls: SimpleQueue[tuple[Callable[[Any], None], Any] | None], outcomes: SimpleQueue[BaseException | None]
) -> None:
    while (call := calls.get()) is not None:
        outcome = _outcome_of(*call)
        # Before the caller goes on: what is still referred to here would keep the thread alive.
        del call
        outcomes.put(outcome)
        del outcome


def _outcome_of(function: Callable[[Any], None], argument: Any) -> BaseException | None:
    """What it raised."""
    try:
        function(argument)
    except BaseException as error:
        return error
    return None
