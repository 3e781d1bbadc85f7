"""Is the file there, and is it the one that was judged before?"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mediacheck.api import kind_of
from mediacheck.batch.places import is_remote


@dataclass(frozen=True)
class Look:
    """What can be said of a file without reading it."""

    status: Literal["present", "missing", "unreadable"]
    size: int = 0
    """Bytes; 0 where that is not known."""
    state: str | None = None
    """Equal where the file is the same; None: that cannot be told."""
    reason: str | None = None
    """Why it is not present: one clause, the same on every machine."""


def look(place: str) -> Look:
    """Look at a local file; nothing is opened that could hang.

    Its state is size, times of change of content and of inode, and inode: a copy that restores the time of the content
    cannot restore the other one.
    """
    try:
        status = os.stat(place)
    except (FileNotFoundError, NotADirectoryError):
        what = "is a link to a file that is not there" if os.path.islink(place) else "is not there"
        return Look("missing", reason=f"the file {what}")
    except (OSError, ValueError) as error:
        return Look("unreadable", reason=f"the file cannot be read: {getattr(error, 'strerror', None) or error}")
    if not stat.S_ISREG(status.st_mode):
        return Look("unreadable", reason=f"it is {kind_of(status.st_mode)}, not a file")
    if not os.access(place, os.R_OK):
        return Look("unreadable", reason="the file cannot be read: permission denied")
    state = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}:{status.st_ino}"
    return Look("present", status.st_size, state)


def look_anywhere(place: str) -> Look:
    """Look at a file, wherever it lies. In a worker only: what reads URLs has threads that do not survive a fork."""
    if not is_remote(place):
        return look(place)
    from mediacheck.batch import remote

    try:
        return Look("present", state=remote.state(place) or None)
    except remote.RemoteMissing:
        return Look("missing", reason="the file is not there")
    except remote.RemoteUnavailable as error:
        return Look("unreadable", reason=str(error))


@contextmanager
def local(place: str) -> Iterator[Path]:
    """A file as a path: itself, or a copy that is gone afterwards.

    Raises:
        RemoteMissing: it is not there any more.
        RemoteUnavailable: it could not be fetched whole.
    """
    if not is_remote(place):
        yield Path(place)
        return
    from mediacheck.batch import remote

    with remote.fetched(place) as path:
        yield path
