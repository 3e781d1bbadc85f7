from __future__ import annotations

from fractions import Fraction

from mediacheck.checks.registry import (
    Case,
    Parameters,
    Result,
    check,
    failed,
    inconclusive,
    not_applicable,
    passed,
    worst,
)
from mediacheck.checks.wording import exact, fraction_text
from mediacheck.facts import AudioStream, VideoStream

# Their clock starts anywhere by design.
_FREE_CLOCKS = {"mpegts", "mpeg"}


class TimelineStart(Parameters, frozen=True, kw_only=True):
    """Limits of ``timeline.start@1``."""

    max_start: Fraction | None = None
    """Seconds; unset: a stream may start at any time."""
    max_skew: Fraction | None = None
    """Seconds between the earliest and the latest start; unset: one video frame or one frame of a lossy audio codec,
    whichever is longer."""


@check("timeline.start", 1, TimelineStart)
def timeline_start(case: Case, parameters: TimelineStart) -> Result:
    """Streams start together, and on time."""
    streams = case.facts.audio + case.facts.video
    timed = [
        (stream, stream.timeline.first, stream.timeline.precision)
        for stream in streams
        if stream.timeline is not None and stream.timeline.first is not None
    ]
    if not timed:
        return not_applicable("no timestamps" if streams else "no audio or video stream")
    results = []
    if parameters.max_start is not None and case.facts.container.format not in _FREE_CLOCKS:
        latest, first, precision = max(timed, key=lambda row: row[1])
        results.append(_late(latest, first, precision, parameters.max_start))
    if len(streams) > 1:
        if len(timed) < len(streams):
            results.append(inconclusive("a stream has no timestamps: when the streams start cannot be compared"))
        else:
            results.append(_skew(timed, parameters.max_skew))
    if not results:
        return not_applicable("one stream, and no max_start is set")
    return worst(results)


def _late(stream: AudioStream | VideoStream, first: Fraction, precision: Fraction, most: Fraction) -> Result:
    if first <= most + precision:
        return passed("no stream starts late", measured=fraction_text(first), expected=fraction_text(most), unit="s")
    return failed(
        f"stream {stream.index} starts at {exact(first)}, limit {exact(most)}",
        measured=fraction_text(first),
        expected=fraction_text(most),
        unit="s",
    )


def _skew(timed: list[tuple[AudioStream | VideoStream, Fraction, Fraction]], most: Fraction | None) -> Result:
    early, first, first_precision = min(timed, key=lambda row: row[1])
    late, last, last_precision = max(timed, key=lambda row: row[1])
    if most is None:
        rates = [s.measured_rate or s.declared_rate for s, _, _ in timed if isinstance(s, VideoStream)]
        known = [rate for rate in rates if rate]
        if not rates:
            return not_applicable("several audio streams, and no max_skew is set")
        if not known:
            return inconclusive("the frame rate is unknown, so that one video frame has no length; set max_skew")
        most = max(1 / min(known), *(_codec_frame(stream) for stream, _, _ in timed))
    skew = last - first
    if skew <= most + first_precision + last_precision:
        return passed(
            f"the streams start within {exact(skew)} of each other",
            measured=fraction_text(skew),
            expected=fraction_text(most),
            unit="s",
        )
    return failed(
        f"{_name(late)} starts at {exact(last)}, {_name(early)} at {exact(first)}: "
        f"{exact(skew)} apart, limit {exact(most)}",
        measured=fraction_text(skew),
        expected=fraction_text(most),
        unit="s",
    )


def _codec_frame(stream: AudioStream | VideoStream) -> Fraction:
    """Seconds of undeclared priming that the stream may start with.

    MPEG-TS, FLV and fragmented MP4 cannot declare an encoder's delay: their sound starts up to a codec frame early, and
    the first sample that was recorded stands where the picture starts.
    """
    if not isinstance(stream, AudioStream) or not stream.lossy or stream.priming:
        return Fraction(0)
    return Fraction(stream.frame_size or 0, stream.sample_rate)


def _name(stream: AudioStream | VideoStream) -> str:
    return f"{'audio' if isinstance(stream, AudioStream) else 'video'} stream {stream.index}"
