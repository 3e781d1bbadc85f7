"""Matroska and WebM (RFC 9559): the Segment and the elements on its first level."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

from mediacheck.facts import Problem
from mediacheck.media.headers.ebml import Element, element_at, unsigned
from mediacheck.media.headers.problems import header, trailing_data, truncated, undecodable
from mediacheck.media.headers.source import Source
from mediacheck.media.headers.tags import only_tags
from mediacheck.media.reading import ContainerReading

EBML = 0x1A45DFA3
_SEGMENT, _CLUSTER, _INFO = 0x18538067, 0x1F43B675, 0x1549A966
_TIMESTAMP_SCALE, _DURATION = 0x2AD7B1, 0x4489
_VOID, _CRC = 0xEC, 0xBF
_LEVEL_ONE = frozenset(
    (_CLUSTER, _INFO, 0x114D9B74, 0x1654AE6B, 0x1C53BB6B, 0x1941A469, 0x1043A770, 0x1254C367, _VOID, _CRC)
)
_IN_CLUSTER = frozenset((0xE7, 0xA7, 0xAB, 0xA3, 0xA0, 0xAF, 0x5854, _VOID, _CRC))
"""What a Cluster holds: Timestamp, Position, PrevSize, SimpleBlock, BlockGroup, EncryptedBlock, SilentTracks."""
_MAX_ELEMENTS = 1_000_000


class _Walk:
    """One pass over the first level of the Segment (and over Clusters of unknown size)."""

    def __init__(self, source: Source, segment: Element) -> None:
        self.source = source
        self.limit = source.size if segment.size is None else min(segment.offset + segment.size, source.size)
        self.clusters = 0
        self.info: Element | None = None
        self.problems: list[Problem] = []
        self.cut = False
        self._run(segment.offset)

    def _run(self, position: int) -> None:
        in_open_cluster = False
        for _ in range(_MAX_ELEMENTS):
            if position >= self.limit:
                return
            element = element_at(self.source, position)
            if element is None or element.id not in (_LEVEL_ONE | _IN_CLUSTER if in_open_cluster else _LEVEL_ONE):
                self._unknown(position, element)
                if element is None or element.size is None:
                    return
            if element.id in _LEVEL_ONE and element.id not in (_VOID, _CRC):
                in_open_cluster = element.id == _CLUSTER and element.size is None
                self.clusters += element.id == _CLUSTER
                if element.id == _INFO and self.info is None:
                    self.info = element
            if element.size is None:
                if not in_open_cluster:
                    return
                position = element.offset
                continue
            position = element.offset + element.size
            if position > self.source.size:
                message = f"an element ends at byte {position}, the file has {self.source.size} bytes"
                self.cut = True
                self.problems.append(truncated(message))
                return

    def _unknown(self, position: int, element: Element | None) -> None:
        rest = self.source.size - position
        if element is None and rest < 12:
            self.cut = True
            self.problems.append(truncated(f"the file ends inside the head of an element at byte {position}"))
        elif element is None and not only_tags(self.source, position):
            self.problems.append(header("matroska.bad_element", f"no element starts at byte {position}"))


def read(source: Source) -> ContainerReading:
    """Read the first level of a Matroska file; its first element is known to be an EBML header."""
    segment = _segment(source)
    if segment is None:
        problem = truncated(f"the file ends at byte {source.size}, before its Segment")
        return ContainerReading(
            family="matroska",
            complete=False,
            completeness="there is no Segment",
            problems=(problem, undecodable("matroska.no_segment", "the file has no Segment element")),
        )
    walk = _Walk(source, segment)
    problems = list(walk.problems)
    end = None if segment.size is None else segment.offset + segment.size
    if end is not None and end > source.size:
        # The sizes inside tell the same once more.
        problems = [problem for problem in problems if problem.code != "truncated"]
        problems.append(truncated(f"the Segment ends at byte {end}, the file has {source.size} bytes"))
    elif end is not None and end < source.size and not only_tags(source, end):
        problems.append(trailing_data(f"{source.size - end} bytes follow the Segment, which ends at byte {end}"))
    duration = _duration(source, walk.info)
    complete: bool | None
    if any(problem.affects == "complete" for problem in problems):
        complete, completeness = False, "by the sizes of its elements"
    elif end is not None:
        complete, completeness = True, "by the Segment's size"
    elif duration is None:
        complete, completeness = None, "live Matroska: neither the Segment's size nor a Duration is known"
    else:
        complete, completeness = None, "decided by the decoded duration against the header's Duration"
    return ContainerReading(
        family="matroska",
        complete=complete,
        completeness=completeness,
        problems=tuple(problems),
        declared_duration=duration,
    )


def _segment(source: Source) -> Element | None:
    position = 0
    for _ in range(100):
        element = element_at(source, position)
        if element is None or element.id == _SEGMENT:
            return element
        if element.size is None:
            return None
        position = element.offset + element.size
    return None


def _duration(source: Source, info: Element | None) -> Fraction | None:
    """Seconds: Duration (a float) times TimestampScale (nanoseconds, a million where it is not written)."""
    if info is None or info.size is None:
        return None
    scale, ticks = 1_000_000, None
    position, end = info.offset, min(info.offset + info.size, source.size)
    for _ in range(1000):
        element = element_at(source, position) if position < end else None
        if element is None or element.size is None:
            break
        if element.id == _TIMESTAMP_SCALE:
            scale = unsigned(source, element) or scale
        elif element.id == _DURATION and element.size in (4, 8):
            data = source.exactly(element.offset, element.size)
            ticks = struct.unpack(">f" if element.size == 4 else ">d", data)[0] if data else None
        position = element.offset + element.size
    if ticks is None or not math.isfinite(ticks) or ticks <= 0:
        return None
    return Fraction(ticks) * scale / 1_000_000_000
