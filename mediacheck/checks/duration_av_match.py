from __future__ import annotations

from fractions import Fraction

from mediacheck.checks.registry import Case, Parameters, Result, check, failed, not_applicable, passed
from mediacheck.checks.wording import exact, fraction_text, milliseconds


class DurationAvMatch(Parameters, frozen=True, kw_only=True):
    """Limits of ``duration.av_match@1``."""

    max_difference: Fraction = Fraction(1, 1000)
    """Seconds."""


@check("duration.av_match", 1, DurationAvMatch)
def duration_av_match(case: Case, parameters: DurationAvMatch) -> Result:
    """Audio and video last equally long (the rule that was wrong)."""
    if not case.facts.audio or not case.facts.video:
        return not_applicable("no audio stream" if not case.facts.audio else "no video stream")
    audio, video = max(
        ((a, v) for a in case.facts.audio for v in case.facts.video),
        key=lambda pair: abs(pair[0].duration - pair[1].duration),
    )
    difference = abs(audio.duration - video.duration)
    if difference <= parameters.max_difference:
        return passed(
            f"audio and video differ by {milliseconds(difference)}",
            measured=fraction_text(difference),
            expected=fraction_text(parameters.max_difference),
            unit="s",
        )
    return failed(
        f"audio lasts {exact(audio.duration)}, video {exact(video.duration)}: they differ by "
        f"{milliseconds(difference)}, limit {milliseconds(parameters.max_difference)}",
        measured=fraction_text(difference),
        expected=fraction_text(parameters.max_difference),
        unit="s",
    )
