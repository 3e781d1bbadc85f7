"""The silence of a stream under any limit, for the checks that judge it."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Literal

import msgspec

from mediacheck.checks.registry import Parameters, Result, failed, inconclusive, not_applicable, passed
from mediacheck.checks.wording import exact, fraction_text, limit, number
from mediacheck.facts import AudioStream, Span, SpanTotals, totals
from mediacheck.spans import SILENCE_DBFS, silent_spans


class SilenceLevel(Parameters, frozen=True, kw_only=True):
    """What counts as silent."""

    threshold_dbfs: float = SILENCE_DBFS
    """dBFS RMS of a 10 ms window, its loudest channel; a window exactly at it is not silent."""


class Silence(msgspec.Struct, frozen=True):
    """Where a stream is silent, its ends apart from its inside."""

    leading: Fraction
    trailing: Fraction
    spans: tuple[Span, ...]
    """The leading and trailing ones included."""
    duration: Fraction
    """Of the stream, seconds."""
    totals: SpanTotals
    """Of all, whether or not they stand in ``spans``."""
    partial: bool = False
    """The saved list was cut: ``spans`` lacks some."""

    @property
    def inside(self) -> tuple[Span, ...]:
        """Those that touch neither end."""
        return tuple(span for span in self.spans if span.start > 0 and span.end < self.duration)


def silence_of(stream: AudioStream, threshold_dbfs: float) -> Silence | None:
    """The silence below ``threshold_dbfs``; None where that needs an envelope, and none was saved."""
    duration = stream.duration
    if threshold_dbfs == SILENCE_DBFS:
        return Silence(
            leading=stream.leading_silence,
            trailing=stream.trailing_silence,
            spans=stream.silences,
            duration=duration,
            totals=stream.silences_totals,
            partial=len(stream.silences) < stream.silences_totals.count,
        )
    if stream.envelope is None:
        return None
    spans = silent_spans([series.values() for series in stream.envelope], threshold_dbfs, duration)
    return Silence(
        leading=spans[0].length if spans and spans[0].start == 0 else Fraction(0),
        trailing=spans[-1].length if spans and spans[-1].end >= duration else Fraction(0),
        spans=spans,
        duration=duration,
        totals=totals(spans),
    )


def wholly_silent(stream: AudioStream, threshold_dbfs: float = SILENCE_DBFS) -> bool | None:
    """Whether nothing in the stream reaches the limit; None where its level was not measured.

    Non-finite samples have no level: a stream that is silent apart from them is silent.
    """
    if stream.samples <= 0:
        return True
    if threshold_dbfs == SILENCE_DBFS and 0 < stream.duration <= stream.leading_silence:
        return True
    loudest = number(stream.loudest_window_dbfs)
    if loudest is not None:
        return loudest < threshold_dbfs
    # None is minus infinity where silence was measured, else unknown.
    return True if stream.loudest_window_dbfs is None and stream.silences_totals.total > 0 else None


def not_judged(stream: AudioStream, threshold_dbfs: float = SILENCE_DBFS) -> Result | None:
    """Why a check of the sound within a stream says nothing: the track is silent, or its level unknown."""
    silent = wholly_silent(stream, threshold_dbfs)
    if silent is None:
        return inconclusive("the level of the track could not be measured")
    if stream.samples <= 0:
        return not_applicable("no samples")
    return not_applicable("the whole track is silent") if silent else None


def no_envelope(threshold_dbfs: float) -> Result:
    return inconclusive(f"silence below {threshold_dbfs:g} dBFS needs the envelope, which these facts do not hold")


def judge_end(
    stream: AudioStream, end: Literal["leading", "trailing"], most: Fraction, threshold_dbfs: float
) -> Result:
    """Fail where the silence at one end of the stream is longer than ``most`` seconds."""
    if (reason := not_judged(stream, threshold_dbfs)) is not None:
        return reason
    silence = silence_of(stream, threshold_dbfs)
    if silence is None:
        return no_envelope(threshold_dbfs)
    length = silence.leading if end == "leading" else silence.trailing
    text = f"{end} silence {ceil(length * stream.sample_rate)} samples = {exact(length)}, limit {limit(most)} s"
    measured, expected = fraction_text(length), fraction_text(most)
    if length <= most:
        return passed(text, measured=measured, expected=expected, unit="s")
    start = Fraction(0) if end == "leading" else stream.duration - length
    span = Span(start=start, end=start + length)
    return failed(text, measured=measured, expected=expected, unit="s", spans=(span,), spans_totals=totals((span,)))
