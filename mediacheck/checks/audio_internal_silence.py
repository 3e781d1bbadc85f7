from __future__ import annotations

from fractions import Fraction

from mediacheck.checks.registry import Case, Result, check, every_audio, failed, inconclusive, passed
from mediacheck.checks.silence import Silence, SilenceLevel, no_envelope, not_judged, silence_of
from mediacheck.checks.wording import exact, fraction_text, limit, timecode
from mediacheck.facts import AudioStream, Span, longest_of, totals


class AudioInternalSilence(SilenceLevel, frozen=True, kw_only=True):
    """Limits of ``audio.internal_silence@1``."""

    max_silence: Fraction = Fraction(3)
    """Seconds; exactly as long is allowed."""
    max_share: Fraction = Fraction(1, 2)
    """Share of the track that may be silent in all, where that is more than ``max_total``."""
    max_total: Fraction = Fraction(3)
    """Seconds of silence in all, the ends included, below which the share does not matter."""


@check("audio.internal_silence", 1, AudioInternalSilence)
def audio_internal_silence(case: Case, parameters: AudioInternalSilence) -> Result:
    """No long hole, and not mostly silence."""

    def judge(stream: AudioStream) -> Result:
        if (reason := not_judged(stream, parameters.threshold_dbfs)) is not None:
            return reason
        silence = silence_of(stream, parameters.threshold_dbfs)
        if silence is None:
            return no_envelope(parameters.threshold_dbfs)
        return _judge(stream, silence, parameters)

    return every_audio(case, judge)


def _judge(stream: AudioStream, silence: Silence, parameters: AudioInternalSilence) -> Result:
    found = []
    inside = silence.inside
    long: tuple[Span, ...] = ()
    longest = longest_of(inside)
    if longest is not None and longest.length > parameters.max_silence:
        long = tuple(span for span in inside if span.length > parameters.max_silence)
        found.append(
            f"silent for {exact(longest.length)} from {timecode(longest.start)} to {timecode(longest.end)}, "
            f"limit {limit(parameters.max_silence)} s"
        )
    total = silence.totals.total
    share_fails = total > parameters.max_total and total > parameters.max_share * stream.duration
    if share_fails:
        percent = 100 * float(total / stream.duration)
        found.append(
            f"{exact(total)} of {exact(stream.duration)} are silent ({percent:.1f} %), "
            f"limit {100 * float(parameters.max_share):g} % and {limit(parameters.max_total)} s"
        )
    if not found and silence.partial:
        return inconclusive("these facts hold a part of the silences only; judge the saved facts instead of a report")
    measured = longest.length if longest else Fraction(0)
    if not found:
        return passed(
            f"the longest silence inside is {exact(measured)}, limit {limit(parameters.max_silence)} s",
            measured=fraction_text(measured),
            expected=fraction_text(parameters.max_silence),
            unit="s",
        )
    if long:
        expected, spans = parameters.max_silence, long
    else:
        measured, expected, spans = total, parameters.max_share * stream.duration, stream.silences
    return failed(
        "; ".join(found),
        measured=fraction_text(measured),
        expected=fraction_text(expected),
        unit="s",
        spans=spans,
        spans_totals=totals(long) if long else silence.totals,
    )
