"""CAF (Apple, "Core Audio Format Specification 1.0"): chunks with 64-bit sizes and no padding."""

from __future__ import annotations

import struct

from mediacheck.facts import Problem
from mediacheck.media.headers.chunks import MAX_CHUNKS
from mediacheck.media.headers.problems import trailing_data, truncated, undecodable
from mediacheck.media.headers.source import Source
from mediacheck.media.headers.tags import only_tags
from mediacheck.media.reading import ContainerReading

MAGIC = b"caff"
_FILE_HEADER = 8
_CHUNK_HEADER = 12
_NAMES = frozenset(b"desc data pakt chan cook kuki mark regn strg inst midi ovvw peak edct info umid uuid free".split())
_TO_THE_END = -1
"""The size of a data chunk that was being written: it reaches to the end of the file."""


def read(source: Source) -> ContainerReading:
    """Follow the chunks of a CAF file; the magic bytes are known to be right."""
    problems: list[Problem] = []
    names: set[bytes] = set()
    counted_packets = False
    open_ended = False
    position = _FILE_HEADER
    for _ in range(MAX_CHUNKS):
        head = source.exactly(position, _CHUNK_HEADER)
        if head is None:
            break
        name, size = head[:4], struct.unpack(">q", head[4:])[0]
        open_ended = name == b"data" and size == _TO_THE_END
        if not all(0x20 <= byte <= 0x7E for byte in name) or (size < 0 and not open_ended):
            break
        body = position + _CHUNK_HEADER
        # Text behind the last chunk looks like a name too, but its size then leads nowhere.
        if name not in _NAMES and body + size > source.size:
            break
        names.add(name)
        if name == b"desc":
            counted_packets = _needs_packet_table(source.at(body, min(size, 32)))
        position = source.size if open_ended else body + size
        if position > source.size:
            title = name.decode("ascii").strip()
            problems.append(truncated(f"the {title} chunk ends at byte {position}, the file has {source.size} bytes"))
            break
    rest = source.size - position
    # libsndfile pads ALAC's odd chunks to an even length, though the format knows no padding.
    padded = rest == 1 and source.at(position, 1) == b"\0"
    if not problems and rest > 0 and not padded and b"data" in names and not only_tags(source, position):
        problems.append(trailing_data(f"{rest} bytes follow the last chunk, which ends at byte {position}"))
    problems += _missing(source, names, counted_packets and not open_ended, problems)
    cut = any(problem.affects == "complete" for problem in problems)
    if cut:
        return ContainerReading(
            family="caf", complete=False, completeness="by the sizes of its chunks", problems=tuple(problems)
        )
    declared = b"data" in names and not open_ended
    return ContainerReading(
        family="caf",
        complete=True if declared else None,
        completeness="by the sizes of its chunks" if declared else "the CAF data chunk declares no length",
        problems=tuple(problems),
    )


def _needs_packet_table(desc: bytes) -> bool:
    """Whether packets differ in bytes or in samples, so that only the ``pakt`` chunk tells them apart."""
    if len(desc) < 24:
        return False
    bytes_per_packet, frames_per_packet = struct.unpack(">II", desc[16:24])
    return not bytes_per_packet or not frames_per_packet


def _missing(source: Source, names: set[bytes], counted_packets: bool, found: list[Problem]) -> list[Problem]:
    """The chunks without which nothing can be decoded; their lack is a cut where nothing else explains it."""
    needed = [b"desc", b"data", *([b"pakt"] if counted_packets else [])]
    lacking = [name.decode("ascii") for name in needed if name not in names]
    if not lacking:
        return []
    what = " and ".join(lacking)
    problems = [undecodable("caf.missing_chunk", f"the file has no {what} chunk")]
    if not any(problem.affects == "complete" for problem in found):
        problems.append(truncated(f"the file ends at byte {source.size}, before its {what} chunk"))
    return problems
