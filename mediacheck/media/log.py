"""FFmpeg's log as a witness: some decoders tell of damage nowhere else."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import av

Log = list[tuple[int, str, str]]
"""Level, name of the component, message."""

_lock = threading.Lock()
_users = 0
_before: int | None = None


@contextmanager
def error_log() -> Iterator[Log]:
    """What FFmpeg logs at level ERROR in this thread, while the block runs.

    The level is one for the whole process: the first to come raises it, the last to go puts back what was there.
    """
    global _users, _before
    with _lock:
        if _users == 0:
            _before = av.logging.get_level()
            av.logging.set_level(av.logging.ERROR)
        _users += 1
    try:
        with av.logging.Capture() as log:
            yield log
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                av.logging.set_level(_before)
