"""Tags that programs put before and after audio: ID3v2, ID3v1, APEv2, Lyrics3. They are no media data."""

from __future__ import annotations

import struct

from mediacheck.media.headers.source import Source

_MAX_TAGS = 16


def id3v2_size(source: Source, position: int) -> int | None:
    """Bytes of the ID3v2 tag at ``position``, its header and footer included; None where there is none.

    The size is a 28-bit "syncsafe" integer (ID3v2.4 structure, section 3.1).
    """
    head = source.exactly(position, 10)
    if head is None or head[:3] != b"ID3" or head[3] == 0xFF or any(byte & 0x80 for byte in head[6:10]):
        return None
    size = head[6] << 21 | head[7] << 14 | head[8] << 7 | head[9]
    return 10 + size + (10 if head[5] & 0x10 else 0)


def leading_end(source: Source) -> int:
    """Where the ID3v2 tags at the start end; beyond the end of the file where one is cut."""
    position = 0
    for _ in range(_MAX_TAGS):
        size = id3v2_size(source, position)
        if size is None:
            break
        position += size
    return position


def trailing_start(source: Source, lowest: int = 0) -> int:
    """Where the tags at the end of the file start; the size of the file where there are none."""
    end = source.size
    for _ in range(_MAX_TAGS):
        start = _tag_before(source, end)
        if start is None or start < lowest:
            break
        end = start
    return end


def only_tags(source: Source, position: int) -> bool:
    """Whether nothing but tags stands between ``position`` and the end of the file."""
    for _ in range(_MAX_TAGS):
        if position >= source.size or trailing_start(source, position) == position:
            return True
        size = id3v2_size(source, position)
        if size is None:
            return False
        position += size
    return False


def _tag_before(source: Source, end: int) -> int | None:
    if source.at(end - 128, 3) == b"TAG" and end >= 128:
        # "TAG+" is the 227-byte extension that some players put before ID3v1.
        return end - 355 if source.at(end - 355, 4) == b"TAG+" else end - 128
    footer = source.at(end - 32, 32)
    if footer[:8] == b"APETAGEX" and len(footer) == 32:
        size, _, flags = struct.unpack("<III", footer[12:24])
        start = end - size - (32 if flags & 0x8000_0000 else 0)
        return start if 0 <= start < end else None
    if footer[-9:] == b"LYRICS200" and footer[-15:-9].isdigit():
        start = end - 15 - int(footer[-15:-9])
        return start if start >= 0 and source.at(start, 11) == b"LYRICSBEGIN" else None
    if footer[22:25] == b"3DI" and len(footer) == 32:
        head = footer[22:]
        size = (head[6] & 0x7F) << 21 | (head[7] & 0x7F) << 14 | (head[8] & 0x7F) << 7 | (head[9] & 0x7F)
        start = end - size - 20
        return start if start >= 0 and source.at(start, 3) == b"ID3" else None
    return None
