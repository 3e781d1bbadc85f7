"""Peak, RMS, mean and the 10 ms envelope of each channel, over its finite samples."""

from __future__ import annotations

import math
from array import array

import numpy as np
from numpy.typing import NDArray

from mediacheck.media.kernel import Measured
from mediacheck.spans import WINDOWS_PER_SECOND

PIECE = 8192
"""Windows that are looked at together at the end."""


def dbfs(value: float) -> float | None:
    """20·log10(value) to a thousandth; None for zero, and for what overflowed."""
    if not (0.0 < value < math.inf):
        return None
    # + 0.0 turns the minus zero that rounding may give into zero.
    return round(20.0 * math.log10(value), 3) + 0.0


def window_edges(sample_rate: int, seconds: int) -> NDArray[np.int64]:
    """Where the windows of so many seconds begin, and where the last ends. Below 100 Hz some hold no sample."""
    return np.array([-(-k * sample_rate // WINDOWS_PER_SECOND) for k in range(seconds * WINDOWS_PER_SECOND + 1)])


class LevelMeter:
    def __init__(self, channels: int) -> None:
        self.peak = np.zeros(channels)
        self.total = np.zeros(channels)
        self.squares = np.zeros(channels)
        self.finite = np.zeros(channels, np.int64)
        self.envelope = [array("f") for _ in range(channels)]

    def update(self, measured: Measured, edges: NDArray[np.int64], finite: NDArray[np.bool_] | None) -> None:
        """Take what the kernel measured of a block.

        Args:
            measured: over its samples with zeros where they are not finite.
            edges: of its windows.
            finite: mask of the block's samples, (channels, n); None: all are finite.
        """
        counts = np.diff(edges)
        if finite is not None:
            before = np.zeros((len(finite), finite.shape[1] + 1), np.int64)
            np.cumsum(finite, axis=1, out=before[:, 1:])
            counts = np.diff(before[:, edges], axis=1)
        np.maximum(self.peak, measured.peaks, out=self.peak)
        self.total += measured.sums
        self.squares += measured.squares.sum(axis=1)
        self.finite += counts.sum(axis=-1)
        # A window without a finite sample has the level NaN.
        levels = np.sqrt(measured.squares / counts).astype(np.float32)
        for envelope, row in zip(self.envelope, levels, strict=True):
            envelope.frombytes(row.tobytes())

    def rms(self) -> NDArray[np.float64]:
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            return np.asarray(np.sqrt(self.squares / self.finite))

    def mean(self) -> NDArray[np.float64]:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.total / self.finite)

    def loudest_second(self) -> float:
        """RMS of the loudest 100 windows in a row, of any channel (of all windows where there are fewer)."""
        loudest = 0.0
        for envelope in self.envelope:
            windows = np.frombuffer(envelope, np.float32)
            width = min(WINDOWS_PER_SECOND, len(windows))
            # In pieces that overlap by a second: hours of windows in float64 would take more memory than all the rest.
            for first in range(0, max(1, len(windows) - width + 1), PIECE):
                power = np.nan_to_num(windows[first : first + PIECE + width - 1].astype(np.float64)) ** 2
                sums = np.concatenate(([0.0], np.cumsum(power)))
                loudest = max(loudest, float((sums[width:] - sums[:-width]).max(initial=0.0)) / max(1, width))
        return math.sqrt(loudest)
