"""MP3 and MP2: the first frame, and the Xing, Info or VBRI header that it may carry in place of sound.

Xing's fields are described by Xing Technologies' ``dxhead.h``, LAME's addition by "Mp3 Info Tag rev 1" (gabriel.mp3-
tech.org), VBRI by Fraunhofer. FFmpeg's ``libavformat/mp3dec.c`` is what delay and padding follow here.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from mediacheck.facts import Problem
from mediacheck.media.headers.mpegaudio import MpegFrame, mpeg_frame
from mediacheck.media.headers.problems import header, trailing_data, truncated
from mediacheck.media.headers.source import Source
from mediacheck.media.headers.tags import id3v2_size, trailing_start
from mediacheck.media.reading import ContainerReading

_SEARCH = 1 << 17
"""How far garbage before the first frame may reach."""
_DECODER_DELAY = 529
"""Samples by which an MP3 decoder lags behind the encoder: 528 + 1."""


class FirstFrame(NamedTuple):
    offset: int
    frame: MpegFrame


class _Counts(NamedTuple):
    kind: str
    frames: int | None
    """Frames of sound: the frame that carries this header is not counted."""
    bytes: int | None
    """From the start of the frame that carries this header to the end of the last frame."""
    delay: int | None = None
    padding: int | None = None


def find(source: Source, start: int) -> FirstFrame | None:
    """The first frame at ``start`` or soon after: followed by others of its kind, as chance bytes are not."""
    at_start = mpeg_frame(source.at(start, 4))
    if at_start is not None and _followed(source, start, at_start, 1):
        return FirstFrame(start, at_start)
    window = source.at(start, _SEARCH)
    position = window.find(b"\xff")
    while position >= 0:
        frame = mpeg_frame(window[position : position + 4])
        if frame is not None and _followed(source, start + position, frame, 3):
            return FirstFrame(start + position, frame)
        position = window.find(b"\xff", position + 1)
    return None


def _followed(source: Source, offset: int, frame: MpegFrame, count: int) -> bool:
    for _ in range(count):
        offset += frame.length
        if offset + 4 > source.size:
            # A file of a single frame is believed at the start only; a cut frame there is still MP3.
            return count == 1
        following = mpeg_frame(source.at(offset, 4))
        if following is None:
            return count == 1 and trailing_start(source, offset) == offset
        if (following.layer, following.sample_rate) != (frame.layer, frame.sample_rate):
            return False
        frame = following
    return True


def cut_in_tag(source: Source, tag_end: int) -> ContainerReading:
    """A file that ends inside the ID3v2 tag at its start."""
    return ContainerReading(
        family="mp3",
        complete=False,
        completeness="by the size of its ID3v2 tag",
        problems=(truncated(f"the ID3v2 tag ends at byte {tag_end}, the file has {source.size} bytes"),),
    )


def read(source: Source, first: FirstFrame) -> ContainerReading:
    """Read what the first frame declares about the whole file."""
    end = first.offset + first.frame.length
    if end > source.size:
        return ContainerReading(
            family="mp3",
            complete=False,
            completeness="by the length of its first frame",
            problems=(truncated(f"the first frame ends at byte {end}, the file has {source.size} bytes"),),
        )
    counts = _counts(source, first)
    if counts is None:
        return ContainerReading(family="mp3", completeness="MP3 without a Xing or VBRI header declares no length")
    declared = None
    if counts.frames is not None and counts.delay is not None and counts.padding is not None:
        whole = counts.frames * first.frame.samples
        # Where the padding is shorter than the decoder's delay, the last samples never leave the decoder.
        declared = max(min(whole, whole - counts.padding + _DECODER_DELAY) - counts.delay - _DECODER_DELAY, 0)
    compared = _compare(source, first, counts)
    if compared.complete is not None:
        completeness = f"by the {counts.kind} header's byte count"
    elif counts.frames is not None:
        completeness = f"decided by the decoded count of frames against the {counts.kind} header's"
    else:
        completeness = f"the {counts.kind} header counts neither frames nor bytes"
    return ContainerReading(
        family="mp3",
        complete=compared.complete,
        completeness=completeness,
        problems=compared.problems,
        declared_samples=declared,
        declared_packets=counts.frames,
        media_end=compared.media_end,
    )


class _Comparison(NamedTuple):
    complete: bool | None = None
    problems: tuple[Problem, ...] = ()
    media_end: int | None = None


def _compare(source: Source, first: FirstFrame, counts: _Counts) -> _Comparison:
    """Hold the byte count against the file."""
    if not counts.bytes:
        return _Comparison()
    tags = trailing_start(source, first.offset)
    present = tags - first.offset
    excess = present - counts.bytes
    # Some writers leave the header's own frame out of the byte count.
    if excess in (0, first.frame.length):
        return _Comparison(True)
    if excess < 0:
        if counts.bytes == source.size:
            return _Comparison()
        frames = "" if counts.frames is None else f" ({counts.frames} frames)"
        message = f"the {counts.kind} header counts {counts.bytes} bytes{frames}, the file holds {present}"
        return _Comparison(False, (truncated(message),))
    declared = first.offset + counts.bytes
    either = (declared, declared + first.frame.length)
    reached = _end_of_frames(source, first, counts, declared)
    end = reached if reached in either else None
    if any(_sound_follows(source, place) for place in (either if end is None else (end,))):
        message = (
            f"the {counts.kind} header counts {counts.bytes} bytes up to byte {declared}, "
            f"more frames follow in the next {excess} bytes"
        )
        return _Comparison(True, (header("mp3.trailing_frames", message),))
    rest = tags - (declared if end is None else end)
    if rest <= first.frame.length and not source.at(tags - rest, rest).strip(b"\0"):
        return _Comparison(True, media_end=end)
    message = f"{rest} bytes follow the end that the {counts.kind} header declares at byte {tags - rest}"
    return _Comparison(True, (trailing_data(message),), end)


def _end_of_frames(source: Source, first: FirstFrame, counts: _Counts, declared: int) -> int | None:
    """Where the frames end that the header counts, by their own lengths; None where they cannot be followed."""
    position, frame = first.offset, first.frame
    # The frame that carries the header is there as well, but not counted.
    left = source.size if counts.frames is None else counts.frames + 1
    while left > 0 and (counts.frames is not None or position < declared):
        following = mpeg_frame(source.at(position, 4))
        if following is None or (following.layer, following.sample_rate) != (frame.layer, frame.sample_rate):
            return None
        position += following.length
        left -= 1
    return position


def _sound_follows(source: Source, position: int) -> bool:
    return id3v2_size(source, position) is not None or mpeg_frame(source.at(position, 4)) is not None


def _counts(source: Source, first: FirstFrame) -> _Counts | None:
    frame = first.frame
    if frame.layer != 3:
        return None
    side = (17 if frame.mono else 32) if frame.mpeg1 else (9 if frame.mono else 17)
    body = source.at(first.offset, max(frame.length, 0))
    # LAME writes at the offset of an unprotected frame; others put the CRC before.
    for offset in (4 + side, 6 + side):
        if body[offset : offset + 4] in (b"Xing", b"Info"):
            return _xing(body[offset:])
    if body[36:40] == b"VBRI" and len(body) >= 54:
        total_bytes, frames = struct.unpack(">II", body[46:54])
        return _Counts("VBRI", frames or None, total_bytes or None)
    return None


def _xing(data: bytes) -> _Counts | None:
    if len(data) < 8:
        return None
    kind = data[:4].decode("ascii")
    flags = struct.unpack(">I", data[4:8])[0]
    position = 8
    values: list[int | None] = [None, None]
    for index in range(2):
        if flags & 1 << index and len(data) >= position + 4:
            values[index] = struct.unpack(">I", data[position : position + 4])[0] or None
            position += 4
    position += (100 if flags & 4 else 0) + (4 if flags & 8 else 0)
    lame = data[position : position + 24]
    if lame[:4] not in (b"LAME", b"Lavf", b"Lavc") or len(lame) < 24:
        return _Counts(kind, values[0], values[1])
    both = int.from_bytes(lame[21:24], "big")
    return _Counts(kind, values[0], values[1], both >> 12, both & 0xFFF)
