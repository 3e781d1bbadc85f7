"""The luma of decoded frames, whatever their pixel format: how much is black, and what moved since the frame before."""

from __future__ import annotations

from dataclasses import dataclass

import av
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8] | NDArray[np.uint16]

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


BLOCK = 16
"""Rows and columns of the squares in which local change is looked for: the size of a mouth in a small portrait."""
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
    """Compares each frame with the one before, in buffers that are made once: new ones would cost page faults."""

    def __init__(self) -> None:
        self._previous: Luma | None = None
        self._difference: Pixels = np.empty((0, 0), np.uint8)
        self._least: Pixels = np.empty((0, 0), np.uint8)
        self._mask = np.empty((0, 0), np.bool_)

    def update(self, frame: av.VideoFrame) -> Picture:
        luma = luma_of(frame)
        before = self._previous
        same = before is not None and (before.pixels.shape, before.full) == (luma.pixels.shape, luma.full)
        if before is None or not same:
            self._difference, self._least = np.empty_like(luma.pixels), np.empty_like(luma.pixels)
            self._mask = np.empty(luma.pixels.shape, np.bool_)
        np.less_equal(luma.pixels, luma.black, out=self._mask)
        black = np.count_nonzero(self._mask) / self._mask.size
        change = local = float("nan")
        if before is not None and same:
            change, local = self._compare(luma, before)
            # The decoder reuses its buffers once the frame is gone.
            np.copyto(before.pixels, luma.pixels)
        else:
            self._previous = Luma(luma.pixels.copy(), luma.black, luma.full)
        return Picture(black, change, local)

    def _compare(self, luma: Luma, before: Luma) -> tuple[float, float]:
        # For unsigned values max - min is the absolute difference, without a wider copy of either picture.
        np.maximum(luma.pixels, before.pixels, out=self._difference)
        np.minimum(luma.pixels, before.pixels, out=self._least)
        self._difference -= self._least
        height, width = self._difference.shape
        wide = np.uint16 if luma.full * BLOCK < 1 << 16 else np.uint32
        bands = self._difference[: height - height % BLOCK].reshape(-1, BLOCK, width).sum(axis=1, dtype=wide)
        if height % BLOCK:
            rest = self._difference[height - height % BLOCK :].sum(axis=0, dtype=wide)
            bands = np.concatenate((bands, rest[None, :]))
        change = float(bands.sum(dtype=np.uint64)) / (height * width * luma.full)
        if change > STILL:
            return change, float("nan")
        squares = np.add.reduceat(bands, np.arange(0, width, BLOCK), axis=1, dtype=np.uint32)
        return change, float(squares.max()) / (BLOCK * BLOCK * luma.full)
