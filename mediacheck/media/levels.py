"""Peak, RMS, mean and the 10 ms envelope of each channel, over its finite samples."""

from __future__ import annotations

import math
from array import array

import numpy as np
from numpy.typing import NDArray

from mediacheck.media.blocks import Block
from mediacheck.spans import WINDOWS_PER_SECOND

PIECE = 8192
"""Windows that are looked at together at the end."""


def dbfs(value: float) -> float | None:
    """20·log10(value) to a thousandth; None for zero, and for what overflowed."""
    if not (0.0 < value < math.inf):
        return None
    # + 0.0 turns the minus zero that rounding may give into zero.
    return round(20.0 * math.log10(value), 3) + 0.0


class LevelMeter:
    def __init__(self, channels: int, sample_rate: int) -> None:
        self._rate = sample_rate
        edges = [-(-k * sample_rate // WINDOWS_PER_SECOND) for k in range(WINDOWS_PER_SECOND)]
        self._starts = np.array(edges)
        self._even = sample_rate % WINDOWS_PER_SECOND == 0
        self.peak = np.zeros(channels)
        self.block_peak = np.zeros(channels)
        """Peak of the last block alone."""
        self.total = np.zeros(channels)
        self.squares = np.zeros(channels)
        self.finite = np.zeros(channels, np.int64)
        self.envelope = [array("f") for _ in range(channels)]

    def update(self, block: Block, finite: NDArray[np.bool_] | None) -> None:
        """``block``: (channels, up to one second), zeros where not finite; ``finite``: its mask, None: all are."""
        channels, count = block.shape
        self.block_peak = np.maximum(block.max(axis=1), -block.min(axis=1))
        np.maximum(self.peak, self.block_peak, out=self.peak)
        self.total += block.sum(axis=1)
        if self._even and count == self._rate and finite is None:
            windows = block.reshape(channels, WINDOWS_PER_SECOND, -1)
            squares = np.einsum("cwk,cwk->cw", windows, windows)
            starts, counts = self._starts, np.full((channels, 1), count // WINDOWS_PER_SECOND)
            self.finite += count
        else:
            # Below 100 Hz some windows hold no sample: they have no level, and reduceat must not see them.
            starts = np.unique(self._starts[self._starts < count])
            squares = np.add.reduceat(block * block, starts, axis=1)
            if finite is None:
                counts = np.broadcast_to(np.diff(np.append(starts, count)), squares.shape)
            else:
                counts = np.add.reduceat(finite.astype(np.int64), starts, axis=1)
            self.finite += counts.sum(axis=1)
        self.squares += squares.sum(axis=1)
        levels = self._levels(squares, counts, starts)
        for envelope, row in zip(self.envelope, levels, strict=True):
            envelope.frombytes(row.tobytes())

    def _levels(
        self, squares: NDArray[np.float64], counts: NDArray[np.int64], starts: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """RMS per window; NaN where a window holds no finite sample."""
        with np.errstate(invalid="ignore", divide="ignore"):
            rms = np.sqrt(squares / counts).astype(np.float32)
        if len(starts) == len(self._starts) or self._rate >= WINDOWS_PER_SECOND:
            return rms
        full = np.full((len(rms), WINDOWS_PER_SECOND), np.nan, np.float32)
        full[:, np.searchsorted(self._starts, starts, side="right") - 1] = rms
        return full

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
