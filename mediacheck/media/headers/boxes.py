"""Boxes of ISO base media files and QuickTime (ISO/IEC 14496-12): a 32- or 64-bit size, four letters, the body."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from mediacheck.media.headers.source import Source

MAX_BOXES = 200_000
"""An hour of one-second fragments has 7,200; more keeps nobody waiting longer than a second."""


class Box(NamedTuple):
    kind: bytes
    offset: int
    """Of the body."""
    end: int
    """As declared: it may lie beyond the file."""
    open_ended: bool = False
    """The size is 0: the box reaches to the end, wherever that is."""

    @property
    def name(self) -> str:
        return self.kind.decode("latin-1")


def box_at(source: Source, position: int, limit: int) -> Box | None:
    """The box at ``position``; None where none can stand there. A size of 0 means up to ``limit``."""
    head = source.exactly(position, 8)
    if head is None or position + 8 > limit or not all(0x20 <= byte <= 0x7E or byte == 0xA9 for byte in head[4:]):
        return None
    size = struct.unpack(">I", head[:4])[0]
    body = position + 8
    if size == 0:
        return Box(head[4:], body, limit, open_ended=True)
    if size == 1:
        large = source.exactly(body, 8)
        if large is None:
            return None
        size, body = struct.unpack(">Q", large)[0], body + 8
    if position + size < body:
        return None
    return Box(head[4:], body, position + size)


def children(source: Source, parent: Box, skip: int = 0) -> Iterator[Box]:
    """The boxes inside ``parent`` after ``skip`` bytes of its own fields, clipped to it; stops at what is none."""
    limit = min(parent.end, source.size)
    position = parent.offset + skip
    for _ in range(MAX_BOXES):
        box = box_at(source, position, limit)
        if box is None:
            return
        position = box.end
        yield box._replace(end=min(box.end, limit))


def child(source: Source, parent: Box | None, *path: bytes) -> Box | None:
    """The first box at ``path`` below ``parent``; None where any step is missing."""
    for kind in path:
        if parent is None:
            return None
        parent = next((box for box in children(source, parent) if box.kind == kind), None)
    return parent


def body(source: Source, box: Box | None, longest: int) -> bytes:
    """The first ``longest`` bytes of a box's body, or fewer; none for no box."""
    return b"" if box is None else source.at(box.offset, min(box.end - box.offset, longest))
