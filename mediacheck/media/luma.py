"""The luma of decoded frames, whatever their pixel format: how much is black, and what moved since the frame before."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass

import av

from mediacheck.media.kernel import SQUARE, Pixels, compare_pictures

BLACK_LIMITED = 32
"""8 bits, limited range (16 to 235)."""
BLACK_FULL = 18
"""The same level in full range: (32 - 16) · 255 / 219, rounded down."""
JPEG_RANGE = 2
"""AVCOL_RANGE_JPEG: full range."""


@dataclass(frozen=True)
class Luma:
    pixels: Pixels
    frame: av.VideoFrame
    """Holds the memory in which they lie."""
    black: int
    """The greatest value that is black."""
    full: int
    """The greatest value there is."""


def pixels_of(plane: av.video.plane.VideoPlane, width: int, itemsize: int) -> Pixels:
    """Where the pixels of a plane lie.

    Args:
        plane: of a decoded frame.
        width: pixels of a row that are seen.
        itemsize: bytes of a pixel, 1 or 2.

    Raises:
        ValueError: the plane holds fewer bytes than that.
    """
    if plane.line_size < width * itemsize or plane.buffer_size < plane.height * plane.line_size:
        raise ValueError(f"a plane of {plane.buffer_size} bytes holds no {plane.height} rows of {width} pixels")
    return Pixels(plane.buffer_ptr, plane.line_size, width, plane.height, itemsize)


def has_plain_luma(frame: av.VideoFrame) -> bool:
    """Whether plane 0 is luma, one component, 8 or 9 to 16 bits stored little-endian in the low bits."""
    name = frame.format.name
    return (
        name.startswith(("yuv", "gray", "nv12", "nv21"))
        and not name.startswith(("yuyv", "yuv444p10msb", "yuv444p12msb"))
        and not name.endswith("be")
        and frame.format.components[0].bits <= 16
        and not name.startswith(("grayf", "gray32"))
        and frame.format.components[0].plane == 0
        and (frame.format.is_planar or name.startswith("gray"))
    )


def luma_of(frame: av.VideoFrame) -> Luma:
    """The frame's luma. RGB, packed and other formats go through swscale, which gives full-range grey."""
    if not has_plain_luma(frame):
        grey = frame.reformat(format="gray")
        return Luma(pixels_of(grey.planes[0], grey.width, 1), grey, BLACK_FULL, 255)
    bits = frame.format.components[0].bits
    pixels = pixels_of(frame.planes[0], frame.width, 2 if bits > 8 else 1)
    # FFmpeg takes grey for full range whatever the stream says, as it does the yuvj formats.
    full_range = frame.format.name.startswith(("yuvj", "gray")) or frame.color_range == JPEG_RANGE
    black = (BLACK_FULL if full_range else BLACK_LIMITED) << (bits - 8)
    return Luma(pixels, frame, black, (1 << bits) - 1)


STILL = 0.01
"""Of full range: up to this mean change the squares are looked at, far above what counts as frozen."""


@dataclass(frozen=True)
class Picture:
    """What was measured of one frame's luma; shares and changes are of 1.0."""

    black_share: float
    change: float
    """Mean absolute difference to the frame before; NaN where there is none to compare."""
    local_change: float
    """The same in the square that changed most; NaN where the mean is above ``STILL``, or there is none to compare."""


class LumaMeter:
    """Compares each frame's luma with the one before."""

    def __init__(self) -> None:
        self._form = (0, 0, 0, 0)
        """Width, height, bytes and greatest value of the pixels before."""
        self._before = array("B")

    def update(self, frame: av.VideoFrame) -> Picture:
        luma = luma_of(frame)
        pixels = luma.pixels
        size = pixels.width * pixels.height
        form = (pixels.width, pixels.height, pixels.itemsize, luma.full)
        comparable = form == self._form
        if not comparable:
            self._form, self._before = form, array("B" if pixels.itemsize == 1 else "H", [0]) * size
        black, total, greatest = compare_pictures(pixels, self._before, luma.black)
        change = total / (size * luma.full) if comparable else math.nan
        # Not of a picture that changed as a whole, nor of one that was compared with nothing.
        local = greatest / (SQUARE * SQUARE * luma.full) if change <= STILL else math.nan
        return Picture(black / size, change, local)
