from __future__ import annotations

from fractions import Fraction

from mediacheck.checks.asked import contract_severity, expected_samples, sample_range
from mediacheck.checks.registry import (
    Case,
    NoParameters,
    Result,
    check,
    every_audio,
    failed,
    lowered,
    not_applicable,
    passed,
)
from mediacheck.checks.wording import exact
from mediacheck.facts import AudioStream


@check("audio.padding", 1, NoParameters)
def audio_padding(case: Case, parameters: NoParameters) -> Result:
    """A lossy codec leaves no more than the rest of its last frame."""
    asked = expected_samples(case)
    if asked is None:
        return not_applicable("not asked for")

    def judge(stream: AudioStream) -> Result:
        if not stream.lossy:
            return not_applicable("lossless audio has no codec padding")
        if not stream.frame_size:
            return not_applicable("the codec has no frames of one length")
        low, _ = sample_range(stream, case.expect.tolerance)
        excess = stream.samples - asked
        padding = -asked % stream.frame_size
        if low <= asked or (excess <= stream.frame_size and excess - padding < stream.frame_size):
            return passed(
                f"{max(excess, 0)} samples beyond {asked}, no more than one codec frame of {stream.frame_size}",
                measured=max(excess, 0),
                expected=stream.frame_size,
                unit="samples",
            )
        return failed(
            f"{stream.samples} samples, expected {asked}: {excess} too many: {_parts(stream, asked, excess)}",
            measured=stream.samples,
            expected=asked,
            unit="samples",
        )

    result = every_audio(case, judge)
    by_contract = case.expect.samples is None and case.contract is not None
    return lowered(result, contract_severity(case.contract)) if by_contract and case.contract else result


def _parts(stream: AudioStream, asked: int, excess: int) -> str:
    padding = -asked % (stream.frame_size or 1)
    rest = excess - padding
    seconds = exact(Fraction(rest, stream.sample_rate)).partition(" s")[0] + " s"
    if stream.priming:
        return f"{padding} fill the last codec frame, {rest} ({seconds}) more than that are left"
    return f"{rest} ({seconds}) undeclared priming at the head and {padding} of padding at the end"
