"""Stretches of silence, black and stillness, found in the series that a measurement saves.

Pure functions: measuring calls them with the default limits, judging calls them again with any other, so that facts
and judgements cannot differ. A saved value is a float32; limits are rounded to float32 as well, so that a value that
lies exactly at its limit compares as equal.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce
from operator import and_
from typing import Final, overload

from mediacheck.facts import Span

SILENCE_DBFS = -60.0
BLACK_SHARE = 0.98
FROZEN_CHANGE = 0.001
FROZEN_LOCAL_CHANGE = 0.012
WINDOWS_PER_SECOND = 100
MPEG_CLOCK = 90_000
"""Hz."""
_WINDOWS_AT_ONCE: Final = 6_000


class FrameTimes(Sequence[Fraction]):
    """When each frame starts, in exact seconds from the first, made on demand from the saved float32 seconds.

    At a constant rate frame k starts at k / rate exactly. Otherwise the nearest tick of the MPEG clock stands for the
    saved value, which is exact for milliseconds and for the rates of films; over one clock, spans also add up to
    numbers of few digits.
    """

    def __init__(self, seconds: Sequence[float], rate: Fraction | None, constant_rate: bool | None) -> None:
        self._seconds = seconds
        self._rate = rate if constant_rate else None

    def __len__(self) -> int:
        return len(self._seconds)

    @overload
    def __getitem__(self, index: int) -> Fraction: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Fraction]: ...
    def __getitem__(self, index: int | slice) -> Fraction | Sequence[Fraction]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        seconds = self._seconds[index]
        if self._rate:
            return (index % len(self)) / self._rate
        return Fraction(round(seconds * MPEG_CLOCK), MPEG_CLOCK)


def silent_spans(envelopes: Sequence[Sequence[float]], threshold_dbfs: float, duration: Fraction) -> tuple[Span, ...]:
    """Where every channel lies below ``threshold_dbfs`` (RMS, full scale 1.0), on the 10 ms grid.

    Args:
        envelopes: per channel, the RMS of each window; NaN (no finite sample) is never silent.
        threshold_dbfs: dBFS; a window exactly at it is not silent.
        duration: seconds; window k spans k/100 up to (k + 1)/100, the last one to the duration. That may lie beyond
            (k + 1)/100 by less than a sample, where no sample starts a window of its own.
    """
    flags = _silent_windows(envelopes, _float32(10.0 ** (threshold_dbfs / 20.0)))
    return tuple(
        Span(
            start=Fraction(first, WINDOWS_PER_SECOND),
            end=duration if after == len(flags) else Fraction(after, WINDOWS_PER_SECOND),
        )
        for first, after in _runs(flags)
    )


def _silent_windows(envelopes: Sequence[Sequence[float]], limit: float) -> bytearray:
    """Per window that every channel has: 1 where all lie below ``limit``, else 0."""
    count = min((len(envelope) for envelope in envelopes), default=0)
    flags = bytearray(count)
    # Of an hour at once, what stands between would take several times what the flags do.
    for start in range(0, count, _WINDOWS_AT_ONCE):
        end = min(start + _WINDOWS_AT_ONCE, count)
        # int & int over whole byte strings joins the channels far faster than a loop over windows would.
        below = (int.from_bytes(bytes(map(limit.__gt__, envelope[start:end])), "big") for envelope in envelopes)
        flags[start:end] = reduce(and_, below).to_bytes(end - start, "big")
    return flags


def black_spans(
    black_share: Sequence[float], times: Sequence[Fraction], duration: Fraction, share: float = BLACK_SHARE
) -> tuple[Span, ...]:
    """Where at least ``share`` of each frame's luma is black.

    Args:
        black_share: per frame, 0 to 1; NaN is not black.
        times: per frame, seconds from the first.
        duration: seconds from the first frame to the end of the last.
        share: 0 to 1.
    """
    return _frame_spans(bytes(map(_float32(share).__le__, black_share)), times, duration)


def frozen_spans(
    change: Sequence[float],
    local_change: Sequence[float],
    times: Sequence[Fraction],
    duration: Fraction,
    limit: float = FROZEN_CHANGE,
    local_limit: float = FROZEN_LOCAL_CHANGE,
) -> tuple[Span, ...]:
    """From the start of the first frame that repeats the one before it to the end of the last that does.

    Args:
        change: per frame, mean absolute luma difference to the frame before, of full range; NaN for the first.
        local_change: per frame, the same in the square of the picture that changed most; NaN where it was not measured,
            since the whole picture changed.
        times: per frame, seconds from the first.
        duration: seconds from the first frame to the end of the last.
        limit: a frame repeats the one before where its change is at most this,
        local_limit: and no square changed by more than this: a mouth that speaks in a still portrait moves one picture
            in a thousand parts, and is no frozen picture.
    """
    still = map(_float32(limit).__ge__, change)
    moving = map(_float32(local_limit).__lt__, local_change)
    return _frame_spans(bytes(a and not b for a, b in zip(still, moving, strict=True)), times, duration)


def _frame_spans(flags: bytes, times: Sequence[Fraction], duration: Fraction) -> tuple[Span, ...]:
    return tuple(
        Span(start=times[first], end=times[after] if after < len(times) else duration) for first, after in _runs(flags)
    )


def _runs(flags: bytes | bytearray) -> Iterator[tuple[int, int]]:
    """First index and index after the last of each run of ones."""
    first = flags.find(1)
    while first >= 0:
        after = flags.find(0, first)
        if after < 0:
            after = len(flags)
        yield first, after
        first = flags.find(1, after)


def _float32(value: float) -> float:
    return array("f", [value])[0]
