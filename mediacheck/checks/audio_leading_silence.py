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
    """The silence at the start is short.

    What it does: fails where the track starts with more than ``max_silence`` of silence; a wholly silent track is
    for ``audio.silent``.
    Why it is bad: a player waits, a dialogue turn starts late, and joined clips get holes.
    Parameters: max_silence (seconds, 1.0), threshold_dbfs (dBFS RMS, -60).
    Source: Blaizzy/mlx-audio#882.
    """

    def judge(stream: AudioStream) -> Result:
        return judge_end(stream, "leading", parameters.max_silence, parameters.threshold_dbfs)

    return every_audio(case, judge)
