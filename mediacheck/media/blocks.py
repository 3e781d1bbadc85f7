"""Gathers decoded audio, whatever pieces it comes in, into blocks of a fixed number of whole seconds.

Every meter works on these blocks and no other, so the facts cannot depend on packet sizes, on the reader's chunk size
or on threads; and array work on a block at a time costs a tenth of what it costs on frames of 1024 samples.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mediacheck.media.beside import Beside
from mediacheck.media.scales import SampleScale

Block = NDArray[np.float64]

MOST_SECONDS = 2
MOST_VALUES = 200_000
"""Values that a block of more than one second may hold: what two seconds of 48 kHz stereo take."""


def block_seconds(channels: int, sample_rate: int) -> int:
    """How many seconds a block lasts: a property of the stream, and of nothing else.

    Each block costs the interpreter the same, however long it is, and the thread that decodes has to wait meanwhile.
    """
    return max(1, min(MOST_SECONDS, MOST_VALUES // (channels * sample_rate)))


class BlockGatherer:
    """Collects samples into a float64 buffer of one row a channel and hands it on when full.

    There are two buffers: while one is being measured, in a thread, the other is filled. Blocks are measured one after
    the other, in order.
    """

    def __init__(
        self,
        channels: int,
        sample_rate: int,
        scale: SampleScale,
        limit: int | None,
        sink: Callable[[Block], None],
    ) -> None:
        """``limit``: samples per channel after which the rest is padding to be dropped; None: keep all."""
        self._buffer = np.empty((channels, block_seconds(channels, sample_rate) * sample_rate), np.float64)
        self._other: Block | None = None
        self._filled = 0
        self._scale = scale
        self._limit = limit
        self._sink = sink
        self._beside = Beside()
        self.taken = 0
        """Samples per channel that went to the sink or wait for it."""
        self.dropped = 0
        """Samples per channel beyond the limit."""

    def _room(self, count: int) -> int:
        """How many of ``count`` samples may still be taken before the limit."""
        if self._limit is None:
            return count
        return min(count, max(0, self._limit - self.taken))

    def add_planar(self, planes: list[NDArray[np.generic]]) -> None:
        """``planes``: one 1-D array of stored values a channel, equally long."""
        count = len(planes[0])
        keep = self._room(count)
        self.dropped += count - keep
        done = 0
        size = self._buffer.shape[1]
        while done < keep:
            step = min(keep - done, size - self._filled)
            for row, plane in zip(self._buffer, planes, strict=True):
                self._scale.apply(plane[done : done + step], row[self._filled : self._filled + step])
            self._filled += step
            self.taken += step
            if self._filled == size:
                self._hand_on()
            done += step

    def add_interleaved(self, samples: NDArray[np.generic]) -> None:
        """``samples``: (n, channels)."""
        self.add_planar(list(samples.T))

    def _hand_on(self) -> None:
        full = self._buffer
        # A sound of a block or less needs no second buffer and no thread.
        free = np.empty_like(full) if self._other is None else self._other
        self._beside.call(self._sink, full)
        self._buffer, self._other = free, full
        self._filled = 0

    def finish(self) -> None:
        """Measure what is left, as a block shorter than the others; after this all is measured."""
        self._beside.wait()
        if self._filled:
            self._sink(np.ascontiguousarray(self._buffer[:, : self._filled]))
            self._filled = 0
        # What is made of the measurement takes memory while this one would only wait for its gatherer's end.
        self._buffer, self._other = np.empty((len(self._buffer), 0)), None
