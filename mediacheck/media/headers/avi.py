"""AVI and OpenDML (AVI 2.0): RIFF lists, one or several of them."""

from __future__ import annotations

import struct

from mediacheck.facts import Problem
from mediacheck.media.headers.chunks import MAX_CHUNKS, Chunk, after, chunk_at
from mediacheck.media.headers.problems import header, trailing_data, truncated, undecodable
from mediacheck.media.headers.source import Source
from mediacheck.media.headers.tags import only_tags
from mediacheck.media.reading import ContainerReading

_UNKNOWN_SIZES = (0, 0x7FFFFFFF, 0xFFFFFFFF)
_INDEX_ENTRY = struct.Struct("<QII")


class _Walk:
    """One pass over the RIFF lists of the file and over the lists inside the first."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self.placeholder = False
        self.movi = False
        self.index_end = 0
        self._run()

    def _run(self) -> None:
        position = 0
        for _ in range(MAX_CHUNKS):
            chunk = chunk_at(self.source, position, "<")
            if chunk is None or chunk.id != b"RIFF" or self.source.at(chunk.offset, 3) != b"AVI":
                break
            if self._unknown(chunk):
                self._inside(chunk._replace(size=self.source.size - chunk.offset))
                return
            self._inside(chunk)
            if chunk.end > self.source.size:
                self._cut(f"the RIFF list ends at byte {chunk.end}, the file has {self.source.size} bytes")
                return
            position = after(self.source, chunk, "<")
        rest = self.source.size - position
        if rest > 1 and not only_tags(self.source, position):
            message = f"{rest} bytes follow the last RIFF list, which ends at byte {position}"
            self.problems.append(trailing_data(message))

    def _unknown(self, chunk: Chunk) -> bool:
        unknown = chunk.size in _UNKNOWN_SIZES and (chunk.size == 0 or chunk.end > self.source.size)
        if unknown and not self.placeholder:
            self.placeholder = True
            message = f"the size of the {chunk.name} list is the placeholder {chunk.size} (0x{chunk.size:X})"
            self.problems.append(header("avi.size_placeholder", message))
        return unknown

    def _inside(self, riff: Chunk) -> None:
        position = riff.offset + 4
        limit = min(riff.end, self.source.size)
        for _ in range(MAX_CHUNKS):
            chunk = chunk_at(self.source, position, "<") if position < limit else None
            if chunk is None:
                return
            kind = self.source.at(chunk.offset, 4) if chunk.id == b"LIST" else chunk.id
            if kind == b"movi":
                self.movi = True
                if self._unknown(chunk):
                    return
            elif kind == b"hdrl":
                self._header(chunk)
            if chunk.end > self.source.size:
                if riff.end <= self.source.size:
                    name = kind.decode("latin-1")
                    self._cut(f"the {name} list ends at byte {chunk.end}, the file has {self.source.size} bytes")
                return
            position = after(self.source, chunk, "<")

    def _header(self, hdrl: Chunk) -> None:
        position, limit = hdrl.offset + 4, min(hdrl.end, self.source.size)
        for _ in range(1000):
            chunk = chunk_at(self.source, position, "<") if position < limit else None
            if chunk is None:
                return
            if chunk.id == b"LIST" and self.source.at(chunk.offset, 4) == b"strl":
                self._stream(chunk)
            position = after(self.source, chunk, "<")

    def _stream(self, strl: Chunk) -> None:
        position, limit = strl.offset + 4, min(strl.end, self.source.size)
        for _ in range(100):
            chunk = chunk_at(self.source, position, "<") if position < limit else None
            if chunk is None:
                return
            if chunk.id == b"indx":
                self._super_index(self.source.at(chunk.offset, min(chunk.size, 1 << 20)))
            position = after(self.source, chunk, "<")

    def _super_index(self, data: bytes) -> None:
        """OpenDML's index of indexes: where each further index ends (OpenDML AVI File Format Extensions 1.02)."""
        if len(data) < 24 or struct.unpack("<HBB", data[:4]) != (4, 0, 0):
            return
        count = min(struct.unpack("<I", data[4:8])[0], (len(data) - 24) // 16)
        for entry in range(count):
            offset, size, _duration = _INDEX_ENTRY.unpack_from(data, 24 + 16 * entry)
            self.index_end = max(self.index_end, offset + size)

    def _cut(self, message: str) -> None:
        self.problems.append(truncated(message))


def read(source: Source) -> ContainerReading:
    """Read the lists of an AVI file; the magic bytes are known to be right."""
    walk = _Walk(source)
    problems = walk.problems
    cut = any(problem.affects == "complete" for problem in problems)
    if not cut and walk.index_end > source.size:
        problems.append(truncated(f"the index names data up to byte {walk.index_end}, the file has {source.size}"))
        cut = True
    if not walk.movi:
        problems.append(undecodable("avi.no_movi", "the file has no movi list, which holds its frames"))
    complete = False if cut else None if walk.placeholder or not walk.movi else True
    if walk.placeholder and not cut:
        completeness = "the size of its lists is a placeholder"
    else:
        completeness = "by the sizes of its lists"
    return ContainerReading(family="avi", complete=complete, completeness=completeness, problems=tuple(problems))
