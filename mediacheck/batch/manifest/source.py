"""The bytes of a manifest's file, read as often as it takes and always the same."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator
from typing import BinaryIO, Final

from mediacheck.batch import places
from mediacheck.batch.errors import ManifestError
from mediacheck.batch.record import ManifestFile

LONGEST_LINE: Final = 16 * 2**20
"""Bytes: a file without ends of lines must not fill the memory."""
_BOM = b"\xef\xbb\xbf"


class Source:
    """One file. What comes from a URL is fetched once, and kept in a file without a name while this is in use."""

    def __init__(self, place: str) -> None:
        """
        Raises:
            FileNotFoundError: it is not there.
            ManifestError: it cannot be read.
        """
        self.place = place
        self.name = places.file_name(place)
        self._copy: BinaryIO | None = None
        try:
            stream = places.open_binary(place)
            if places.is_remote(place):
                self._copy = stream
            else:
                with stream:
                    self._state = _state(stream)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise self._unreadable(error) from error

    def open(self) -> BinaryIO:
        """A stream of its own, at the start.

        Raises:
            ManifestError: it cannot be read, or is another file than it was.
        """
        if self._copy is not None:
            return io.BufferedReader(_Copy(self._copy))
        try:
            stream = places.open_binary(self.place)
        except OSError as error:
            raise self._unreadable(error) from error
        if _state(stream) != self._state:
            stream.close()
            raise ManifestError(f"{self._shown} changed while it was read; start again when it is written to its end")
        return stream

    def lines(self) -> Iterator[tuple[int, bytes | None]]:
        """Each line with its number from 1, its end still there; None where it is longer than ``LONGEST_LINE``.

        Raises:
            ManifestError: the file cannot be read.
        """
        with self.open() as stream:
            number = 0
            try:
                while line := stream.readline(LONGEST_LINE + 1):
                    number += 1
                    if len(line) > LONGEST_LINE:
                        while line and not line.endswith(b"\n"):
                            line = stream.readline(LONGEST_LINE)
                        yield number, None
                    else:
                        yield number, line.removeprefix(_BOM) if number == 1 else line
            except OSError as error:
                raise self._unreadable(error) from error

    def head(self, size: int) -> bytes:
        with self.open() as stream:
            return stream.read(size)

    def digest(self) -> ManifestFile:
        digest = hashlib.sha256()
        with self.open() as stream:
            try:
                while block := stream.read(1 << 20):
                    digest.update(block)
            except OSError as error:
                raise self._unreadable(error) from error
        return ManifestFile(name=self.name, sha256=digest.hexdigest())

    @property
    def _shown(self) -> str:
        return f"the manifest {places.printable(self.place)}"

    def _unreadable(self, error: OSError) -> ManifestError:
        hint = "" if places.is_remote(self.place) else "; check it and its mode"
        return ManifestError(f"cannot read {self._shown}: {error.strerror or error}{hint}")


class _Copy(io.RawIOBase):
    """A reader with a place of its own in a file that others read too."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: os.fstat(self._file.fileno()).st_size}[whence]
        self._at = max(0, start + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = os.pread(self._file.fileno(), len(buffer), self._at)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


def _state(stream: BinaryIO) -> tuple[int, int, int]:
    status = os.fstat(stream.fileno())
    return status.st_ino, status.st_size, status.st_mtime_ns
