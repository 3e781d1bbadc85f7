"""One track of an MP4 file: its clock, its edit list, and where its data are said to be."""

from __future__ import annotations

import struct
from fractions import Fraction

from mediacheck.media.headers.boxes import Box, body, child, children
from mediacheck.media.headers.source import Source
from mediacheck.media.reading import TrackReading

_MAX_EDITS = 10_000
_UNKNOWN_DURATIONS = (0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF)


def read_track(
    source: Source, trak: Box, number: int, movie_timescale: int, sample_count: int | None
) -> TrackReading | None:
    """Read ``trak``; None where it has no clock of its own, without which its times mean nothing."""
    mdhd = body(source, child(source, trak, b"mdia", b"mdhd"), 32)
    long = mdhd[:1] == b"\1"
    fields = mdhd[20:32] if long else mdhd[12:20]
    if len(fields) < (12 if long else 8):
        return None
    timescale, duration = struct.unpack(">IQ" if long else ">II", fields)
    if timescale == 0:
        return None
    tkhd = body(source, child(source, trak, b"tkhd"), 32)
    at = 20 if tkhd[:1] == b"\1" else 12
    track_id = int.from_bytes(tkhd[at : at + 4], "big") if len(tkhd) >= at + 4 else number
    played, media_time, empty, edits = _edits(source, trak)
    usable = movie_timescale > 0
    exact = not usable or movie_timescale % timescale == 0
    return TrackReading(
        track_id=track_id,
        media_timescale=timescale,
        media_duration=0 if duration in _UNKNOWN_DURATIONS else duration,
        edit_duration=Fraction(played, movie_timescale) if usable and played else None,
        edit_media_time=media_time,
        edit_precision=Fraction(0) if exact or not edits else Fraction(edits, movie_timescale),
        empty_edit=Fraction(empty, movie_timescale) if usable else Fraction(0),
        sample_count=sample_count,
    )


def _edits(source: Source, trak: Box) -> tuple[int, int | None, int, int]:
    """Ticks of the movie that are played, the first media time, ticks of the initial empty edits, media edits."""
    elst = child(source, trak, b"edts", b"elst")
    entry = ">Qqi" if body(source, elst, 1) == b"\1" else ">Iii"
    size = struct.calcsize(entry)
    data = body(source, elst, 8 + _MAX_EDITS * size)
    count = min(struct.unpack(">I", data[4:8])[0] if len(data) >= 8 else 0, (len(data) - 8) // size)
    played = empty = edits = 0
    first: int | None = None
    for index in range(count):
        duration, media_time, _rate = struct.unpack_from(entry, data, 8 + index * size)
        if media_time < 0:
            empty += duration if first is None else 0
            continue
        first = media_time if first is None else first
        played += duration
        edits += 1
    return played, first, empty, edits


def external_reference(source: Source, trak: Box, track_id: int) -> str | None:
    """Why the track must not be opened: its data reference names another file; None where it does not."""
    dref = child(source, trak, b"mdia", b"minf", b"dinf", b"dref")
    if dref is None:
        return None
    for entry in children(source, dref, skip=8):
        data = body(source, entry, 1024)
        self_contained = len(data) >= 4 and data[3] & 1
        # Some writers leave the flag unset and the place empty: that names nothing.
        if not self_contained and data[4:].strip(b"\0"):
            return f"track {track_id} refers to another file, which is not opened"
    return None
