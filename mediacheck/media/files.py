"""A file on disk: is it one that can be measured, how long is it, and what is its sha256."""

from __future__ import annotations

import hashlib
import io
import stat
from pathlib import Path
from typing import BinaryIO

from mediacheck.errors import PathError
from mediacheck.facts import ContainerFacts, FileFacts, MediaFacts, Problem
from mediacheck.media.beside import Beside


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
    with path.open("rb", buffering=0) as file:
        digest = hashlib.file_digest(file, "sha256")
        return FileFacts(name=name, bytes=file.tell(), sha256=digest.hexdigest())


class Window(io.RawIOBase):
    """The bytes [offset, offset + length) of a file, as a file."""

    def __init__(self, file: BinaryIO, offset: int, length: int) -> None:
        self._file = file
        self._offset = offset
        self._length = length
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._length}[whence]
        self._place = max(0, base + offset)
        return self._place

    def tell(self) -> int:
        return self._place

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        wanted = min(len(buffer), max(0, self._length - self._place))
        self._file.seek(self._offset + self._place)
        got = self._file.readinto(memoryview(buffer)[:wanted])  # type: ignore[attr-defined]
        self._place += got
        return int(got)


class Hashing:
    """``file_facts`` beside the decoding: sha256 works without the interpreter's lock, on the file's cached pages."""

    def __init__(self, path: Path, name: str) -> None:
        self._path = path
        self._name = name
        self._facts: FileFacts | None = None
        self._beside = Beside()
        self._beside.call(self._hash, path)

    def _hash(self, path: Path) -> None:
        self._facts = file_facts(path, self._name)

    def result(self) -> FileFacts:
        """Wait for it.

        Raises:
            PathError: the file could not be read to its end.
        """
        try:
            self._beside.wait()
        except OSError as error:
            raise PathError(f"{self._path} cannot be read: {error}") from error
        assert self._facts is not None
        return self._facts


def unmeasured(source: Path, *, name: str, problem: Problem) -> MediaFacts:
    """The facts of a file that could not be measured at all (a decoder that crashed or hung): the file and why.

    Raises:
        PathError: the file is not there.
    """
    require_file(source)
    container = ContainerFacts(format=None, completeness="the file was not measured", problems=(problem,))
    return MediaFacts(file=file_facts(source, name), container=container)
