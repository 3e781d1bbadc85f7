"""Peak, RMS, mean and the 10 ms envelope of each channel, over its finite samples."""

from __future__ import annotations

import math
from array import array
from functools import lru_cache

from mediacheck.media.kernel import Apart, Measured, greatest_of, loudest_of
from mediacheck.spans import WINDOWS_PER_SECOND


def dbfs(value: float) -> float | None:
    """20·log10(value) to a thousandth; None for zero, and for what overflowed."""
    if not (0.0 < value < math.inf):
        return None
    # + 0.0 turns the minus zero that rounding may give into zero.
    return round(20.0 * math.log10(value), 3) + 0.0


@lru_cache(maxsize=8)
def window_edges(sample_rate: int, seconds: int) -> array[int]:
    """Where the windows of so many seconds begin, and where the last ends. Below 100 Hz some hold no sample.

    It is one array for all that ask for the same, to be read only.
    """
    return array("q", [-(-k * sample_rate // WINDOWS_PER_SECOND) for k in range(seconds * WINDOWS_PER_SECOND + 1)])


class ChannelLevel:
    """The levels of one channel."""

    def __init__(self) -> None:
        self.peak = 0.0
        self.total = 0.0
        """Sum of samples."""
        self.squares = 0.0
        """Sum of their squares."""
        self.finite = 0
        """Samples."""
        self.envelope = array("f")
        """RMS of each window; NaN of one without a finite sample."""

    def take_envelope(self) -> array[float]:
        """The envelope, which is then the caller's alone."""
        envelope, self.envelope = self.envelope, array("f")
        return envelope

    @property
    def rms(self) -> float:
        return math.sqrt(self.squares / self.finite) if self.finite else math.nan

    @property
    def mean(self) -> float:
        return self.total / self.finite if self.finite else math.nan

    @property
    def loudest_window(self) -> float:
        return greatest_of(self.envelope)

    @property
    def loudest_second(self) -> float:
        """RMS of the loudest 100 windows in a row (of all windows where there are fewer)."""
        return math.sqrt(loudest_of(self.envelope, WINDOWS_PER_SECOND))


class LevelMeter:
    def __init__(self, channels: int) -> None:
        self.channels = [ChannelLevel() for _ in range(channels)]

    def update(self, measured: Measured, count: int, apart: Apart | None) -> None:
        """Take what the kernel measured of a block.

        Args:
            measured: over its samples with zeros where they are not finite.
            count: its samples per channel.
            apart: what of it is not finite; None: nothing.
        """
        for number, channel in enumerate(self.channels):
            channel.peak = max(channel.peak, measured.peaks[number])
            channel.total += measured.sums[number]
            channel.squares += measured.squares[number]
            channel.finite += count if apart is None else apart.finite[number]
            channel.envelope.extend(measured.rms[number])

    def loudest_second(self) -> float:
        """Of any channel."""
        return max(channel.loudest_second for channel in self.channels)
