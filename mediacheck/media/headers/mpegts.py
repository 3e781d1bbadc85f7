"""MPEG transport streams (ISO/IEC 13818-1): packets of 188 bytes, with 4 bytes before (M2TS) or 16 after (204)."""

from __future__ import annotations

from mediacheck.facts import Problem
from mediacheck.media.headers.source import Source
from mediacheck.media.reading import ContainerReading

_SYNC = 0x47
_SHAPES = ((188, 0), (192, 4), (204, 0))
"""(bytes of a packet, where its sync byte stands)."""
_PROBED = 8


def packet_size(source: Source) -> int | None:
    """Bytes of a packet, where the first packets all carry their sync byte; None where this is no MPEG-TS."""
    for size, sync in _SHAPES:
        count = min(_PROBED, (source.size - sync + size - 1) // size)
        if count >= 2 and all(source.at(sync + index * size, 1) == bytes([_SYNC]) for index in range(count)):
            return size
    return None


def read(source: Source, packet: int) -> ContainerReading:
    """Say whether the last packet is whole; how many there should be is not declared."""
    rest = source.size % packet
    if not rest:
        return ContainerReading(family="mpegts", completeness="MPEG-TS declares no length")
    message = f"the last transport packet has {rest} of {packet} bytes"
    return ContainerReading(
        family="mpegts",
        complete=False,
        completeness="by the size of its packets",
        problems=(Problem(code="mpegts.partial_packet", message=message, affects="complete"),),
    )
