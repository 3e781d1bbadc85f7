"""Is the file whole? What the bytes show alone, joined with what only decoding can tell."""

from __future__ import annotations

from fractions import Fraction

import msgspec

from mediacheck.facts import AudioStream, ContainerFacts, Problem, Stream, VideoStream
from mediacheck.media.reading import ContainerReading


def conclude(container: ContainerFacts, streams: tuple[Stream, ...], reading: ContainerReading) -> ContainerFacts:
    """The container's facts with completeness and every problem."""
    problems = (*reading.problems, *container.problems)
    if not streams:
        whole = False if reading.complete is False else None
        why = reading.completeness or container.completeness or "nothing could be decoded"
        return msgspec.structs.replace(container, complete=whole, completeness=why, problems=problems)
    complete = reading.complete if reading.complete is not None else container.complete
    why = reading.completeness or container.completeness or "the format declares no length"
    for answer, reason, problem in (
        _by_samples(streams, reading),
        _by_packets(streams, reading),
        _by_duration(streams, reading),
    ):
        if problem is not None:
            problems = (*problems, problem)
        if answer is not None and complete is not False:
            complete, why = answer, reason
    return msgspec.structs.replace(container, complete=complete, completeness=why, problems=problems)


Answer = tuple[bool | None, str, Problem | None]
NO_ANSWER: Answer = (None, "", None)


def _only_audio(streams: tuple[Stream, ...]) -> AudioStream | None:
    sound = [stream for stream in streams if isinstance(stream, AudioStream)]
    return sound[0] if len(sound) == 1 else None


def _by_samples(streams: tuple[Stream, ...], reading: ContainerReading) -> Answer:
    """The sample count of FLAC's STREAMINFO, of a Xing header with delay and padding, of Ogg's last granule."""
    stream, declared = _only_audio(streams), reading.declared_samples
    if stream is None or declared is None:
        return NO_ANSWER
    if stream.samples < declared:
        missing = declared - stream.samples
        message = (
            f"{reading.family} header declares {declared} samples, {stream.samples} decoded "
            f"({missing} missing, {missing / stream.sample_rate:.6g} s)"
        )
        return False, "fewer samples than the header declares", _truncated(message)
    if stream.samples > declared:
        message = f"{reading.family} header declares {declared} samples, {stream.samples} decoded"
        return (
            True,
            "at least as many samples as the header declares",
            Problem(code=f"{reading.family}.total_mismatch", message=message, affects="header"),
        )
    return True, "as many samples as the header declares", None


def _by_packets(streams: tuple[Stream, ...], reading: ContainerReading) -> Answer:
    """The frame count of a Xing header."""
    stream, declared = _only_audio(streams), reading.declared_packets
    if stream is None or declared is None or stream.packets is None:
        return NO_ANSWER
    if stream.packets < declared:
        message = f"the Xing header counts {declared} frames, {stream.packets} are in the file"
        return False, "fewer frames than the header counts", _truncated(message)
    return True, "as many frames as the header counts", None


def _by_duration(streams: tuple[Stream, ...], reading: ContainerReading) -> Answer:
    """Matroska's Duration: the time at which the last block of any stream ends."""
    declared = reading.declared_duration
    ends = [_end(stream) for stream in streams if isinstance(stream, AudioStream | VideoStream)]
    known = [end for end in ends if end is not None]
    if declared is None or not known:
        return NO_ANSWER
    end, slack = max(known)
    if end + slack < declared:
        message = f"the header declares {float(declared):.6g} s, the last frame ends at {float(end):.6g} s"
        return False, "the last frame ends before the declared duration", _truncated(message)
    return True, "the last frame reaches the declared duration", None


def _end(stream: AudioStream | VideoStream) -> tuple[Fraction, Fraction] | None:
    """When the stream ends and how far that may lie from what a writer declares: a frame, and the clock's rounding."""
    if stream.timeline is None or stream.timeline.end is None:
        return None
    if isinstance(stream, AudioStream):
        frame = Fraction((stream.frame_size or 0) + stream.padding, stream.sample_rate)
    else:
        frame = 1 / stream.measured_rate if stream.measured_rate else Fraction(0)
    return stream.timeline.end, frame + 2 * stream.timeline.precision


def _truncated(message: str) -> Problem:
    return Problem(code="truncated", message=message, affects="complete")
