"""Elements of EBML (RFC 8794): an id and a size of variable length, then the data."""

from __future__ import annotations

from typing import NamedTuple

from mediacheck.media.headers.source import Source


class Element(NamedTuple):
    id: int
    offset: int
    """Of the data."""
    size: int | None
    """None: unknown, up to the next element of the same or a higher level."""


def element_at(source: Source, position: int) -> Element | None:
    """The element at ``position``; None where none can stand there, or its head is cut."""
    head = source.at(position, 12)
    if not head or not head[0] & 0xF0:
        return None
    id_length = 9 - head[0].bit_length()
    if len(head) <= id_length or not head[id_length]:
        return None
    size_length = 9 - head[id_length].bit_length()
    end = id_length + size_length
    if len(head) < end:
        return None
    raw = int.from_bytes(head[id_length:end], "big")
    size = raw & ((1 << 7 * size_length) - 1)
    unknown = size == (1 << 7 * size_length) - 1
    return Element(int.from_bytes(head[:id_length], "big"), position + end, None if unknown else size)


def unsigned(source: Source, element: Element) -> int | None:
    """The element's data as an unsigned integer of up to eight bytes."""
    data = source.exactly(element.offset, element.size) if element.size is not None and element.size <= 8 else None
    return None if data is None else int.from_bytes(data, "big")
