"""Gathers decoded audio, whatever pieces it comes in, into blocks of exactly one second.

Every meter works on these blocks and no other, so the facts cannot depend on packet sizes, on the reader's chunk size
or on threads; and array work on a second at a time costs a tenth of what it costs on frames of 1024 samples.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Block = NDArray[np.float64]


class BlockGatherer:
    """Collects planar samples into a reused (channels, sample_rate) float64 buffer and hands it on when full."""

    def __init__(self, channels: int, sample_rate: int, limit: int | None, sink: Callable[[Block], None]) -> None:
        """``limit``: samples per channel after which the rest is padding to be dropped; None: keep all."""
        self._buffer = np.empty((channels, sample_rate), np.float64)
        self._filled = 0
        self._limit = limit
        self._sink = sink
        self.taken = 0
        """Samples per channel that went to the sink or wait for it."""
        self.dropped = 0
        """Samples per channel beyond the limit."""

    def _room(self, count: int) -> int:
        """How many of ``count`` samples may still be taken before the limit."""
        if self._limit is None:
            return count
        return min(count, max(0, self._limit - self.taken))

    # A signalling NaN of a damaged float file becomes a quiet one in float64, which numpy would warn of.
    @np.errstate(invalid="ignore")
    def add_planar(self, planes: list[NDArray[np.generic]]) -> None:
        """``planes``: one 1-D array a channel, equally long."""
        count = len(planes[0])
        keep = self._room(count)
        self.dropped += count - keep
        done = 0
        size = self._buffer.shape[1]
        while done < keep:
            step = min(keep - done, size - self._filled)
            for row, plane in zip(self._buffer, planes, strict=True):
                row[self._filled : self._filled + step] = plane[done : done + step]
            self._advance(step)
            done += step

    def add_interleaved(self, samples: NDArray[np.generic]) -> None:
        """``samples``: (n, channels)."""
        self.add_planar(list(samples.T))

    def _advance(self, step: int) -> None:
        self._filled += step
        self.taken += step
        if self._filled == self._buffer.shape[1]:
            self._sink(self._buffer)
            self._filled = 0

    def finish(self) -> None:
        """Hand on what is left, as a block shorter than a second."""
        if self._filled:
            self._sink(np.ascontiguousarray(self._buffer[:, : self._filled]))
            self._filled = 0
