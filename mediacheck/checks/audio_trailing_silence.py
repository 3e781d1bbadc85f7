from __future__ import annotations

from fractions import Fraction
from math import ceil

from mediacheck.checks.registry import Case, Result, check, every_audio, failed, passed
from mediacheck.checks.silence import SilenceLevel, no_envelope, not_judged, silence_of
from mediacheck.checks.wording import exact, fraction_text, limit
from mediacheck.facts import AudioStream, Span, totals


class AudioTrailingSilence(SilenceLevel, frozen=True, kw_only=True):
    """Limits of ``audio.trailing_silence@1``."""

    max_silence: Fraction = Fraction(3, 2)
    """Seconds; exactly as long is allowed."""


@check("audio.trailing_silence", 1, AudioTrailingSilence)
def audio_trailing_silence(case: Case, parameters: AudioTrailingSilence) -> Result:
    """The silence at the end is short.

    What it does: fails where the track ends with more than ``max_silence`` of silence; a wholly silent track is
    for ``audio.silent``.
    Why it is bad: a model that did not stop in time writes on; joined clips get holes.
    Parameters: max_silence (seconds, 1.5), threshold_dbfs (dBFS RMS, -60).
    Source: Blaizzy/mlx-audio#882.
    """

    def judge(stream: AudioStream) -> Result:
        if (reason := not_judged(stream, parameters.threshold_dbfs)) is not None:
            return reason
        silence = silence_of(stream, parameters.threshold_dbfs)
        if silence is None:
            return no_envelope(parameters.threshold_dbfs)
        length, most = silence.trailing, parameters.max_silence
        text = f"trailing silence {ceil(length * stream.sample_rate)} samples = {exact(length)}, limit {limit(most)} s"
        measured, expected = fraction_text(length), fraction_text(most)
        if length <= most:
            return passed(text, measured=measured, expected=expected, unit="s")
        span = Span(start=stream.duration - length, end=stream.duration)
        return failed(text, measured=measured, expected=expected, unit="s", spans=(span,), spans_totals=totals((span,)))

    return every_audio(case, judge)
