"""Stretches of pictures that are all black, or all the same, under any limit."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from mediacheck.checks.registry import Parameters, Result, failed, inconclusive, not_applicable, passed
from mediacheck.checks.wording import exact, fraction_text, limit, timecode
from mediacheck.facts import Series, Span, SpanTotals, VideoStream, totals
from mediacheck.spans import FrameTimes


class PictureLimits(Parameters, frozen=True, kw_only=True):
    """Base of the limits of ``video.black`` and ``video.frozen``."""


def judge_stretches(
    stream: VideoStream,
    word: str,
    max_length: Fraction,
    saved: tuple[tuple[Span, ...], SpanTotals] | None,
    series: Series | None,
    find: Callable[..., tuple[Span, ...]],
    level: float,
) -> Result:
    """Fail where the longest stretch exceeds ``max_length`` seconds.

    Args:
        stream: the stream they are of.
        word: ``black`` or ``frozen``.
        max_length: seconds; exactly as long is allowed.
        saved: the stretches that were measured with the default level; None: find them again with ``level``.
        series: what was saved for each frame, for ``find``.
        find: ``spans.black_spans`` or ``spans.frozen_spans``.
        level: from which on, or up to which, a frame counts.
    """
    if stream.frames <= 0:
        return not_applicable("no frames")
    if saved is not None:
        spans, sums = saved
    elif series is None or stream.frame_times is None:
        return inconclusive(f"other limits of {word} need the frames' values, which these facts do not hold")
    else:
        times = FrameTimes(stream.frame_times.values(), stream.measured_rate, stream.constant_rate)
        spans = find(series.values(), times, stream.duration, level)
        sums = totals(spans)
    measured, expected = fraction_text(sums.longest), fraction_text(max_length)
    if sums.longest <= max_length:
        return passed(
            f"{word} for {exact(sums.longest)} at most, limit {limit(max_length)} s",
            measured=measured,
            expected=expected,
            unit="s",
        )
    long = tuple(span for span in spans if span.length > max_length)
    longest = max(long, key=lambda span: span.length, default=None)
    where = f" from {timecode(longest.start)} to {timecode(longest.end)}" if longest else ""
    return failed(
        f"{word} for {_frames(stream, sums.longest)}{exact(sums.longest)}{where}, limit {limit(max_length)} s",
        measured=measured,
        expected=expected,
        unit="s",
        spans=long,
        spans_totals=totals(long) if len(spans) == sums.count else sums,
    )


def _frames(stream: VideoStream, length: Fraction) -> str:
    """``24 of 24 frames = `` where the rate is constant."""
    if not stream.constant_rate or not stream.measured_rate:
        return ""
    return f"{round(length * stream.measured_rate)} of {stream.frames} frames = "
