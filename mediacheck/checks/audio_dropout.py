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
    """No exact zeros are cut out of sound."""

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
