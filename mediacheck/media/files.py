"""A file on disk: is it one that can be measured, how long is it, and what is its sha256."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path

from mediacheck.errors import PathError
from mediacheck.facts import ContainerFacts, FileFacts, MediaFacts, Problem

CHUNK = 1 << 20


def require_file(path: Path) -> int:
    """The size of a regular file, in bytes.

    Raises:
        PathError: there is none, it cannot be read, or it is a folder, a pipe or a device (reading one may hang).
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise PathError(f"{path} is not a regular file; name a media file, or - for standard input")
        with path.open("rb"):
            pass
    except FileNotFoundError as error:
        if isinstance(error, PathError):
            raise
        raise PathError(f"{path} does not exist; check the path") from error
    except OSError as error:
        raise PathError(f"{path} cannot be read: {error.strerror or error}") from error
    return status.st_size


def file_facts(path: Path, name: str) -> FileFacts:
    """Size and sha256, read in pieces."""
    digest = hashlib.sha256()
    size = 0
    with path.open("rb", buffering=0) as file:
        while piece := file.read(CHUNK):
            digest.update(piece)
            size += len(piece)
    return FileFacts(name=name, bytes=size, sha256=digest.hexdigest())


def unmeasured(source: Path, *, name: str, problem: Problem) -> MediaFacts:
    """The facts of a file that could not be measured at all (a decoder that crashed or hung): the file and why.

    Raises:
        PathError: the file is not there.
    """
    require_file(source)
    container = ContainerFacts(format=None, completeness="the file was not measured", problems=(problem,))
    return MediaFacts(file=file_facts(source, name), container=container)
