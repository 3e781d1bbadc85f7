"""Pictures: black, change, visible bytes (``pictures.c``)."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from mediacheck.media.kernel.library import COUNT, POINTER, kernel

SQUARE = 16
"""Rows and columns of the squares of a picture, as in pictures.c."""

for _compare in (kernel.compare_pictures_8, kernel.compare_pictures_16):
    _compare.argtypes = [POINTER, COUNT, POINTER, COUNT, COUNT, COUNT, POINTER]
    _compare.restype = None
kernel.pack_rows.argtypes = [POINTER, COUNT, COUNT, COUNT, POINTER]
kernel.pack_rows.restype = None


class Pixels(NamedTuple):
    """One component of a picture, where a decoder holds it in memory."""

    start: int
    """Address of the first pixel."""
    step: int
    """Bytes from one row to the next: rows in memory are longer than what is seen of them."""
    width: int
    """Pixels that are seen."""
    height: int
    itemsize: int
    """Bytes of a pixel: 1 or 2."""


class Compared(NamedTuple):
    """What was counted of a picture, in pixels and in units of their values."""

    black: int
    """Pixels up to the limit."""
    change: int
    """Sum of absolute differences to the picture before."""
    greatest: int
    """The same of the square of ``SQUARE`` x ``SQUARE`` pixels that changed most."""


def compare_pictures(now: Pixels, before: array[int], limit: int) -> Compared:
    """Count a picture's black and its change, and keep it in place of the one before.

    Args:
        now: the picture.
        before: ``array('B')`` or ``array('H')`` of as many pixels, row by row; afterwards it is a copy of ``now``.
        limit: the greatest value that is black.
    """
    assert (before.itemsize, len(before)) == (now.itemsize, now.width * now.height)
    assert now.step % now.itemsize == 0
    compare = kernel.compare_pictures_8 if now.itemsize == 1 else kernel.compare_pictures_16
    found = array("q", [0, 0, 0])
    compare(
        now.start,
        now.step // now.itemsize,
        before.buffer_info()[0],
        now.width,
        now.height,
        limit,
        found.buffer_info()[0],
    )
    return Compared(*found)


def pack_rows(start: int, step: int, width: int, height: int, room: array[int]) -> None:
    """Copy the first ``width`` bytes of ``height`` rows, ``step`` bytes apart in memory, into an ``array('B')``."""
    assert len(room) >= width * height
    kernel.pack_rows(start, step, width, height, room.buffer_info()[0])
