"""The luma of decoded frames, whatever their pixel format: how much is black, and what moved since the frame before."""

from __future__ import annotations

import math
from dataclasses import dataclass

import av
import numpy as np
from numpy.typing import NDArray

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
    """(rows, columns)."""
    black: int
    """The greatest value that is black."""
    full: int
    """The greatest value there is."""


def plane_bytes(plane: av.video.plane.VideoPlane, row_bytes: int) -> NDArray[np.uint8]:
    """The visible bytes of a plane without a copy: (rows, row_bytes). Rows in memory are longer: they are aligned."""
    data: NDArray[np.uint8] = np.frombuffer(memoryview(plane), np.uint8)
    return data[: plane.height * plane.line_size].reshape(plane.height, plane.line_size)[:, :row_bytes]


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
        return Luma(plane_bytes(grey.planes[0], grey.width), BLACK_FULL, 255)
    bits = frame.format.components[0].bits
    wide = bits > 8
    data = plane_bytes(frame.planes[0], frame.width * (2 if wide else 1))
    shift = bits - 8
    # FFmpeg takes grey for full range whatever the stream says, as it does the yuvj formats.
    full_range = frame.format.name.startswith(("yuvj", "gray")) or frame.color_range == JPEG_RANGE
    black = (BLACK_FULL if full_range else BLACK_LIMITED) << shift
    return Luma(data.view("<u2") if wide else data, black, (1 << bits) - 1)


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
        self._before: Pixels = np.empty((0, 0), np.uint8)
        self._full = 0

    def update(self, frame: av.VideoFrame) -> Picture:
        luma = luma_of(frame)
        pixels = luma.pixels
        comparable = (self._before.shape, self._full) == (pixels.shape, luma.full)
        if not comparable:
            self._before, self._full = np.zeros_like(pixels, order="C"), luma.full
        black, total, greatest = compare_pictures(pixels, self._before, luma.black)
        change = total / (pixels.size * luma.full) if comparable else math.nan
        # Not of a picture that changed as a whole, nor of one that was compared with nothing.
        local = greatest / (SQUARE * SQUARE * luma.full) if change <= STILL else math.nan
        return Picture(black / pixels.size, change, local)
