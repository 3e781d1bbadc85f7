"""Ogg (RFC 3533): pages followed by their own sizes, each held against its checksum and its number."""

from __future__ import annotations

import struct
import zlib
from typing import NamedTuple

from mediacheck.facts import Problem
from mediacheck.media.headers.oggcodec import OggStream, declared_samples, identify
from mediacheck.media.headers.problems import header, incomplete, trailing_data, truncated, undecodable
from mediacheck.media.headers.source import Source
from mediacheck.media.headers.tags import only_tags
from mediacheck.media.reading import ContainerReading

_HEADER = 27
_CONTINUED, _FIRST, _LAST = 1, 2, 4
_FIELDS = struct.Struct("<BQIIIB")
_CHECKSUM = slice(22, 26)
_NO_GRANULE = 0xFFFF_FFFF_FFFF_FFFF
_BLOCK = 1 << 20
_MAX_STREAMS = 10_000
_BITS_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


class _Page(NamedTuple):
    offset: int
    flags: int
    granule: int
    serial: int
    sequence: int
    header: bytes
    """Up to the end of the segment table."""
    lacing: bytes
    body: int
    end: int


class _Walk:
    """One pass over all pages."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.streams: list[OggStream] = []
        self.by_serial: dict[int, OggStream] = {}
        self.problems: list[Problem] = []
        self.cut = False
        self.lost = 0
        self.first_loss = ""
        self.damaged = 0
        self.first_damaged = 0
        self._run()

    def _run(self) -> None:
        position = 0
        while position < self.source.size:
            page = _page_at(self.source, position)
            if page is None:
                resumed = self._resume(position)
                if resumed is None:
                    return
                position = resumed
                continue
            if page.end > self.source.size:
                self._truncated(f"the last Ogg page ends at byte {page.end}, the file has {self.source.size} bytes")
                # What the page's own header says is not true of a page that is not there.
                return
            self._take(page)
            position = page.end

    def _take(self, page: _Page) -> None:
        body = self.source.at(page.body, page.end - page.body)
        stream = self.by_serial.get(page.serial)
        if not _checksum_holds(page.header, body):
            self.first_damaged = self.first_damaged if self.damaged else page.offset
            self.damaged += 1
            if stream is not None:
                stream.take_damaged(page.sequence, last=bool(page.flags & _LAST))
            return
        if page.flags & _FIRST or stream is None:
            if len(self.streams) >= _MAX_STREAMS:
                return
            stream = identify(page.serial, body[: min(len(body), 512)])
            self.streams.append(stream)
            self.by_serial[page.serial] = stream
        lost = stream.lost_before(page.sequence)
        if lost:
            where = f"before byte {page.offset} ({stream.codec or 'unknown'} stream {stream.serial})"
            self.first_loss = self.first_loss or where
            self.lost += lost
        if page.granule != _NO_GRANULE:
            stream.last_granule = page.granule
            if page.granule > 0 and stream.first_granule is None:
                stream.take_first(page.granule, page.lacing, body, continued=bool(page.flags & _CONTINUED))
        stream.ended = bool(page.flags & _LAST) or stream.ended

    def _resume(self, position: int) -> int | None:
        """The next page after bytes that are none; None at the end of what can be read."""
        source = self.source
        rest = source.size - position
        if rest < _HEADER + 255 and source.at(position, 4) == b"OggS"[: min(rest, 4)]:
            self._truncated(f"the file ends inside the header of an Ogg page at byte {position}")
            return None
        found = _find_page(source, position + 1)
        if found is not None:
            if not any(problem.code == "ogg.garbage" for problem in self.problems):
                message = f"{found - position} bytes at byte {position} are no Ogg page"
                self.problems.append(header("ogg.garbage", message))
            return found
        if not only_tags(source, position):
            self.problems.append(trailing_data(f"{rest} bytes follow the last Ogg page, from byte {position} on"))
        return None

    def _truncated(self, message: str) -> None:
        self.cut = True
        self.problems.append(truncated(message))


def _page_at(source: Source, position: int) -> _Page | None:
    # One read for the header and the longest segment table: a file may have a page for every 20 ms.
    head = source.at(position, _HEADER + 255)
    if len(head) < _HEADER or head[:5] != b"OggS\0":
        return None
    flags, granule, serial, sequence, _crc, segments = _FIELDS.unpack_from(head, 5)
    lacing = head[_HEADER : _HEADER + segments]
    if len(lacing) < segments:
        return None
    body = position + _HEADER + segments
    fixed = head[: _HEADER + segments]
    return _Page(position, flags, granule, serial, sequence, fixed, lacing, body, body + sum(lacing))


def _checksum_holds(head: bytes, body: bytes) -> bool:
    """Whether a page matches its CRC-32 (RFC 3533, section 6): generator 0x04C11DB7, from 0, highest bit first."""
    # zlib has the same generator, but takes the lowest bit of a byte first, starts from all ones and inverts the end.
    # With the bits of every byte turned round, and both inversions taken back, it computes Ogg's sum at C speed; the
    # result then has its 32 bits the other way round, which for the field's four bytes is their order and their bits.
    covered = head[: _CHECKSUM.start] + bytes(4) + head[_CHECKSUM.stop :] + body
    computed = zlib.crc32(covered.translate(_BITS_REVERSED), 0xFFFF_FFFF) ^ 0xFFFF_FFFF
    return computed.to_bytes(4, "big") == head[_CHECKSUM].translate(_BITS_REVERSED)


def _find_page(source: Source, position: int) -> int | None:
    while position < source.size:
        block = source.at(position, _BLOCK)
        found = block.find(b"OggS\0")
        if found >= 0:
            return position + found
        if len(block) < 5:
            return None
        position += len(block) - 4
    return None


def read(source: Source) -> ContainerReading:
    """Follow the pages of an Ogg file; the magic bytes are known to be right."""
    walk = _Walk(source)
    problems = list(walk.problems)
    open_streams = [stream for stream in walk.streams if not stream.ended]
    if open_streams and not walk.cut:
        names = ", ".join(f"{stream.codec or 'unknown'} stream {stream.serial}" for stream in open_streams[:5])
        problems.append(truncated(f"no end-of-stream page: {names}"))
    if walk.lost:
        message = f"{_pages(walk.lost)} missing by the page numbers, the first {walk.first_loss}"
        problems.append(incomplete("ogg.lost_pages", message))
    if walk.damaged:
        which = f"1 Ogg page does not match its checksum: it starts at byte {walk.first_damaged}"
        if walk.damaged > 1:
            which = f"{walk.damaged} Ogg pages do not match their checksums, the first at byte {walk.first_damaged}"
        problems.append(undecodable("ogg.page_checksum", which))
    complete: bool | None = not (walk.cut or open_streams or walk.lost)
    completeness = "by the sizes of its pages" if walk.cut else "by the end-of-stream pages"
    if walk.lost and not walk.cut:
        completeness = "by the numbers of its pages"
    if complete and not walk.streams:
        complete = None
    if complete and walk.damaged:
        complete, completeness = None, "damaged pages hide whether all of it is there"
    return ContainerReading(
        family="ogg",
        complete=complete,
        completeness=completeness,
        problems=tuple(problems),
        declared_samples=declared_samples(walk.streams),
    )


def _pages(count: int) -> str:
    return "1 page is" if count == 1 else f"{count} pages are"
