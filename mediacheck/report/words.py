"""Words that renderers share: timecodes, sizes, one line on what a file is."""

from __future__ import annotations

from fractions import Fraction

from mediacheck.facts import AudioStream, MediaFacts, OtherStream, Span, VideoStream


def timecode(seconds: Fraction) -> str:
    """Seconds as ``0:01:15.075``, rounded to the millisecond."""
    milliseconds = round(abs(seconds) * 1000)
    sign = "-" if seconds < 0 and milliseconds else ""
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{hours}:{minutes:02}:{rest // 1000:02}.{rest % 1000:03}"


def span_text(span: Span) -> str:
    return f"{timecode(span.start)} to {timecode(span.end)}"


def size(count: int) -> str:
    """A count of bytes in decimal units: ``48.1 kB``."""
    if count < 1000:
        return f"{count} B"
    value = float(count)
    for unit in ("kB", "MB", "GB"):
        value /= 1000
        if value < 999.95:
            return f"{value:.1f} {unit}"
    return f"{value / 1000:.1f} TB"


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def decimal(value: Fraction) -> str:
    """At most three decimals: ``29.97``, ``24``."""
    return f"{float(value):.3f}".rstrip("0").rstrip(".")


def describe(facts: MediaFacts) -> str:
    """What a file is, on one line: container, streams, size."""
    container = facts.container.format.partition(",")[0] if facts.container.format else _unknown(facts)
    return "; ".join([container, *(_stream(stream) for stream in facts.streams), size(facts.file.bytes)])


def _unknown(facts: MediaFacts) -> str:
    """A worker that broke says nothing of what the file is."""
    codes = {problem.code for problem in facts.container.problems}
    broke = any(code.startswith(("worker.", "file.")) for code in codes)
    return "not measured" if broke else "not recognised as media"


def _stream(stream: AudioStream | VideoStream | OtherStream) -> str:
    codec = stream.codec or "unknown codec"
    match stream:
        case AudioStream():
            channels = stream.layout or plural(stream.channels, "channel")
            return (
                f"{codec} {stream.sample_rate} Hz {channels}, "
                f"{timecode(stream.duration)} ({plural(stream.samples, 'sample')})"
            )
        case VideoStream():
            rate = "" if stream.measured_rate is None else f" {decimal(stream.measured_rate)} fps"
            return (
                f"{codec} {stream.width}x{stream.height}{rate}, "
                f"{timecode(stream.duration)} ({plural(stream.frames, 'frame')})"
            )
        case OtherStream():
            return "cover picture" if stream.attached_picture else f"{stream.media_type} ({codec})"
