"""Fragmented MP4: what tells that the last fragment is there (mfra, sidx, mehd)."""

from __future__ import annotations

import struct
from fractions import Fraction
from typing import NamedTuple

from mediacheck.facts import Problem
from mediacheck.media.headers.boxes import Box, body, child, children
from mediacheck.media.headers.problems import header, truncated
from mediacheck.media.headers.source import Source

_MAX_REFERENCES = 65_535
_MAX_INDEXES = 100
_MAX_TRUN_BYTES = 1 << 20
_MAX_TFRA_BYTES = 4 << 20


class FragmentsEnd(NamedTuple):
    complete: bool | None
    completeness: str
    problems: tuple[Problem, ...] = ()


def fragments_end(source: Source, moov: Box, boxes: list[Box]) -> FragmentsEnd:
    """Whether the fragments, whose boxes are all whole, reach the end that the file declares."""
    kinds = [box.kind for box in boxes]
    last_moof = max((index for index, kind in enumerate(kinds) if kind == b"moof"), default=None)
    if last_moof is not None and b"mdat" not in kinds[last_moof:]:
        problem = truncated(f"the file ends at byte {source.size}, before the data of its last fragment")
        return FragmentsEnd(False, "by the sizes of its boxes", (problem,))
    index = _segment_index(source, boxes)
    if index is not None and index.end > source.size:
        problem = truncated(f"the segment index ends at byte {index.end}, the file has {source.size} bytes")
        return FragmentsEnd(False, "by the segment index (sidx)", (problem,))
    indexed = [offset for box in boxes if box.kind == b"mfra" for offset in _indexed(source, box)]
    if indexed:
        return _by_fragment_index(indexed, boxes)
    # An index may also stand before every single segment: then the first one does not know of the rest.
    at_start = b"sidx" not in kinds[kinds.index(b"moof") :] if b"moof" in kinds else False
    if index is not None and index.references > 1 and at_start and b"styp" not in kinds:
        return FragmentsEnd(True, "by the segment index (sidx)")
    return _by_duration(source, moov, boxes)


def _by_fragment_index(indexed: list[int], boxes: list[Box]) -> FragmentsEnd:
    """Hold the offsets that the index names against where the fragments stand."""
    how = "by the fragment index at its end (mfra)"
    # Top-level boxes follow one another, so each starts where the one before ends.
    ends = [0, *(box.end for box in boxes)]
    fragments = [start for start, box in zip(ends, boxes, strict=False) if box.kind == b"moof"]
    places = set(fragments)
    named = sorted(set(indexed))
    lost = [offset for offset in named if offset not in places]
    if not lost:
        return FragmentsEnd(True, how)
    # A program that puts bytes in front and does not mend the index moves all fragments by as much.
    moved = fragments[0] - named[0] if fragments else 0
    if len(named) == len(fragments) and all(offset + moved in places for offset in named):
        message = (
            f"the fragment index (mfra) is off by {moved} bytes, all {len(named)} fragments that it names are there"
        )
        return FragmentsEnd(True, how, (header("mp4.fragment_index", message),))
    message = (
        f"the fragment index (mfra) names {len(named)} fragments, at {len(lost)} of these places there is none, "
        f"the first at byte {lost[0]}"
    )
    return FragmentsEnd(False, how, (truncated(message),))


def _indexed(source: Source, mfra: Box) -> list[int]:
    """The offsets of the fragments that the tables of ``mfra`` name (ISO/IEC 14496-12, 8.8.10)."""
    offsets: list[int] = []
    for tfra in (box for box in children(source, mfra) if box.kind == b"tfra"):
        data = body(source, tfra, _MAX_TFRA_BYTES)
        if len(data) < 16:
            continue
        code = ">QQ" if data[0] == 1 else ">II"
        # Three fields of one to four bytes each number the traf, trun and sample; two bits a field say how many.
        lengths, count = struct.unpack(">II", data[8:16])
        numbers = 3 + (lengths >> 4 & 3) + (lengths >> 2 & 3) + (lengths & 3)
        entries = data[16:]
        step = struct.calcsize(code) + numbers
        whole = entries[: min(count, len(entries) // step) * step]
        offsets += (offset for _time, offset in struct.iter_unpack(f"{code}{numbers}x", whole))
    return offsets


class _SegmentIndex(NamedTuple):
    end: int
    """Byte at which the last segment ends that it names."""
    references: int


def _segment_index(source: Source, boxes: list[Box]) -> _SegmentIndex | None:
    """The index that reaches farthest, of those before the first fragment (one a track); None without one."""
    first = next((number for number, box in enumerate(boxes) if box.kind == b"moof"), len(boxes))
    found = [_references(source, box) for box in boxes[:first][:_MAX_INDEXES] if box.kind == b"sidx"]
    return max((index for index in found if index is not None), default=None)


def _references(source: Source, sidx: Box) -> _SegmentIndex | None:
    """ISO/IEC 14496-12, 8.16.3."""
    data = body(source, sidx, 32 + 12 * _MAX_REFERENCES)
    if len(data) < 12:
        return None
    shape = ">QQHH" if data[0] == 1 else ">IIHH"
    start = 12 + struct.calcsize(shape)
    if len(data) < start:
        return None
    _earliest, first_offset, _reserved, count = struct.unpack_from(shape, data, 12)
    references = data[start : start + 12 * count]
    if not count or len(references) < 12 * count:
        return None
    total = sum(size & 0x7FFFFFFF for size, _, _ in struct.iter_unpack(">III", references))
    return _SegmentIndex(sidx.end + first_offset + total, count)


def _by_duration(source: Source, moov: Box, boxes: list[Box]) -> FragmentsEnd:
    """Hold mehd's duration against the span of the fragments, each on its own track's clock."""
    unknown = FragmentsEnd(None, "fragmented MP4 without an index or a duration that shows the last fragment")
    mehd = body(source, child(source, moov, b"mvex", b"mehd"), 12)
    mvhd = body(source, child(source, moov, b"mvhd"), 24)
    at = 20 if mvhd[:1] == b"\1" else 12
    timescale = int.from_bytes(mvhd[at : at + 4], "big")
    promised = int.from_bytes(mehd[4:12] if mehd[:1] == b"\1" else mehd[4:8], "big")
    if not promised or not timescale:
        return unknown
    scales, defaults = _clocks(source, moov)
    spans: dict[int, tuple[int, int]] = {}
    for moof in (box for box in boxes if box.kind == b"moof"):
        for traf in (box for box in children(source, moof) if box.kind == b"traf"):
            track, start, end = _traf_span(source, traf, defaults)
            first, _ = spans.get(track, (start, end))
            spans[track] = (first, end)
    reached = [Fraction(end - start, scales[track]) for track, (start, end) in spans.items() if scales.get(track)]
    if not reached:
        return unknown
    declared = Fraction(promised, timescale)
    # mehd counts in the movie's clock, which is often milliseconds.
    least = declared - Fraction(3, 2 * timescale)
    if max(reached) < least:
        message = f"the header declares {float(declared):.3f} s of fragments, {float(max(reached)):.3f} s are there"
        return FragmentsEnd(False, "by the fragments' duration (mehd)", (truncated(message),))
    if min(reached) >= least and len(reached) == len(scales):
        return FragmentsEnd(True, "by the fragments' duration (mehd)")
    return FragmentsEnd(None, "fragmented MP4: its longest track is whole by mehd, the others are not declared")


def _clocks(source: Source, moov: Box) -> tuple[dict[int, int], dict[int, int]]:
    """By track id: ticks per second, and trex's default duration of a sample."""
    scales: dict[int, int] = {}
    for trak in (box for box in children(source, moov) if box.kind == b"trak"):
        tkhd = body(source, child(source, trak, b"tkhd"), 24)
        mdhd = body(source, child(source, trak, b"mdia", b"mdhd"), 24)
        at = 20 if tkhd[:1] == b"\1" else 12
        scale_at = 20 if mdhd[:1] == b"\1" else 12
        scales[int.from_bytes(tkhd[at : at + 4], "big")] = int.from_bytes(mdhd[scale_at : scale_at + 4], "big")
    defaults: dict[int, int] = {}
    mvex = child(source, moov, b"mvex")
    for trex in (box for box in children(source, mvex) if box.kind == b"trex") if mvex else ():
        data = body(source, trex, 24)
        if len(data) == 24:
            track, _description, duration = struct.unpack(">III", data[4:16])
            defaults[track] = duration
    return scales, defaults


def _traf_span(source: Source, traf: Box, defaults: dict[int, int]) -> tuple[int, int, int]:
    """The track of a fragment, and the ticks at which its samples start and end; 0 where it does not say."""
    tfhd = body(source, child(source, traf, b"tfhd"), 28).ljust(28, b"\0")
    flags = int.from_bytes(tfhd[1:4], "big")
    track = int.from_bytes(tfhd[4:8], "big")
    at = 8 + (8 if flags & 1 else 0) + (4 if flags & 2 else 0)
    default = int.from_bytes(tfhd[at : at + 4], "big") if flags & 8 else defaults.get(track, 0)
    tfdt = body(source, child(source, traf, b"tfdt"), 12)
    if len(tfdt) < 8:
        return track, 0, 0
    start = int.from_bytes(tfdt[4:12] if tfdt[0] == 1 else tfdt[4:8], "big")
    end = start
    for trun in (box for box in children(source, traf) if box.kind == b"trun"):
        end += _trun_duration(body(source, trun, _MAX_TRUN_BYTES), default)
    return track, start, end


def _trun_duration(data: bytes, default: int) -> int:
    if len(data) < 8:
        return 0
    flags, count = int.from_bytes(data[1:4], "big"), int.from_bytes(data[4:8], "big")
    if not flags & 0x100:
        return count * default
    at = 8 + (4 if flags & 1 else 0) + (4 if flags & 4 else 0)
    step = 4 * sum(bool(flags & bit) for bit in (0x100, 0x200, 0x400, 0x800))
    count = min(count, (len(data) - at) // step)
    return sum(int.from_bytes(data[at + index * step : at + index * step + 4], "big") for index in range(count))
