"""The luma of a decoded frame as an array, whatever its pixel format, and what black and full range mean in it."""

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
    full_range = frame.format.name.startswith("yuvj") or frame.color_range == JPEG_RANGE
    black = (BLACK_FULL if full_range else BLACK_LIMITED) << shift
    return Luma(data.view("<u2") if wide else data, black, (1 << bits) - 1)
