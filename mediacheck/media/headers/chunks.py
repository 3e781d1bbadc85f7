"""Chunks of the IFF family (WAV, AIFF, AVI): four letters, a 32-bit size, the body, a pad byte after an odd size."""

from __future__ import annotations

import struct
from typing import Literal, NamedTuple

from mediacheck.media.headers.source import Source
from mediacheck.media.headers.tags import only_tags

MAX_CHUNKS = 100_000
"""A file of empty chunks must not keep a reader busy; real files have a dozen."""

ByteOrder = Literal["<", ">"]


class Chunk(NamedTuple):
    id: bytes
    offset: int
    """Of the body."""
    size: int
    """Of the body, as declared."""

    @property
    def end(self) -> int:
        return self.offset + self.size

    @property
    def name(self) -> str:
        return self.id.decode("ascii", "replace").strip()


def chunk_at(source: Source, position: int, order: ByteOrder) -> Chunk | None:
    """The chunk whose header stands at ``position``; None where none can."""
    head = source.exactly(position, 8)
    if head is None or not all(0x20 <= byte <= 0x7E for byte in head[:4]):
        return None
    return Chunk(head[:4], position + 8, struct.unpack(order + "I", head[4:])[0])


def after(source: Source, chunk: Chunk, order: ByteOrder) -> int:
    """Where the next chunk starts: behind the pad byte, or where a writer forgot it."""
    end = chunk.end
    if chunk.size % 2 == 0 or end >= source.size:
        return end
    # Some writers leave the pad byte out; a header then stands at the odd offset and none at the even one.
    if end + 1 < source.size and chunk_at(source, end + 1, order) is None and _fits(source, end, order):
        return end
    return end + 1


def _fits(source: Source, position: int, order: ByteOrder) -> bool:
    chunk = chunk_at(source, position, order)
    return chunk is not None and chunk.end <= source.size


def chain_to_end(source: Source, position: int, order: ByteOrder) -> bool:
    """Whether the bytes from ``position`` on are whole chunks, one after the other, up to the end of the file."""
    for _ in range(MAX_CHUNKS):
        chunk = chunk_at(source, position, order)
        if chunk is None or chunk.end > source.size:
            return only_tags(source, position)
        position = after(source, chunk, order)
    return False
