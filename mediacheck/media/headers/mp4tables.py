"""Where the samples of an MP4 track lie: stsz or stz2 (sizes), stco or co64 (chunks), stsc (samples of a chunk).

The tables are read in bulk: an hour of video has some 300,000 entries.
"""

from __future__ import annotations

import struct
import sys
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, repeat
from operator import lt, mul
from typing import NamedTuple

from mediacheck.media.headers.boxes import Box, body, child
from mediacheck.media.headers.source import Source

_MAX_TABLE_BYTES = 16 << 20
"""A longer table (46 hours of film) is not read: it would take more memory than all of the measuring."""


class SampleTable(NamedTuple):
    sample_count: int | None
    readable: bool = True
    """Whether the tables are there, whole and within bounds."""
    end: int = 0
    """Byte at which the last sample ends, where that may be beyond the file; 0 where it surely is not."""
    placed: int | None = None
    """Samples that the chunks hold; None where the tables do not tell."""
    sizes: array[int] | int = 0
    """One size for all, or one for each sample."""
    offsets: array[int] = array("I")
    firsts: array[int] = array("I")
    counts: array[int] = array("I")
    """stsc: from this chunk on (counted from 1), so many samples in a chunk."""

    @property
    def run_lengths(self) -> list[int]:
        """Chunks of each entry of stsc; an entry beyond the last chunk has none."""
        last = len(self.offsets) + 1
        return [
            max(min(end, last) - start, 0) for start, end in zip(self.firsts, [*self.firsts[1:], last], strict=True)
        ]


def read_table(source: Source, trak: Box) -> SampleTable:
    """Read the tables of ``trak``."""
    stbl = child(source, trak, b"mdia", b"minf", b"stbl")
    count, sizes = _sizes(source, stbl)
    offsets = _offsets(source, stbl)
    if not count or not offsets or sizes is None:
        return SampleTable(count, readable=count == 0)
    firsts, counts = _samples_to_chunks(source, stbl)
    if not firsts or firsts[0] != 1 or not all(map(lt, firsts, firsts[1:])):
        return SampleTable(count, readable=False)
    table = SampleTable(count, True, 0, 0, sizes, offsets, firsts, counts)
    table = table._replace(placed=sum(map(mul, table.run_lengths, counts)))
    # No chunk is longer than this, which settles most of them: only those near the end are looked at one by one.
    longest = max(counts) * (sizes if isinstance(sizes, int) else max(sizes))
    settled = source.size - longest
    late = [chunk for chunk, offset in enumerate(offsets) if offset > settled] if max(offsets) > settled else []
    return table._replace(end=max((end for end, _, _ in _spans(table, late)), default=0))


def missing_samples(table: SampleTable, size: int) -> int:
    """How many samples do not lie whole within ``size`` bytes."""
    missing = 0
    for (end, first, last), offset in zip(_spans(table, range(len(table.offsets))), table.offsets, strict=True):
        if end <= size:
            continue
        if isinstance(table.sizes, int):
            whole = max(size - offset, 0) // table.sizes
        else:
            whole = bisect_right(list(accumulate(table.sizes[first:last])), size - offset)
        missing += last - first - min(whole, last - first)
    return missing


def _spans(table: SampleTable, chunks: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Of each of ``chunks``: where its last sample ends (0 without one), its first sample, one past its last."""
    bounds = _bounds(table) if chunks else array("Q")
    for chunk in chunks:
        # An stsc that starts no chunk, or stops early, leaves chunks without samples.
        first, last = (bounds[chunk], bounds[chunk + 1]) if chunk + 1 < len(bounds) else (0, 0)
        length = (last - first) * table.sizes if isinstance(table.sizes, int) else sum(table.sizes[first:last])
        yield table.offsets[chunk] + length if last > first else 0, first, last


def _bounds(table: SampleTable) -> array[int]:
    """Index of each chunk's first sample, and one past the last sample of all."""
    samples = chain.from_iterable(map(repeat, table.counts, table.run_lengths))
    count = table.sample_count or 0
    bounds = array("Q", accumulate(samples, initial=0))
    return bounds if bounds[-1] <= count else array("Q", (min(sample, count) for sample in bounds))


def _integers(data: bytes, code: str) -> array[int]:
    values = array(code)
    values.frombytes(data[: len(data) // values.itemsize * values.itemsize])
    if sys.byteorder == "little":
        values.byteswap()
    return values


def _sizes(source: Source, stbl: Box | None) -> tuple[int | None, array[int] | int | None]:
    stsz = child(source, stbl, b"stsz")
    head = body(source, stsz, 12)
    if stsz is not None and len(head) == 12:
        same, count = struct.unpack(">II", head[4:])
        if same:
            return count, same
        return count, _table(source, stsz, 12, count, "I")
    stz2 = child(source, stbl, b"stz2")
    head = body(source, stz2, 12)
    if stz2 is None or len(head) < 12:
        return None, None
    count = struct.unpack(">I", head[8:])[0]
    if head[7] == 16:
        return count, _table(source, stz2, 12, count, "H")
    packed = _table(source, stz2, 12, count if head[7] == 8 else (count + 1) // 2, "B")
    if packed is None or head[7] == 8:
        return count, packed
    return count, array("B", (half for byte in packed for half in (byte >> 4, byte & 15)))[:count]


def _offsets(source: Source, stbl: Box | None) -> array[int] | None:
    for kind, code in ((b"stco", "I"), (b"co64", "Q")):
        box = child(source, stbl, kind)
        head = body(source, box, 8)
        if box is not None and len(head) == 8:
            return _table(source, box, 8, struct.unpack(">I", head[4:])[0], code)
    return None


def _table(source: Source, box: Box, skip: int, count: int, code: str) -> array[int] | None:
    """``count`` integers after the box's own fields; None where they are not all there or too many."""
    length = count * array(code).itemsize
    if length > min(box.end - box.offset - skip, _MAX_TABLE_BYTES):
        return None
    data = source.exactly(box.offset + skip, length)
    return None if data is None else _integers(data, code)


def _samples_to_chunks(source: Source, stbl: Box | None) -> tuple[array[int], array[int]]:
    stsc = child(source, stbl, b"stsc")
    head = body(source, stsc, 8)
    values = None
    if stsc is not None and len(head) == 8:
        values = _table(source, stsc, 8, 3 * struct.unpack(">I", head[4:])[0], "I")
    if values is None:
        return array("I"), array("I")
    return values[0::3], values[1::3]
