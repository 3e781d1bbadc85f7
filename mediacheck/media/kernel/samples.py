"""Single channels: stored values to full scale 1.0, and what is counted of few of them (``samples.c``)."""

from __future__ import annotations

import ctypes
from array import array
from enum import IntEnum

from mediacheck.media.kernel.library import COUNT, POINTER, REAL, kernel

kernel.read_samples.argtypes = [POINTER, ctypes.c_int, ctypes.c_int, COUNT, COUNT, REAL, REAL, POINTER]
kernel.read_samples.restype = None
kernel.count_clipped.argtypes = [POINTER, COUNT, REAL, REAL, COUNT, POINTER]
kernel.count_clipped.restype = None
kernel.rms_of_finite.argtypes = [POINTER, COUNT]
kernel.rms_of_finite.restype = REAL
kernel.greatest_of.argtypes = [POINTER, COUNT]
kernel.greatest_of.restype = REAL
kernel.loudest_of.argtypes = [POINTER, COUNT, COUNT]
kernel.loudest_of.restype = REAL


class Stored(IntEnum):
    """How a value is stored, by FFmpeg's names; ``enum stored`` of samples.c."""

    U8 = 0
    S8 = 1
    S16 = 2
    S24 = 3
    S32 = 4
    S64 = 5
    FLT = 6
    DBL = 7

    @property
    def width(self) -> int:
        """Bytes."""
        return (1, 1, 2, 3, 4, 8, 4, 8)[self]


def read_samples(
    start: int, stored: Stored, big_endian: bool, step: int, count: int, zero: float, factor: float, to: int
) -> None:
    """Write (value - zero) · factor of each value as float64; minus zero becomes zero.

    Args:
        start: where the first value lies in memory.
        stored: as what.
        big_endian: whether its first byte is the most.
        step: bytes from one value to the next.
        count: of the values.
        zero: the value of silence.
        factor: a power of two: then the result is exact for up to 53 bits.
        to: where the first float64 goes.
    """
    kernel.read_samples(start, stored, big_endian, step, count, zero, factor, to)


class Clipping:
    """What ``count_clipped`` carries from row to row, and counts."""

    def __init__(self) -> None:
        self._counts = array("q", [0, 0, 0, 0])

    def count(self, start: int, count: int, low: float, high: float, least: int) -> None:
        """Count samples up to ``low`` or from ``high`` on, and runs of at least ``least``; a count of 0 ends a run.

        ``start``: where the row of float64 lies in memory.
        """
        kernel.count_clipped(start, count, low, high, least, self._counts.buffer_info()[0])

    @property
    def open(self) -> int:
        """Samples at full scale that the last row ended with."""
        return self._counts[0]

    @property
    def full_scale(self) -> int:
        """Samples."""
        return self._counts[1]

    @property
    def clipped(self) -> int:
        """Samples in runs that are long enough."""
        return self._counts[2]

    @property
    def runs(self) -> int:
        return self._counts[3]


def rms_of_finite(samples: bytes) -> float | None:
    """RMS of the float64 that are finite; None where there is none."""
    rms: float = kernel.rms_of_finite(samples, len(samples) // 8)
    return None if rms < 0.0 else rms


def greatest_of(levels: array[float]) -> float:
    """The greatest of an ``array('f')``, passing over NaN; 0 where none is above it."""
    greatest: float = kernel.greatest_of(*levels.buffer_info())
    return greatest


def loudest_of(levels: array[float], width: int) -> float:
    """The greatest mean square of ``width`` values in a row, of all where there are fewer.

    ``levels``: an ``array('f')``; NaN counts as zero.
    """
    loudest: float = kernel.loudest_of(*levels.buffer_info(), width)
    return loudest
