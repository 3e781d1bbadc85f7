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
from mediacheck.checks.silence import not_judged
from mediacheck.checks.wording import number
from mediacheck.facts import AudioStream

_ONE_BLOCK = Fraction(2, 5)


class AudioLoudness(Parameters, frozen=True, kw_only=True):
    """Limits of ``audio.loudness@1``."""

    min_lufs: float = -40.0
    max_lufs: float = -6.0
    max_true_peak_dbtp: float = 1.0


@check("audio.loudness", 1, AudioLoudness)
def audio_loudness(case: Case, parameters: AudioLoudness) -> Result:
    """The track is neither inaudibly quiet nor overdriven."""

    def judge(stream: AudioStream) -> Result:
        if (reason := not_judged(stream)) is not None:
            return reason
        loudness, peak = number(stream.loudness.integrated_lufs), number(stream.loudness.true_peak_dbtp)
        if loudness is None and stream.duration < _ONE_BLOCK:
            return not_applicable("audio shorter than 0.4 s")
        if loudness is None or peak is None:
            return inconclusive("the loudness could not be measured")
        text = f"{loudness:.1f} LUFS integrated, true peak {peak:+.1f} dBTP"
        if not parameters.min_lufs <= loudness <= parameters.max_lufs:
            return failed(
                f"{text}; {parameters.min_lufs:g} to {parameters.max_lufs:g} LUFS are allowed",
                measured=loudness,
                expected=f"{parameters.min_lufs:g} to {parameters.max_lufs:g}",
                unit="LUFS",
            )
        most = parameters.max_true_peak_dbtp
        if not peak <= most:
            return failed(f"{text}, limit {most:+g} dBTP", measured=peak, expected=most, unit="dBTP")
        return passed(text, measured=loudness, unit="LUFS")

    return every_audio(case, judge)
