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
from mediacheck.checks.wording import exact, fraction_text, limit, timecode
from mediacheck.facts import AudioStream, Span, totals

_SHORTEST_MEASURED = Fraction(1, 50)


class AudioStuck(Parameters, frozen=True, kw_only=True):
    """Limits of ``audio.stuck@1``."""

    min_run: Fraction = _SHORTEST_MEASURED
    """Seconds; a run exactly as long fails. Shorter ones than 0.02 s are not measured."""
    min_value: Fraction = Fraction(1, 1000)
    """Full scale 1.0; A-law has no zero and idles at 8/32768."""

    def __post_init__(self) -> None:
        Parameters.__post_init__(self)
        if self.min_run < _SHORTEST_MEASURED:
            raise ValueError("min_run cannot be below 0.02 s: shorter runs are not measured")


@check("audio.stuck", 1, AudioStuck)
def audio_stuck(case: Case, parameters: AudioStuck) -> Result:
    """The signal does not stand at one value."""

    def judge(stream: AudioStream) -> Result:
        if stream.samples <= 0:
            return not_applicable("no samples")
        runs = [
            run
            for run in stream.constant_runs
            if run.length >= parameters.min_run and abs(run.value) >= parameters.min_value
        ]
        if not runs and len(stream.constant_runs) < stream.constant_runs_totals.count:
            return inconclusive("these facts hold a part of the constant runs only; judge the saved facts instead")
        if not runs:
            return passed(
                f"no run of one value of {limit(parameters.min_run)} s or more",
                measured=0,
                expected=0,
                unit="runs",
            )
        longest = max(runs, key=lambda run: run.length)
        spans = tuple(Span(start=run.start, end=run.end) for run in runs)
        return failed(
            f"channel {longest.channel} stands at {longest.value:g} for {longest.samples} samples = "
            f"{exact(longest.length)} from {timecode(longest.start)}, limit {limit(parameters.min_run)} s",
            measured=fraction_text(longest.length),
            expected=fraction_text(parameters.min_run),
            unit="s",
            spans=spans,
            spans_totals=totals(spans),
        )

    return every_audio(case, judge)
