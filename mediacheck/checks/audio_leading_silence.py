from __future__ import annotations

from fractions import Fraction

from mediacheck.checks.registry import Case, Result, check, every_audio
from mediacheck.checks.silence import SilenceLevel, judge_end
from mediacheck.facts import AudioStream


class AudioLeadingSilence(SilenceLevel, frozen=True, kw_only=True):
    """Limits of ``audio.leading_silence@1``."""

    max_silence: Fraction = Fraction(1)
    """Seconds; exactly as long is allowed."""


@check("audio.leading_silence", 1, AudioLeadingSilence)
def audio_leading_silence(case: Case, parameters: AudioLeadingSilence) -> Result:
    """The silence at the start is short."""

    def judge(stream: AudioStream) -> Result:
        return judge_end(stream, "leading", parameters.max_silence, parameters.threshold_dbfs)

    return every_audio(case, judge)
