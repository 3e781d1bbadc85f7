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
    """The silence at the end is short.

    What it does: fails where the track ends with more than ``max_silence`` of silence; a wholly silent track is
    for ``audio.silent``.
    Why it is bad: a model that did not stop in time writes on; joined clips get holes.
    Parameters: max_silence (seconds, 1.5), threshold_dbfs (dBFS RMS, -60).
    Source: Blaizzy/mlx-audio#882.
    """

    def judge(stream: AudioStream) -> Result:
        return judge_end(stream, "trailing", parameters.max_silence, parameters.threshold_dbfs)

    return every_audio(case, judge)
