"""Digests of decoded content: equal where the decoded values are equal, whatever container or codec carried them.

xxh3-128 is fast and not a cryptographic hash: it says that two decodings are the same, not who made them. The layouts
are written out in docs/reference/facts.md; changing one changes every digest, and so the facts schema.
"""

from __future__ import annotations

import numpy as np
import xxhash
from numpy.typing import NDArray


class SampleDigest:
    """Decoded audio: per channel xxh3-128 over float64 little-endian samples, then over those of all channels.

    Integer samples are scaled to full scale 1.0 (exact in float64), minus zero counts as zero, and every NaN as one.
    """

    def __init__(self, channels: int, sample_rate: int) -> None:
        self._header = f"mediacheck.samples/1 {sample_rate} {channels}\n".encode()
        self._channels = [xxhash.xxh3_128() for _ in range(channels)]

    def update(self, block: NDArray[np.float64]) -> None:
        """``block``: (channels, samples), rows contiguous, non-finite values already normalised."""
        for hasher, row in zip(self._channels, block.astype("<f8", copy=False), strict=True):
            hasher.update(row)

    def finish(self) -> str:
        whole = xxhash.xxh3_128(self._header)
        for hasher in self._channels:
            whole.update(hasher.digest())
        return f"xxh3-128:{whole.hexdigest()}"


class FrameDigest:
    """Decoded video: xxh3-128 over each frame's pixel format, size and visible rows, plane by plane."""

    def __init__(self) -> None:
        self._whole = xxhash.xxh3_128(b"mediacheck.frames/1\n")

    def start_frame(self, pixel_format: str, width: int, height: int) -> None:
        self._whole.update(f"{pixel_format} {width} {height}\n".encode())

    def update(self, plane: NDArray[np.uint8]) -> None:
        """``plane``: the visible bytes, (rows, bytes a row)."""
        self._whole.update(np.ascontiguousarray(plane).data)

    def finish(self) -> str:
        return f"xxh3-128:{self._whole.hexdigest()}"
