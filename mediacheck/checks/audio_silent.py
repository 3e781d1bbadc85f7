from __future__ import annotations

from mediacheck.checks.registry import Case, Result, check, every_audio, failed, inconclusive, passed
from mediacheck.checks.silence import SilenceLevel, wholly_silent
from mediacheck.checks.wording import exact, level
from mediacheck.facts import AudioStream


class AudioSilent(SilenceLevel, frozen=True, kw_only=True):
    """Limits of ``audio.silent@1``."""


@check("audio.silent", 1, AudioSilent)
def audio_silent(case: Case, parameters: AudioSilent) -> Result:
    """There is sound at all."""

    def judge(stream: AudioStream) -> Result:
        if stream.samples <= 0:
            return failed("the track is empty: 0 samples", measured=0, expected="more than 0", unit="samples")
        silent = wholly_silent(stream, parameters.threshold_dbfs)
        if silent is None:
            return inconclusive("the level of the track could not be measured")
        loudest = stream.loudest_window_dbfs
        if not silent:
            return passed(
                f"the loudest 10 ms reach {level(loudest)}",
                measured=loudest,
                expected=parameters.threshold_dbfs,
                unit="dBFS",
            )
        finite = "" if not stream.non_finite.spans_totals.count else " (apart from samples that are not finite)"
        return failed(
            f"the whole track is silent: {stream.samples} of {stream.samples} samples = {exact(stream.duration)}, "
            f"the loudest 10 ms at {level(loudest)}, limit {level(parameters.threshold_dbfs)}{finite}",
            measured=loudest,
            expected=parameters.threshold_dbfs,
            unit="dBFS",
            spans=stream.silences,
            spans_totals=stream.silences_totals,
        )

    return every_audio(case, judge)
