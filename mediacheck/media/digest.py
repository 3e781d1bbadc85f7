"""Digests of decoded content: equal where the decoded values are equal, whatever container or codec carried them.

xxh3-128 is fast and not a cryptographic hash: it says that two decodings are the same, not who made them. The layouts
are written out in docs/reference/facts.md; changing one changes every digest, and so the facts schema.
"""

from __future__ import annotations

import sys
from array import array

import xxhash

from mediacheck.media.kernel import Block


class SampleDigest:
    """Decoded audio: per channel xxh3-128 over float64 little-endian samples, then over those of all channels.

    Integer samples are scaled to full scale 1.0 (exact in float64), minus zero counts as zero, and every NaN as one.
    """

    def __init__(self, channels: int, sample_rate: int) -> None:
        self._header = f"mediacheck.samples/1 {sample_rate} {channels}\n".encode()
        self._channels = [xxhash.xxh3_128() for _ in range(channels)]

    def update(self, block: Block) -> None:
        """``block``: non-finite values already normalised."""
        for channel, hasher in enumerate(self._channels):
            row = block.row(channel)
            if sys.byteorder == "big":
                swapped = array("d", row.tobytes())
                swapped.byteswap()
                row = memoryview(swapped)
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

    def update(self, plane: bytes | memoryview) -> None:
        """``plane``: its visible bytes, row by row."""
        self._whole.update(plane)

    def finish(self) -> str:
        return f"xxh3-128:{self._whole.hexdigest()}"
