"""Blocks of samples, out of numpy's arrays."""

from __future__ import annotations

from array import array

import numpy as np

from mediacheck.media.kernel import Apart, Block, BlockKernel, Measured, set_apart


def block_of(x: np.ndarray, room: int = 0) -> Block:
    """``x``: (channels, n); ``room``: samples per channel that there is memory for, if more than n."""
    block = Block(len(x), max(room, x.shape[1]))
    block.count = x.shape[1]
    for channel, row in enumerate(x):
        block.row(channel)[:] = memoryview(np.ascontiguousarray(row, np.float64))
    return block


def edges(*places: int) -> array[int]:
    return array("q", places)


def measured_of(
    kernel: BlockKernel, x: np.ndarray, windows: list[int] | None = None, steps: list[int] | None = None
) -> Measured:
    """Measure the next block, looking for what is not finite; windows and steps are the whole of it unless given."""
    block, whole = block_of(x), [0, x.shape[1]]
    cuts = edges(*windows or whole)
    measured = kernel.measure(block, cuts, edges(*steps or whole), set_apart(block, cuts), sure=True)
    assert measured is not None
    return measured


def apart_of(x: np.ndarray) -> tuple[Block, Apart | None]:
    """The block as it is left, and what was set apart of it; all of it is one window."""
    block = block_of(x)
    return block, set_apart(block, edges(0, x.shape[1]))

