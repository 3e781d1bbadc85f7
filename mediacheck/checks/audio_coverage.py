from __future__ import annotations

from fractions import Fraction

from mediacheck.checks.registry import Case, Parameters, Result, check, every_audio, failed, not_applicable, passed
from mediacheck.checks.wording import exact
from mediacheck.facts import AudioStream


class AudioCoverage(Parameters, frozen=True, kw_only=True):
    """Limits of ``audio.coverage@1``."""

    variable_frame: int = 2048
    """Samples allowed where a lossy codec has no fixed frame (the usual long block of Vorbis)."""


@check("audio.coverage", 1, AudioCoverage)
def audio_coverage(case: Case, parameters: AudioCoverage) -> Result:
    """The decoded samples fill the span of the timestamps."""

    def judge(stream: AudioStream) -> Result:
        timeline = stream.timeline
        if timeline is None or timeline.first is None or timeline.end is None:
            return not_applicable("no timestamps")
        if stream.samples <= 0:
            return not_applicable("no samples")
        span = timeline.end - timeline.first
        frame = stream.frame_size or (parameters.variable_frame if stream.lossy else 0)
        slack = Fraction(frame, stream.sample_rate) + 2 * timeline.precision
        least = Fraction(stream.samples, stream.sample_rate)
        most = Fraction(stream.samples + stream.padding, stream.sample_rate)
        measured, wanted = stream.samples, round(span * stream.sample_rate)
        if least - slack <= span <= most + slack:
            return passed(f"{measured} samples fill {exact(span)}", measured=measured, expected=wanted, unit="samples")
        missing = wanted - measured
        return failed(
            f"{measured} samples = {exact(least)} were decoded, but the timestamps span {exact(span)}: "
            f"{abs(missing)} samples too {'few' if missing > 0 else 'many'}",
            measured=measured,
            expected=wanted,
            unit="samples",
        )

    return every_audio(case, judge)
