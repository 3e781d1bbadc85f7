"""Facts made by hand: plausible good ones, with whatever a test wants otherwise."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from mediacheck.checks import Case, get_check
from mediacheck.checks.registry import Result
from mediacheck.expectation import Expectation
from mediacheck.facts import (
    AudioStream,
    ChannelLevels,
    ContainerFacts,
    FileFacts,
    Libraries,
    Loudness,
    MediaFacts,
    Series,
    Span,
    Stream,
    Tail,
    Timeline,
    VideoStream,
    totals,
)
from mediacheck.spans import FrameTimes, black_spans, frozen_spans, silent_spans


def span(start: Fraction | int | str, end: Fraction | int | str) -> Span:
    return Span(start=Fraction(start), end=Fraction(end))


def series(values: Sequence[float]) -> Series:
    return Series.pack(array("f", values))


def levels(**changes: Any) -> ChannelLevels:
    values: dict[str, Any] = {
        "peak_dbfs": -6.0,
        "rms_dbfs": -20.0,
        "dc_offset": 0.0,
        "full_scale_samples": 0,
        "clipped_samples": 0,
        "clipped_runs": 0,
        "loudest_window_dbfs": -12.0,
    }
    return ChannelLevels(**{**values, **changes})


def audio(samples: int = 48000, rate: int = 24000, channels: int = 1, **changes: Any) -> AudioStream:
    """Sound of one level from end to end."""
    duration = Fraction(samples, rate)
    values: dict[str, Any] = {
        "index": 0,
        "codec": "pcm_s16le",
        "sample_rate": rate,
        "channels": channels,
        "layout": {1: "mono", 2: "stereo", 6: "5.1"}.get(channels),
        "sample_format": "s16",
        "samples": samples,
        "duration": duration,
        "duration_seconds": float(duration),
        "peak_dbfs": -6.0,
        "rms_dbfs": -20.0,
        "dc_offset": 0.0,
        "loudest_window_dbfs": -12.0,
        "channel_levels": (levels(),) * channels,
        "tail": Tail(last_dbfs=-50.0, loudest_second_dbfs=-18.0),
        "loudness": Loudness(integrated_lufs=-20.0, range_lu=3.0, true_peak_dbtp=-5.0),
        "timeline": Timeline(first=Fraction(0), end=duration),
    }
    return AudioStream(**{**values, **changes})


def audio_of(envelope: Sequence[float], rate: int = 24000, saved: bool = True, **changes: Any) -> AudioStream:
    """Sound of these 10 ms windows (RMS, full scale 1.0), with its silences measured."""
    samples = len(envelope) * rate // 100
    duration = Fraction(len(envelope), 100)
    packed = series(envelope)
    spans = silent_spans([packed.unpack()], -60.0, duration)
    loudest = max((value for value in packed.unpack() if value == value), default=0.0)
    from math import log10

    level = 20 * log10(loudest) if loudest > 0 else None
    values: dict[str, Any] = {
        "silences": spans,
        "silences_totals": totals(spans),
        "leading_silence": spans[0].length if spans and spans[0].start == 0 else Fraction(0),
        "trailing_silence": spans[-1].length if spans and spans[-1].end == duration else Fraction(0),
        "envelope": (packed,) if saved else None,
        "loudest_window_dbfs": level,
        "channel_levels": (levels(loudest_window_dbfs=level),),
    }
    return audio(samples, rate, **{**values, **changes})


def video(frames: int = 48, rate: Fraction | int = 24, **changes: Any) -> VideoStream:
    """Moving pictures at a constant rate."""
    duration = frames / Fraction(rate)
    values: dict[str, Any] = {
        "index": 1,
        "codec": "h264",
        "width": 160,
        "height": 96,
        "pixel_format": "yuv420p",
        "frames": frames,
        "declared_rate": Fraction(rate),
        "measured_rate": Fraction(rate),
        "constant_rate": True,
        "duration": duration,
        "duration_seconds": float(duration),
        "timeline": Timeline(first=Fraction(0), end=duration, precision=Fraction(1, 12288)),
    }
    return VideoStream(**{**values, **changes})


def video_of(black: Sequence[float], change: Sequence[float], rate: int = 24, **changes: Any) -> VideoStream:
    """Pictures with these shares of black and these changes, with their spans measured."""
    times = [k / rate for k in range(len(black))]
    duration = Fraction(len(black), rate)
    at = FrameTimes(series(times).unpack(), Fraction(rate), True)
    dark = black_spans(series(black).unpack(), at, duration)
    squares = [math.nan if value > 0.01 else value for value in change]
    still = frozen_spans(series(change).unpack(), series(squares).unpack(), at, duration)
    values: dict[str, Any] = {
        "black_spans": dark,
        "black_spans_totals": totals(dark),
        "frozen_spans": still,
        "frozen_spans_totals": totals(still),
        "black_share": series(black),
        "change": series(change),
        "local_change": series(squares),
        "frame_times": series(times),
    }
    return video(len(black), rate, **{**values, **changes})


def facts(*streams: Stream, **container: Any) -> MediaFacts:
    """A good WAV or MP4 of these streams."""
    values: dict[str, Any] = {"format": "wav", "complete": True, "completeness": "the sizes in the header agree"}
    return MediaFacts(
        libraries=Libraries(libsndfile="1.2.2"),
        file=FileFacts(name="out.wav", bytes=96044, sha256="0" * 64),
        container=ContainerFacts(**{**values, **container}),
        streams=streams,
    )


def case(*streams: Stream, contract: Any = None, expect: dict[str, Any] | None = None, **container: Any) -> Case:
    return Case(facts=facts(*streams, **container), contract=contract, expect=Expectation(**(expect or {})))


def run(check: str, of: Case, **parameters: Any) -> Result:
    """What ``check`` says, with its default parameters but for those given."""
    definition = get_check(check)
    return definition.run(of, definition.parameters(**parameters))
