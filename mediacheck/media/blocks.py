"""Gathers decoded audio, whatever pieces it comes in, into blocks of a fixed number of whole seconds.

Every meter works on these blocks and no other, so the facts cannot depend on packet sizes, on the reader's chunk size
or on threads; and array work on a block at a time costs a tenth of what it costs on frames of 1024 samples.
"""

from __future__ import annotations

from collections.abc import Callable

from mediacheck.media.beside import Beside
from mediacheck.media.kernel import Block
from mediacheck.media.scales import SampleScale

MOST_SECONDS = 4
MOST_VALUES = 100_000
"""Values that a block of more than one second may hold: what a second of 48 kHz stereo takes, or four of 24 kHz mono.
Two blocks of 0.8 MB are there at once. Twice as much took 2 to 5 % less time for long stereo."""


def block_seconds(channels: int, sample_rate: int) -> int:
    """How many seconds a block lasts: a property of the stream, and of nothing else.

    Each block costs the interpreter the same, however long it is, and the thread that decodes has to wait meanwhile.
    """
    return max(1, min(MOST_SECONDS, MOST_VALUES // (channels * sample_rate)))


class BlockGatherer:
    """Collects samples into a block and hands it on when full.

    There are two blocks: while one is being measured, in a thread, the other is filled. Blocks are measured one after
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
        self._block = Block(channels, block_seconds(channels, sample_rate) * sample_rate)
        self._other: Block | None = None
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

    def add_planar(self, starts: list[int], count: int, step: int | None = None) -> None:
        """Take ``count`` samples of each channel.

        Args:
            starts: where each channel's first stored value lies in memory, which is read before this returns.
            count: samples per channel.
            step: bytes from one value to the next; None: they lie side by side.
        """
        assert len(starts) == self._block.channels
        keep = self._room(count)
        self.dropped += count - keep
        step = step or self._scale.width
        done = 0
        while done < keep:
            block = self._block
            some = min(keep - done, block.room - block.count)
            for channel, start in enumerate(starts):
                self._scale.read(start + done * step, step, some, block.address(channel, block.count))
            block.count += some
            self.taken += some
            if block.count == block.room:
                self._hand_on()
            done += some

    def add_interleaved(self, start: int, count: int, order: tuple[int, ...] | None = None) -> None:
        """Take ``count`` samples of each channel, whose values lie side by side.

        Args:
            start: where the first value lies in memory, which is read before this returns.
            count: samples per channel.
            order: where each channel's value stands among them; None: as the channels do.
        """
        width, channels = self._scale.width, self._block.channels
        starts = [start + width * place for place in order or range(channels)]
        self.add_planar(starts, count, width * channels)

    def _hand_on(self) -> None:
        full = self._block
        free = self._other
        if self._beside.at_once:
            free = full
        elif free is None:
            # A sound of a block or less needs no second buffer and no thread.
            free = Block(full.channels, full.room)
        self._beside.call(self._sink, full)
        # It has been measured, or else the call would have waited.
        free.count = 0
        self._block, self._other = free, full

    def finish(self) -> None:
        """Measure what is left, as a block shorter than the others; after this all is measured."""
        self._beside.wait()
        if self._block.count:
            self._sink(self._block)
        # What is made of the measurement takes memory while this one would only wait for its gatherer's end.
        self._block, self._other = Block(self._block.channels, 0), None
