from __future__ import annotations

from fractions import Fraction

from mediacheck.checks.registry import Case, Parameters, Result, check, every_audio, failed, not_applicable, passed
from mediacheck.checks.wording import counted, fraction_text, number
from mediacheck.facts import AudioStream


class AudioClipping(Parameters, frozen=True, kw_only=True):
    """Limits of ``audio.clipping@1``."""

    max_share: Fraction = Fraction(1, 1000)
    """Share of all samples of all channels; exactly as many are allowed."""


@check("audio.clipping", 1, AudioClipping)
def audio_clipping(case: Case, parameters: AudioClipping) -> Result:
    """Hardly any sample is clipped."""

    def judge(stream: AudioStream) -> Result:
        total = stream.samples * stream.channels
        if total <= 0:
            return not_applicable("no samples")
        share = Fraction(stream.clipped_samples, total)
        peak = number(stream.peak_dbfs)
        text = (
            f"{stream.clipped_samples} of {total} samples are clipped ({100 * float(share):.3f} %) in "
            f"{counted(stream.clipped_runs, 'run')}, limit {100 * float(parameters.max_share):g} %"
        )
        measured, expected = fraction_text(share), fraction_text(parameters.max_share)
        if share <= parameters.max_share:
            return passed(text, measured=measured, expected=expected, unit="share")
        at = "" if peak is None else f"; the peak is {peak:+.2f} dBFS ({10 ** (peak / 20):.4g} of full scale)"
        return failed(text + at, measured=measured, expected=expected, unit="share")

    return every_audio(case, judge)
