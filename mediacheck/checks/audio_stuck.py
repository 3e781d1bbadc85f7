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
    """The signal does not stand at one value.

    What it does: fails on a run of ``min_run`` or more of one constant value with |x| of ``min_value`` or more.
    A square wave below 25 Hz, made without band limit and kept lossless, stands at one value for as long and fails too:
    a decoder that saturates block by block to either side leaves the same runs, and the one is a test tone while the
    other is a fault.
    Why it is bad: a decoder that broke down puts out -1.0 for ever, finite and of the right length.
    Parameters: min_run (seconds, 0.02), min_value (full scale, 0.001).
    Source: Comfy-Org/ComfyUI#15799.
    """

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
