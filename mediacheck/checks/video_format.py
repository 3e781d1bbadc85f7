from __future__ import annotations

from fractions import Fraction

from mediacheck.checks.asked import contract_severity, video_rate
from mediacheck.checks.registry import (
    Case,
    NoParameters,
    Result,
    check,
    combined,
    failed,
    inconclusive,
    lowered,
    not_applicable,
    of_stream,
    passed,
)
from mediacheck.checks.wording import fraction_text
from mediacheck.facts import VideoStream


@check("video.format", 1, NoParameters)
def video_format(case: Case, parameters: NoParameters) -> Result:
    """Picture size and frame rate are as asked for."""
    expect, contract = case.expect, case.contract
    streams = case.facts.video
    results: list[Result] = []
    for name, asked in (("width", expect.width), ("height", expect.height)):
        if asked is not None:
            results += [of_stream(_size(s, name, asked), s, len(streams)) for s in streams] or [
                failed(f"no video stream, but {name} {asked} was asked for", expected=asked, unit="pixels")
            ]
    if expect.fps is not None:
        results += [of_stream(_rate(s, expect.fps, "was asked for"), s, len(streams)) for s in streams] or [
            failed(
                f"no video stream, but {_fps(expect.fps)} was asked for", expected=fraction_text(expect.fps), unit="fps"
            )
        ]
    elif contract is not None and contract.fps is not None and contract.fps_fixed:
        severity = contract_severity(contract)
        why = f"is what contract {contract.id} gives"
        results += [lowered(of_stream(_rate(s, contract.fps, why), s, len(streams)), severity) for s in streams]
    if not results:
        asked_nothing = not streams and contract is not None
        return not_applicable("no video stream" if asked_nothing else "not asked for")
    return combined(results)


def _size(stream: VideoStream, name: str, wanted: int) -> Result:
    measured = stream.width if name == "width" else stream.height
    text = f"{name} {measured}, expected {wanted}"
    if measured == wanted:
        return passed(text, measured=measured, expected=wanted, unit="pixels")
    return failed(text, measured=measured, expected=wanted, unit="pixels")


def _rate(stream: VideoStream, wanted: Fraction, why: str) -> Result:
    measured = video_rate(stream)
    if measured is None:
        return inconclusive("the frame rate could not be measured")
    has, wants = fraction_text(measured), fraction_text(wanted)
    if measured == wanted and stream.constant_rate is not False:
        return passed(f"{_fps(measured)}, as wanted", measured=has, expected=wants, unit="fps")
    if stream.constant_rate is False:
        return failed(
            f"the frame rate is not constant ({_fps(measured)} on average), but {_fps(wanted)} {why}",
            measured=has,
            expected=wants,
            unit="fps",
        )
    precision = stream.timeline.precision if stream.timeline else Fraction(0)
    if wanted > 0 and measured > 0 and abs(stream.frames / measured - stream.frames / wanted) <= 2 * precision:
        return passed(
            f"{_fps(measured)}, which the container's clock cannot tell from {_fps(wanted)}",
            measured=has,
            expected=wants,
            unit="fps",
        )
    return failed(f"{_fps(measured)}, but {_fps(wanted)} {why}", measured=has, expected=wants, unit="fps")


def _fps(rate: Fraction) -> str:
    return f"{rate} fps"
