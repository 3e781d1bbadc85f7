from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mediacheck.checks.asked import ask_contract, range_note, sample_range, video_rate
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
from mediacheck.checks.wording import counted, exact, fraction_text, noun, signed
from mediacheck.expectation import Expectation
from mediacheck.facts import AudioStream, VideoStream

if TYPE_CHECKING:
    from mediacheck.contracts import Contract, Outcome


@check("duration.expected", 1, NoParameters)
def duration_expected(case: Case, parameters: NoParameters) -> Result:
    """The length that the user asked for is there."""
    expect = case.expect
    audio, video = case.facts.audio, case.facts.video
    results: list[Result] = []
    if expect.samples is not None:
        results += [of_stream(_samples(s, expect.samples, expect), s, len(audio)) for s in audio] or [
            failed(
                f"no audio stream, but {counted(expect.samples, 'sample')} were asked for",
                measured=0,
                expected=expect.samples,
                unit="samples",
            )
        ]
    if expect.frames is not None:
        results += [of_stream(_frames(s, expect.frames, expect), s, len(video)) for s in video] or [
            failed(
                f"no video stream, but {counted(expect.frames, 'frame')} were asked for",
                measured=0,
                expected=expect.frames,
                unit="frames",
            )
        ]
    if expect.duration is not None:
        results += _every_length(case, expect.duration, True, _given(case))
    if expect.max_duration is not None:
        results += _every_length(case, expect.max_duration, False, None)
    if case.contract is None:
        results += [
            inconclusive(f"{name}={count} was asked for, which only a contract can turn into a length")
            for name, count in (("latents", expect.latents), ("tokens", expect.tokens))
            if count is not None
        ]
    if not results:
        return not_applicable("not asked for")
    return combined(results)


def _given(case: Case) -> Outcome | None:
    """What the contract gives for the duration that was asked for; None where it is no request that it takes."""
    if case.contract is None:
        return None
    answer = ask_contract(case, case.contract)
    return answer.outcome if answer.by_duration else None


def _every_length(case: Case, asked: Fraction, exactly: bool, given: Outcome | None) -> list[Result]:
    audio, video, expect = case.facts.audio, case.facts.video, case.expect
    results: list[Result] = []
    for a in audio:
        judge_audio = partial(_audio_length, a, exactly=exactly, expect=expect)
        result = _as_given(case.contract, asked, _audio_seconds(a, given), judge_audio)
        results.append(of_stream(result, a, len(audio) + len(video)))
    for v in video:
        judge_video = partial(_video_length, v, exactly=exactly, expect=expect)
        result = _as_given(case.contract, asked, _video_seconds(v, given), judge_video)
        results.append(of_stream(result, v, len(audio) + len(video)))
    return results or [
        failed(
            f"no audio or video stream, but {exact(asked)} were asked for",
            measured="0/1",
            expected=fraction_text(asked),
            unit="s",
        )
    ]


def _audio_seconds(stream: AudioStream, given: Outcome | None) -> Fraction | None:
    if given is None or given.samples is None:
        return None
    return given.audio_seconds or Fraction(given.samples, stream.sample_rate)


def _video_seconds(stream: VideoStream, given: Outcome | None) -> Fraction | None:
    if given is None or given.frames is None:
        return None
    rate = video_rate(stream)
    return given.video_seconds or (given.frames / rate if rate else None)


def _as_given(
    contract: Contract | None, asked: Fraction, given: Fraction | None, judge: Callable[[Fraction], Result]
) -> Result:
    """What ``judge`` says of the length that the contract gives for ``asked`` seconds, else of ``asked`` itself."""
    if contract is None or given is None:
        return judge(asked)
    result, note = judge(given), f"what contract {contract.id} gives for {exact(asked)}"
    if contract.enforceable:
        return replace(result, message=f"{result.message} ({note})")
    plain = judge(asked)
    if plain.outcome != "fail" or result.outcome == "fail":
        return plain
    return lowered(replace(plain, message=f"{plain.message}, which is {note}"), "warning")


def _samples(stream: AudioStream, asked: int, expect: Expectation) -> Result:
    low, high = sample_range(stream, expect.tolerance)
    text = f"{counted(stream.samples, 'sample')}{range_note(stream)}, expected {asked}"
    difference = stream.samples - asked
    if low <= asked <= high:
        return passed(text, measured=stream.samples, expected=asked, unit="samples")
    seconds = exact(Fraction(abs(difference), stream.sample_rate))
    return failed(
        f"{text}: {signed(difference)} {noun(difference, 'sample')} = {seconds} "
        f"too {'long' if difference > 0 else 'short'}",
        measured=stream.samples,
        expected=asked,
        unit="samples",
    )


def _frames(stream: VideoStream, asked: int, expect: Expectation) -> Result:
    rate = video_rate(stream)
    slack = (expect.tolerance or 0) * (rate or 0)
    difference = stream.frames - asked
    text = f"{counted(stream.frames, 'frame')} ({exact(stream.duration)}), expected {asked}"
    if abs(difference) <= slack:
        return passed(text, measured=stream.frames, expected=asked, unit="frames")
    return failed(
        f"{text}: {signed(difference)} {noun(difference, 'frame')} too {'many' if difference > 0 else 'few'}",
        measured=stream.frames,
        expected=asked,
        unit="frames",
    )


def _audio_length(stream: AudioStream, asked: Fraction, exactly: bool, expect: Expectation) -> Result:
    tolerance = expect.tolerance or Fraction(0)
    low, high = (Fraction(count, stream.sample_rate) for count in sample_range(stream))
    frame = Fraction(stream.frame_size or 0, stream.sample_rate) if stream.lossy else Fraction(0)
    # A player takes whole samples: an asked length between two of them is met by either.
    sample = Fraction(1, stream.sample_rate) if (asked * stream.sample_rate).denominator != 1 else Fraction(0)
    late_enough = high + tolerance > asked - sample if sample else high + tolerance >= asked
    early_enough = low - tolerance < asked + sample if sample else low - tolerance <= asked
    near = abs(stream.duration - asked) <= frame + tolerance
    ok = (late_enough and early_enough) or near if exactly else low - tolerance <= asked
    note = range_note(stream) if low != high else ", to one codec frame" if frame and exactly else ""
    return _length(
        f"audio lasts {exact(stream.duration)}{note}", stream.duration, asked, exactly, ok, stream.sample_rate
    )


def _video_length(stream: VideoStream, asked: Fraction, exactly: bool, expect: Expectation) -> Result:
    tolerance = expect.tolerance or Fraction(0)
    if not stream.constant_rate and stream.timeline is not None:
        # Without a constant rate the length is read off the container's clock.
        tolerance += stream.timeline.precision
    difference = stream.duration - asked
    ok = abs(difference) <= tolerance if exactly else difference <= tolerance
    text = f"video lasts {exact(stream.duration)} in {counted(stream.frames, 'frame')}"
    return _length(text, stream.duration, asked, exactly, ok, None)


def _length(text: str, measured: Fraction, asked: Fraction, exactly: bool, ok: bool, sample_rate: int | None) -> Result:
    wanted = f"expected {'' if exactly else 'at most '}{exact(asked)}"
    has, wants = fraction_text(measured), fraction_text(asked)
    if ok:
        return passed(f"{text}, {wanted}", measured=has, expected=wants, unit="s")
    difference = measured - asked
    samples = ""
    if sample_rate is not None and (difference * sample_rate).denominator == 1:
        samples = f" = {counted(abs(int(difference * sample_rate)), 'sample')}"
    return failed(
        f"{text}, {wanted}: {exact(abs(difference))}{samples} too {'long' if difference > 0 else 'short'}",
        measured=has,
        expected=wants,
        unit="s",
    )
