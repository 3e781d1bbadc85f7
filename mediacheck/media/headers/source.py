"""A file read at offsets: bounded, never past its end, never whole."""

from __future__ import annotations

import os
from typing import BinaryIO


class Source:
    """Reads pieces of an open file.

    Every length that comes from the file itself is checked against ``size`` before anything is read, so a crafted
    size costs no memory.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.size = stream.seek(0, os.SEEK_END)

    def at(self, offset: int, length: int) -> bytes:
        """Up to ``length`` bytes from ``offset``: fewer, or none, where the file ends before."""
        if offset < 0 or length <= 0 or offset >= self.size:
            return b""
        self._stream.seek(offset)
        return self._stream.read(min(length, self.size - offset))

    def exactly(self, offset: int, length: int) -> bytes | None:
        """``length`` bytes from ``offset``; None where not all of them are there."""
        if offset < 0 or length < 0 or offset + length > self.size:
            return None
        data = self.at(offset, length)
        return data if len(data) == length else None
