"""FLAC (RFC 9639): the metadata blocks before the first frame."""

from __future__ import annotations

from mediacheck.facts import Problem
from mediacheck.media.headers.problems import truncated, undecodable
from mediacheck.media.headers.source import Source
from mediacheck.media.reading import ContainerReading

_MAX_BLOCKS = 10_000
_STREAMINFO_BYTES = 34


def total_samples(streaminfo: bytes) -> int:
    """The 36-bit count of samples per channel in a STREAMINFO block's body; 0: not known (RFC 9639, 8.2)."""
    return int.from_bytes(streaminfo[10:18], "big") & 0xF_FFFF_FFFF


def read(source: Source, start: int) -> ContainerReading:
    """Read the metadata blocks of a FLAC file whose ``fLaC`` mark stands at ``start``."""
    problems: list[Problem] = []
    streaminfo = None
    position = start + 4
    for _ in range(_MAX_BLOCKS):
        head = source.exactly(position, 4)
        if head is None:
            problems.append(truncated(f"the file ends at byte {source.size}, inside its metadata"))
            break
        size = int.from_bytes(head[1:], "big")
        if head[0] & 0x7F == 0 and streaminfo is None:
            streaminfo = source.exactly(position + 4, min(size, _STREAMINFO_BYTES))
        position += 4 + size
        if position > source.size:
            problems.append(truncated(f"a metadata block ends at byte {position}, the file has {source.size} bytes"))
            break
        if head[0] & 0x80:
            break
    declared = None
    if streaminfo is None or len(streaminfo) < _STREAMINFO_BYTES:
        problems.append(undecodable("flac.no_streaminfo", "the file has no whole STREAMINFO block"))
    else:
        declared = total_samples(streaminfo) or None
    if not problems and declared and position >= source.size:
        problems.append(truncated(f"the header declares {declared} samples, no audio frame follows it"))
    cut = any(problem.affects == "complete" for problem in problems)
    if cut:
        completeness = "by the sizes of its metadata blocks"
    elif declared:
        completeness = "decided by the decoded count against STREAMINFO's total"
    else:
        completeness = "FLAC streamed without a total"
    return ContainerReading(
        family="flac",
        complete=False if cut else None,
        completeness=completeness,
        problems=tuple(problems),
        declared_samples=declared,
    )
