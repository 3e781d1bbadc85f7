"""What was measured of one file: exact, without opinion.

Times are ``Fraction`` seconds here and ``"num/den"`` in JSON; counts are ints; levels are dBFS (20·log10(x), full
scale 1.0), ``None`` where the level is minus infinity or was not measured. Spans within a stream count from its first
decoded sample or frame; spans of a ``Timeline`` stand on the container's clock. docs/reference/facts.md tells each
field's definition at length.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Final, Literal, dataclass_transform

import msgspec

FACTS_SCHEMA: Final = "mediacheck.facts/1"


# msgspec hands frozen and kw_only down to subclasses; type checkers learn of it from this.
@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(msgspec.field,))
class Struct(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every type that crosses a module border: frozen, by name, strict when read back."""


class Span(Struct, frozen=True, kw_only=True):
    """A half-open stretch of time, in seconds."""

    start: Fraction
    end: Fraction

    @property
    def length(self) -> Fraction:
        return self.end - self.start


class SpanTotals(Struct, frozen=True, kw_only=True):
    """What a list of spans amounts to, so that a report may show the first hundred only."""

    count: int = 0
    total: Fraction = msgspec.field(default_factory=Fraction)
    longest: Fraction = msgspec.field(default_factory=Fraction)


class Problem(Struct, frozen=True, kw_only=True):
    """Something wrong with the file that its bytes or its decoder show."""

    code: str
    """Dotted, stable: ``wav.size_placeholder``, ``truncated``, ``trailing_data``, …"""
    message: str
    """One sentence, with the numbers."""
    affects: Literal["decodable", "complete", "header"]
    """Which question it answers: can it be read, is it whole, is its header right."""


class Series(Struct, frozen=True, kw_only=True):
    """Numbers at a fixed step, packed: little-endian float32, in JSON as base64 (5.4 bytes a value)."""

    count: int
    """Values: a quarter of the bytes."""
    data: bytes
    encoding: Literal["float32le+base64"] = "float32le+base64"

    @classmethod
    def pack(cls, values: array[float]) -> Series:
        """Pack an ``array('f')``."""
        if sys.byteorder == "big":
            values = array("f", values)
            values.byteswap()
        return cls(count=len(values), data=values.tobytes())

    def unpack(self) -> array[float]:
        """The values as ``array('f')``; NaN stands where there was nothing to measure."""
        values = array("f")
        values.frombytes(self.data)
        if sys.byteorder == "big":
            values.byteswap()
        return values

    def values(self) -> Sequence[float]:
        """The same to read only, without a copy: an hour of one channel takes 1.4 MB."""
        return self.unpack() if sys.byteorder == "big" else memoryview(self.data).cast("f")


class FileFacts(Struct, frozen=True, kw_only=True):
    name: str
    """The file's name as given, without the folders above it."""
    bytes: int
    sha256: str


class Tag(Struct, frozen=True, kw_only=True):
    key: str
    value: str


class ContainerFacts(Struct, frozen=True, kw_only=True):
    format: str | None
    """FFmpeg's short name (``wav``, ``mov,mp4,m4a,3gp,3g2,mj2``); None where nothing recognised the bytes."""
    declared_duration: Fraction | None = None
    """Seconds, as the container or its demuxer states it: often an estimate, never used as a length."""
    start: Fraction | None = None
    bit_rate: int | None = None
    """Bits per second, as the demuxer states it."""
    tags: tuple[Tag, ...] = ()
    complete: bool | None = None
    """True: the container declares its length and all of it is there. False: it ends early. None: it declares none."""
    completeness: str = ""
    """One phrase: by what the answer was found, or why there is none."""
    problems: tuple[Problem, ...] = ()


class NonMonotonic(Struct, frozen=True, kw_only=True):
    """Timestamps that go backwards or repeat, in the order in which the decoder gives them."""

    count: int = 0
    spans: tuple[Span, ...] = ()
    """From the earlier stamp reached to the stamp that followed; ``end <= start`` for each."""


class Timeline(Struct, frozen=True, kw_only=True):
    """Where a stream's frames (audio: packets) stand on the container's clock, in seconds."""

    first: Fraction | None = None
    """Presentation time of the first sample or frame that is played (after declared priming)."""
    end: Fraction | None = None
    """Presentation time at which the last one ends, by timestamps alone."""
    precision: Fraction = msgspec.field(default_factory=Fraction)
    """How far a timestamp may lie from the truth by the container's rounding: one tick, as a rule."""
    gaps: tuple[Span, ...] = ()
    """Where the next timestamp comes later than the one before ends, by more than the precision."""
    gaps_totals: SpanTotals = msgspec.field(default_factory=SpanTotals)
    overlaps: tuple[Span, ...] = ()
    overlaps_totals: SpanTotals = msgspec.field(default_factory=SpanTotals)
    non_monotonic: NonMonotonic = msgspec.field(default_factory=NonMonotonic)


class StreamFacts(Struct, frozen=True, kw_only=True):
    """What every stream has."""

    index: int
    codec: str | None
    profile: str | None = None
    time_base: Fraction | None = None
    start: Fraction | None = None
    """Seconds: as ``timeline.first`` where there is a timeline, else as the header states it."""
    declared_duration: Fraction | None = None
    packets: int | None = None
    """None where the container has no packets (PCM read by its own header)."""
    decode_errors: int = 0
    """Packets that the decoder refused."""
    decode_error_spans: tuple[Span, ...] = ()
    """Where they stood on the container's clock, the first hundred."""
    missing_timestamps: int = 0
    timeline: Timeline | None = None
    """None for a stream that is not decoded."""


class NonFinite(Struct, frozen=True, kw_only=True):
    nan: int = 0
    inf: int = 0
    spans: tuple[Span, ...] = ()
    spans_totals: SpanTotals = msgspec.field(default_factory=SpanTotals)


class ChannelLevels(Struct, frozen=True, kw_only=True):
    """Levels of one channel, over its finite samples."""

    peak_dbfs: float | None
    rms_dbfs: float | None
    dc_offset: float | None
    """Mean, full scale 1.0; None below 0.1 s."""
    full_scale_samples: int
    """Samples with |x| >= 32767/32768 (formats below 16 bits: their extreme codes)."""
    clipped_samples: int
    """Those of them that stand in runs of three or more."""
    clipped_runs: int
    loudest_window_dbfs: float | None
    """RMS of the loudest 10 ms window."""


class ZeroRun(Span, frozen=True, kw_only=True):
    """Exact zeros for 5 ms or more on one channel."""

    channel: int
    samples: int
    before_dbfs: float | None
    """RMS of the 2 ms before; None at the start of the stream or where those are silent."""
    after_dbfs: float | None


class ConstantRun(Span, frozen=True, kw_only=True):
    """One value, not zero, for 20 ms or more on one channel."""

    channel: int
    samples: int
    value: float


class Tail(Struct, frozen=True, kw_only=True):
    last_dbfs: float | None = None
    """RMS of the last 10 ms, the loudest channel."""
    loudest_second_dbfs: float | None = None
    """RMS of the loudest second (or of the whole stream, where it is shorter), the loudest channel."""


class Loudness(Struct, frozen=True, kw_only=True):
    """ITU-R BS.1770-4 and EBU Tech 3342. All None below 0.4 s and where all is silent."""

    integrated_lufs: float | None = None
    range_lu: float | None = None
    true_peak_dbtp: float | None = None


class SampleBounds(Struct, frozen=True, kw_only=True):
    """Between which counts the true number of samples lies, where the container cannot say it exactly."""

    low: int
    high: int
    declared: bool
    """True: the container declares the end, on a coarser clock. False: it does not, and up to a codec frame may be
    padding."""
    reason: str


class AudioStream(StreamFacts, frozen=True, kw_only=True, tag_field="kind", tag="audio"):
    sample_rate: int
    """Hz."""
    channels: int
    layout: str | None
    """FFmpeg's name: ``mono``, ``stereo``, ``5.1``, …"""
    sample_format: str | None
    """What the file stores: ``s16``, ``s24``, ``flt``, …"""
    lossy: bool = False
    frame_size: int | None = None
    """Samples of a codec frame, where the codec works in frames of one length (AAC 1024, MP3 1152)."""
    samples: int
    """Per channel, decoded, after the priming and padding that the container declares are removed."""
    samples_bounds: SampleBounds | None = None
    """None where ``samples`` is exact."""
    priming: int = 0
    """Samples removed at the start because the container declares them (edit list, LAME, pre-skip)."""
    padding: int = 0
    """Samples removed at the end, likewise."""
    duration: Fraction
    """samples / sample_rate, seconds."""
    duration_seconds: float
    non_finite: NonFinite = msgspec.field(default_factory=NonFinite)
    peak_dbfs: float | None = None
    rms_dbfs: float | None = None
    dc_offset: float | None = None
    """Of the channel that lies farthest from zero; None below 0.1 s."""
    full_scale_samples: int = 0
    clipped_samples: int = 0
    clipped_runs: int = 0
    loudest_window_dbfs: float | None = None
    channel_levels: tuple[ChannelLevels, ...] = ()
    leading_silence: Fraction = msgspec.field(default_factory=Fraction)
    trailing_silence: Fraction = msgspec.field(default_factory=Fraction)
    silences: tuple[Span, ...] = ()
    """Below -60 dBFS on the 10 ms grid, every channel; the leading and trailing ones included."""
    silences_totals: SpanTotals = msgspec.field(default_factory=SpanTotals)
    zero_runs: tuple[ZeroRun, ...] = ()
    zero_runs_totals: SpanTotals = msgspec.field(default_factory=SpanTotals)
    constant_runs: tuple[ConstantRun, ...] = ()
    constant_runs_totals: SpanTotals = msgspec.field(default_factory=SpanTotals)
    tail: Tail = msgspec.field(default_factory=Tail)
    loudness: Loudness = msgspec.field(default_factory=Loudness)
    envelope: tuple[Series, ...] | None = None
    """Per channel, RMS (full scale 1.0) of window k = samples ceil(k·rate/100) up to ceil((k+1)·rate/100).
    Kept in saved facts, left out of reports."""
    digest: str | None = None
    """xxh3-128 of the decoded samples in a fixed layout: equality, not security."""


class VideoStream(StreamFacts, frozen=True, kw_only=True, tag_field="kind", tag="video"):
    width: int
    height: int
    pixel_format: str | None
    sample_aspect_ratio: Fraction | None = None
    rotation: int = 0
    """Degrees clockwise by which a player turns the picture."""
    frames: int
    declared_rate: Fraction | None = None
    """Frames per second, as the container states it."""
    measured_rate: Fraction | None = None
    """Frames per second, from the timestamps; None below two frames."""
    constant_rate: bool | None = None
    """Whether every timestamp lies within the precision of ``measured_rate``; None below two frames."""
    duration: Fraction
    """frames / measured_rate where the rate is constant, else the span of the timestamps; seconds."""
    duration_seconds: float
    black_spans: tuple[Span, ...] = ()
    black_spans_totals: SpanTotals = msgspec.field(default_factory=SpanTotals)
    frozen_spans: tuple[Span, ...] = ()
    """From the first frame that repeats the one before to the end of the last that does."""
    frozen_spans_totals: SpanTotals = msgspec.field(default_factory=SpanTotals)
    corrupt_frames: int = 0
    black_share: Series | None = None
    """Per frame, the share of the luma at or below 32 of limited range. Kept in saved facts, left out of reports."""
    change: Series | None = None
    """Per frame, mean absolute luma difference to the frame before, of full range; NaN for the first. Likewise."""
    local_change: Series | None = None
    """Per frame, the same in the 16x16 square that changed most; NaN where ``change`` is above 0.01. Likewise."""
    frame_times: Series | None = None
    """Per frame, seconds from the first frame. Likewise."""
    digest: str | None = None
    """xxh3-128 of the decoded frames in a fixed layout: equality, not security."""


class OtherStream(StreamFacts, frozen=True, kw_only=True, tag_field="kind", tag="other"):
    """A stream that is neither: subtitles, data, a cover picture. It is not decoded."""

    media_type: str = "unknown"
    """FFmpeg's name of the type: ``video`` for a cover picture, ``subtitle``, ``data``, …"""
    attached_picture: bool = False


Stream = AudioStream | VideoStream | OtherStream


class Libraries(Struct, frozen=True, kw_only=True):
    """What decoded and measured, with versions: others may decode lossy codecs to other samples. None: not used."""

    numpy: str | None = None
    ffmpeg: str | None = None
    """The release of the libraries that PyAV carries."""
    libsndfile: str | None = None


class MediaFacts(Struct, frozen=True, kw_only=True):
    """All that was measured of one file."""

    schema: Literal["mediacheck.facts/1"] = FACTS_SCHEMA
    libraries: Libraries = msgspec.field(default_factory=Libraries)
    file: FileFacts
    container: ContainerFacts
    streams: tuple[Stream, ...] = ()

    @property
    def audio(self) -> tuple[AudioStream, ...]:
        return tuple([s for s in self.streams if isinstance(s, AudioStream)])

    @property
    def video(self) -> tuple[VideoStream, ...]:
        return tuple([s for s in self.streams if isinstance(s, VideoStream)])

    @property
    def length(self) -> Fraction | None:
        """Seconds, of the longest stream; None where nothing was decoded."""
        durations = [*(stream.duration for stream in self.audio), *(stream.duration for stream in self.video)]
        return max(durations, default=None)


def totals(spans: tuple[Span, ...]) -> SpanTotals:
    """Count, summed length and greatest length of ``spans``."""
    if not spans:
        return SpanTotals()
    whole = _denominator(spans)
    total, longest = 0, _length(spans[0], whole)
    # An hour has thousands: in one pass, without a list of their lengths.
    for span in spans:
        length = _length(span, whole)
        total += length
        longest = max(longest, length)
    return SpanTotals(count=len(spans), total=Fraction(total, whole), longest=Fraction(longest, whole))


def longest_of(spans: tuple[Span, ...]) -> Span | None:
    """The first of the longest; None of none."""
    whole = _denominator(spans)
    return max(spans, key=lambda span: _length(span, whole), default=None)


def _denominator(spans: tuple[Span, ...]) -> int:
    """One for all times: in whole numbers over it they are compared and added in a fifth of the time of fractions."""
    return lcm(*{below for span in spans for below in (span.start.denominator, span.end.denominator)})


def _length(span: Span, whole: int) -> int:
    (start, first), (end, second) = span.start.as_integer_ratio(), span.end.as_integer_ratio()
    return end * (whole // second) - start * (whole // first)
