"""AAC in ADTS frames: nothing counts them, but the last one says whether it is whole."""

from __future__ import annotations

from mediacheck.media.headers.mpegaudio import adts_length, same_adts_stream
from mediacheck.media.headers.problems import truncated
from mediacheck.media.headers.source import Source
from mediacheck.media.headers.tags import trailing_start
from mediacheck.media.reading import ContainerReading

_LONGEST = 1 << 13
"""An ADTS frame's length has 13 bits."""


def starts_at(source: Source, position: int) -> bool:
    """Whether ADTS frames start at ``position``: two that agree, or one that takes the whole file."""
    head = source.at(position, 7)
    length = adts_length(head)
    if length is None:
        return False
    end = position + length
    if end >= source.size:
        return position > 0 or length < _LONGEST
    following = source.at(end, 7)
    if adts_length(following) is None:
        return trailing_start(source, end) == end or (source.size - end < 7 and head.startswith(following[:2]))
    return same_adts_stream(head, following)


def read(source: Source, start: int) -> ContainerReading:
    """Look at the last frames of an ADTS stream that starts at ``start``."""
    missing = _missing(source, start, trailing_start(source, start))
    if not missing:
        return ContainerReading(family="adts", completeness="ADTS declares no length")
    return ContainerReading(
        family="adts",
        complete=False,
        completeness="by the length of the last ADTS frame",
        problems=(truncated(f"the last ADTS frame misses {missing} bytes"),),
    )


def _missing(source: Source, start: int, end: int) -> int:
    """Bytes that the last frame lacks; 0 where it is whole or cannot be found.

    The frames are followed from a place near the end, so that an hour costs no more than a second. A chance match
    inside a frame's data is told from a real header by the chain that must follow it.
    """
    first = source.at(start, 7)
    window_start = max(start, end - 4 * _LONGEST)
    window = source.at(window_start, end - window_start)
    position = 0 if window_start == start else window.find(first[:2])
    while position >= 0:
        steps, reached, whole = _follow(window, position, first)
        if window_start + position == start or (steps >= 3 and whole):
            return reached - len(window) if whole else 0
        position = window.find(first[:2], position + 1)
    return 0


def _follow(window: bytes, position: int, first: bytes) -> tuple[int, int, bool]:
    """Frames followed, where the last one ends, and whether that is at or beyond the end of the window."""
    steps = 0
    while position < len(window):
        head = window[position : position + 7]
        if len(head) < 7:
            # The rest is the start of a header, or not a frame at all.
            return steps, position + 7, head.startswith(first[: min(len(head), 2)])
        length = adts_length(head)
        if length is None or not same_adts_stream(head, first):
            return steps, position, False
        position += length
        steps += 1
    return steps, position, True
