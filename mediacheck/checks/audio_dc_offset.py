from __future__ import annotations

from fractions import Fraction

from mediacheck.checks.registry import (
    Case,
    Parameters,
    Result,
    check,
    every_audio,
    failed,
    inconclusive,
    not_applicable,
    passed,
)
from mediacheck.checks.wording import number
from mediacheck.facts import AudioStream

_SHORTEST_MEASURED = Fraction(1, 10)


class AudioDcOffset(Parameters, frozen=True, kw_only=True):
    """Limits of ``audio.dc_offset@1``."""

    max_offset: Fraction = Fraction(1, 100)
    """Full scale 1.0; exactly as much is allowed."""


@check("audio.dc_offset", 1, AudioDcOffset)
def audio_dc_offset(case: Case, parameters: AudioDcOffset) -> Result:
    """The signal swings around zero."""

    def judge(stream: AudioStream) -> Result:
        offset = number(stream.dc_offset)
        if stream.samples <= 0:
            return not_applicable("no samples")
        if stream.dc_offset is None and stream.duration < _SHORTEST_MEASURED:
            return not_applicable("audio shorter than 0.1 s")
        if offset is None:
            return inconclusive("the mean could not be measured")
        most = float(parameters.max_offset)
        text = f"the mean is {offset:+.4f} of full scale, limit ±{most:g}"
        if abs(offset) <= most:
            return passed(text, measured=offset, expected=most, unit="full scale")
        return failed(text, measured=offset, expected=most, unit="full scale")

    return every_audio(case, judge)
