from __future__ import annotations

from fractions import Fraction

from mediacheck.checks.registry import Case, Result, check, every_audio
from mediacheck.checks.silence import SilenceLevel, judge_end
from mediacheck.facts import AudioStream


class AudioTrailingSilence(SilenceLevel, frozen=True, kw_only=True):
    """Limits of ``audio.trailing_silence@1``."""

    max_silence: Fraction = Fraction(3, 2)
    """Seconds; exactly as long is allowed."""


@check("audio.trailing_silence", 1, AudioTrailingSilence)
def audio_trailing_silence(case: Case, parameters: AudioTrailingSilence) -> Result:
    """The silence at the end is short."""

    def judge(stream: AudioStream) -> Result:
        return judge_end(stream, "trailing", parameters.max_silence, parameters.threshold_dbfs)

    return every_audio(case, judge)
