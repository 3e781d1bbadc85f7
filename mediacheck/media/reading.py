"""What the bytes of a container say by themselves, before any decoder: the types shared inside ``media``."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import msgspec

from mediacheck.facts import Problem, Struct


class PcmLayout(Struct, frozen=True, kw_only=True):
    """Where the samples of an uncompressed file lie and how they are stored."""

    encoding: Literal["u8", "s8", "s16", "s24", "s32", "flt", "dbl", "alaw", "mulaw"]
    big_endian: bool
    sample_rate: int
    channels: int
    channel_mask: int | None = None
    """WAVE_FORMAT_EXTENSIBLE's speaker mask; None where the header has none."""
    offset: int
    """Byte at which the samples start."""
    length: int
    """Bytes of samples that are really there: whole sample frames only, the pad byte and later chunks left out."""
    declared_samples: int | None = None
    """Per channel, as the header counts them; None where it holds a placeholder."""


class TrackReading(Struct, frozen=True, kw_only=True):
    """One track of an MP4 file."""

    track_id: int
    media_timescale: int
    media_duration: int
    """In the media time scale, as mdhd states it."""
    edit_duration: Fraction | None = None
    """Seconds that the edit list plays; None without an edit list (or where it gives no length)."""
    edit_media_time: int | None = None
    """First media time that is played, in the media time scale (AAC priming, as a rule)."""
    edit_precision: Fraction = msgspec.field(default_factory=Fraction)
    """How far ``edit_duration`` may lie from the truth: a tick of the movie time scale for each edit.

    Not half a tick: writers round the start and the end of an edit apart. (352256 samples at 44.1 kHz, 7.98766 s, from
    libavformat 62 read back as 7.987 s.)"""
    empty_edit: Fraction = msgspec.field(default_factory=Fraction)
    """Seconds of an initial empty edit: the track starts that much later."""
    sample_count: int | None = None


class ContainerReading(Struct, frozen=True, kw_only=True):
    """What was read from the bytes of one file.

    ``complete`` is by the bytes alone: True where the container declares its length and all of it is there, False
    where it ends early, None where it declares none (or where only decoding can tell: see ``declared_samples`` and
    ``declared_packets``, which ``measure`` holds against what was decoded).
    """

    family: (
        Literal["wav", "w64", "aiff", "flac", "mp3", "adts", "ogg", "mp4", "matroska", "mpegts", "avi", "au", "caf"]
        | None
    )
    complete: bool | None = None
    completeness: str = ""
    """One phrase: by what ``complete`` was found, or why there is no answer."""
    problems: tuple[Problem, ...] = ()
    refused: str | None = None
    """Why the file must not be opened at all: a playlist, or media that refers to other files."""
    pcm: PcmLayout | None = None
    declared_samples: int | None = None
    """Samples per channel that the header promises after trimming (FLAC STREAMINFO, Xing less delay and padding)."""
    declared_packets: int | None = None
    """Audio frames that the header counts (Xing)."""
    declared_duration: Fraction | None = None
    """Seconds that the header promises (Matroska's Duration)."""
    tracks: tuple[TrackReading, ...] = ()
    media_end: int | None = None
    """Byte at which the media end, where bytes that a decoder would take for media follow: padding or junk behind a
    declared end, or less than a block. Nothing from there on is to be decoded. None: read to the end of the file."""
