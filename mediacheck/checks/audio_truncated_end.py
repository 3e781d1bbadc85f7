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
from mediacheck.checks.wording import level, limit, number
from mediacheck.facts import AudioStream


class AudioTruncatedEnd(Parameters, frozen=True, kw_only=True):
    """Limits of ``audio.truncated_end@1``."""

    within_db: float = 10.0
    """dB below the loudest second, within which the last 10 ms are still at full voice."""
    min_duration: Fraction = Fraction(1)
    """Seconds; a shorter track has no loudest second to compare with."""


@check("audio.truncated_end", 1, AudioTruncatedEnd)
def audio_truncated_end(case: Case, parameters: AudioTruncatedEnd) -> Result:
    """The sound dies away before the end."""

    def judge(stream: AudioStream) -> Result:
        if (reason := not_judged(stream)) is not None:
            return reason
        if stream.duration < parameters.min_duration:
            return not_applicable(f"audio shorter than {limit(parameters.min_duration)} s")
        last, loudest = number(stream.tail.last_dbfs), number(stream.tail.loudest_second_dbfs)
        if last is None and loudest is not None and stream.trailing_silence > 0:
            return passed("the track ends in silence", expected=loudest - parameters.within_db, unit="dBFS")
        if last is None or loudest is None:
            return inconclusive("the level of the end could not be measured")
        most = loudest - parameters.within_db
        text = f"the last 10 ms are at {level(last)}, the loudest second at {level(loudest)}"
        if last < most:
            return passed(text, measured=last, expected=most, unit="dBFS")
        return failed(
            f"{text}: less than {parameters.within_db:g} dB of decay, the sound stops as if it were cut",
            measured=last,
            expected=most,
            unit="dBFS",
        )

    return every_audio(case, judge)
