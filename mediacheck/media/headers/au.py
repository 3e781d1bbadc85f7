"""AU, the sound files of Sun and NeXT: six 32-bit fields, a note, then the samples."""

from __future__ import annotations

import struct

from mediacheck.media.headers.problems import trailing_data, truncated, undecodable
from mediacheck.media.headers.source import Source
from mediacheck.media.headers.tags import only_tags
from mediacheck.media.reading import ContainerReading

MAGIC = b".snd"
_FIELDS = 24
_UNKNOWN = 0xFFFF_FFFF


def read(source: Source) -> ContainerReading:
    """Hold the size in the header of an AU file against the file; the magic bytes are known to be right."""
    head = source.exactly(0, _FIELDS)
    if head is None:
        problem = truncated(f"the file ends at byte {source.size}, inside its header")
        return ContainerReading(family="au", complete=False, completeness="by its header", problems=(problem,))
    start, size = struct.unpack(">II", head[4:12])
    if start < _FIELDS:
        problem = undecodable("au.bad_header", f"the header gives its own length as {start} bytes, it takes {_FIELDS}")
        return ContainerReading(
            family="au", completeness="its header gives no place of the samples", problems=(problem,)
        )
    if start > source.size:
        problem = truncated(f"the header ends at byte {start}, the file has {source.size} bytes")
        return ContainerReading(family="au", complete=False, completeness="by its header", problems=(problem,))
    present = source.size - start
    # Writers to a pipe leave all ones, as the format says, or the 0 that they started with.
    if size == _UNKNOWN or (size == 0 and present):
        return ContainerReading(family="au", completeness="the AU header declares no length")
    how = "by the size in the AU header"
    if present < size:
        problem = truncated(f"the header declares {size} bytes of samples, the file holds {present}")
        return ContainerReading(family="au", complete=False, completeness=how, problems=(problem,))
    end = start + size
    # One byte may pad the samples to an even length.
    if source.size - end <= 1 or only_tags(source, end):
        return ContainerReading(family="au", complete=True, completeness=how)
    problem = trailing_data(f"{source.size - end} bytes follow the declared end of the samples at byte {end}")
    return ContainerReading(family="au", complete=True, completeness=how, problems=(problem,))
