from __future__ import annotations

from fractions import Fraction

from mediacheck.checks.registry import Case, Parameters, Result, check, every_audio, failed, inconclusive, passed
from mediacheck.checks.silence import not_judged
from mediacheck.checks.wording import counted, exact, level, number, timecode
from mediacheck.facts import AudioStream, Span, ZeroRun, totals

_SHORTEST_MEASURED = Fraction(1, 200)


class AudioDropout(Parameters, frozen=True, kw_only=True):
    """Limits of ``audio.dropout@1``."""

    min_run: Fraction = _SHORTEST_MEASURED
    """Seconds; a run exactly as long counts. Shorter ones than 0.005 s are not measured."""
    max_run: Fraction = Fraction(3)
    """Seconds; longer ones are for ``audio.internal_silence``."""
    fail_dbfs: float = -20.0
    """dBFS RMS of the 2 ms on both sides, from which on a run is an error."""
    warn_dbfs: float = -30.0
    """Likewise a warning."""

    def __post_init__(self) -> None:
        Parameters.__post_init__(self)
        if self.min_run < _SHORTEST_MEASURED:
            raise ValueError("min_run cannot be below 0.005 s: shorter runs are not measured")


@check("audio.dropout", 1, AudioDropout)
def audio_dropout(case: Case, parameters: AudioDropout) -> Result:
    """No exact zeros are cut out of sound.

    What it does: looks at runs of exact zeros on any channel, from ``min_run`` to ``max_run``, with sound right before
    and right after: both sides at ``fail_dbfs`` or more is an error, both at ``warn_dbfs`` or more a warning. Runs at
    the start or the end are none. It cannot see a hole with a quiet side: 200 ms lost from a loud vowel pass where the
    word has faded by the time that the sound comes back, since a speaker's own pause, joined with zeros, looks the
    same; nor a hole that is not of exact zeros (faded, dithered, or through a lossy codec), nor one that was closed up.
    A stated length or a contract catches the last, a comparison with a reference all of them.
    Why it is bad: lost buffers and chunk borders leave holes that are heard as clicks or as stutter. Pauses joined with
    zeros and plosive closures are no dropouts: over 125 espeak-ng clips and 200 quiet prompts "any zero run" alarmed
    on 75 % and 42 %, this rule on none.
    Parameters: min_run (seconds, 0.005), max_run (seconds, 3.0), fail_dbfs (-20), warn_dbfs (-30).
    Source: mediacheck, on the clips named above.
    """

    def judge(stream: AudioStream) -> Result:
        if (reason := not_judged(stream)) is not None:
            return reason
        runs = [run for run in stream.zero_runs if parameters.min_run <= run.length <= parameters.max_run]
        bad = [run for run in runs if _both_sides(run, parameters.fail_dbfs)]
        cut = [run for run in runs if _both_sides(run, parameters.warn_dbfs)]
        partial = len(stream.zero_runs) < stream.zero_runs_totals.count
        if partial and not bad:
            return inconclusive("these facts hold a part of the zero runs only; judge the saved facts instead")
        if not bad and not cut:
            return passed("no zeros are cut out of sound", measured=0, expected=0, unit="runs")
        found = bad or cut
        first = found[0]
        spans = tuple(Span(start=run.start, end=run.end) for run in found)
        return failed(
            f"{counted(len(found), 'run')} of zeros cut out of sound, the first on channel {first.channel} at "
            f"{timecode(first.start)}: {first.samples} samples = {exact(first.length)} between "
            f"{level(first.before_dbfs)} and {level(first.after_dbfs)}",
            measured=len(found),
            expected=0,
            unit="runs",
            spans=spans,
            spans_totals=totals(spans),
            severity="error" if bad else "warning",
        )

    return every_audio(case, judge)


def _both_sides(run: ZeroRun, least: float) -> bool:
    before, after = number(run.before_dbfs), number(run.after_dbfs)
    return before is not None and after is not None and before >= least and after >= least
