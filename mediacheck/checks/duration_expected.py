from __future__ import annotations

from fractions import Fraction

from mediacheck.checks.asked import range_note, sample_range, video_rate
from mediacheck.checks.registry import (
    Case,
    NoParameters,
    Result,
    check,
    combined,
    failed,
    inconclusive,
    not_applicable,
    of_stream,
    passed,
)
from mediacheck.checks.wording import counted, exact, fraction_text, noun, signed
from mediacheck.expectation import Expectation
from mediacheck.facts import AudioStream, VideoStream


@check("duration.expected", 1, NoParameters)
def duration_expected(case: Case, parameters: NoParameters) -> Result:
    """The length that the user asked for is there.

    What it does: holds ``duration`` and ``max_duration`` against every audio and video stream, ``samples`` and
    ``frames`` against the streams of their kind. Lossless audio is judged to the sample, video to the frame as
    frames / rate; where a codec pads, ``duration`` allows one codec frame, and ``samples`` the range that the container
    leaves open. ``tolerance`` widens them all. ``latents`` and ``tokens`` need a contract.
    Why it is bad: a clip that is shorter than it was asked to be has lost content, whatever its container says.
    Parameters: none; see ``--expect``.
    Source: vllm-project/vllm-omni#5752, hao-ai-lab/FastVideo#1857.
    """
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
    for asked, exactly in ((expect.duration, True), (expect.max_duration, False)):
        if asked is None:
            continue
        both = len(audio) + len(video)
        found = [of_stream(_audio_length(a, asked, exactly, expect), a, both) for a in audio]
        found += [of_stream(_video_length(v, asked, exactly, expect), v, both) for v in video]
        results += found or [
            failed(
                f"no audio or video stream, but {exact(asked)} were asked for",
                measured="0/1",
                expected=fraction_text(asked),
                unit="s",
            )
        ]
    if case.contract is None:
        results += [
            inconclusive(f"{name}={count} was asked for, which only a contract can turn into a length")
            for name, count in (("latents", expect.latents), ("tokens", expect.tokens))
            if count is not None
        ]
    if not results:
        return not_applicable("not asked for")
    return combined(results)


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
        samples = f" = {abs(int(difference * sample_rate))} samples"
    return failed(
        f"{text}, {wanted}: {exact(abs(difference))}{samples} too {'long' if difference > 0 else 'short'}",
        measured=has,
        expected=wants,
        unit="s",
    )
