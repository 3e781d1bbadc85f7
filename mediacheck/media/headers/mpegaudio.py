"""Headers of MPEG audio frames: layers I to III of MPEG-1, 2 and 2.5 (ISO/IEC 11172-3, 13818-3), and ADTS (13818-7)."""

from __future__ import annotations

from typing import NamedTuple

_KBPS = {
    (1, 1): (0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (1, 2): (0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (1, 3): (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (2, 1): (0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (2, 2): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (2, 3): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
"""Bit rates by (1 for MPEG-1, 2 for MPEG-2 and 2.5; layer)."""
_RATES = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}
"""Sample rates by the header's two version bits."""


class MpegFrame(NamedTuple):
    mpeg1: bool
    layer: int
    sample_rate: int
    mono: bool
    protected: bool
    """Two CRC bytes follow the header."""
    length: int
    """Bytes, the header included."""
    samples: int
    """Per channel."""


def mpeg_frame(head: bytes) -> MpegFrame | None:
    """Parse four header bytes; None where they are none, or of a free-format frame, whose length is not stated."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return None
    version, layer_bits = head[1] >> 3 & 3, head[1] >> 1 & 3
    rate_index, bitrate_index = head[2] >> 2 & 3, head[2] >> 4
    if version == 1 or layer_bits == 0 or rate_index == 3 or bitrate_index in (0, 15):
        return None
    mpeg1, layer = version == 3, 4 - layer_bits
    bitrate = _KBPS[1 if mpeg1 else 2, layer][bitrate_index] * 1000
    rate = _RATES[version][rate_index]
    padding = head[2] >> 1 & 1
    samples = 384 if layer == 1 else 1152 if layer == 2 or mpeg1 else 576
    length = (12 * bitrate // rate + padding) * 4 if layer == 1 else samples // 8 * bitrate // rate + padding
    return MpegFrame(mpeg1, layer, rate, head[3] >> 6 == 3, not head[1] & 1, length, samples)


def adts_length(head: bytes) -> int | None:
    """Bytes of the ADTS frame whose header starts with these six bytes or more, the header included."""
    if len(head) < 6 or head[0] != 0xFF or head[1] & 0xF6 != 0xF0 or head[2] >> 2 & 0xF > 12:
        return None
    length = (head[3] & 3) << 11 | head[4] << 3 | head[5] >> 5
    return length if length >= 7 else None


def same_adts_stream(one: bytes, other: bytes) -> bool:
    """Whether two ADTS headers agree in what is fixed for a stream: version, protection, profile, rate, channels."""
    return one[:2] == other[:2] and one[2] & 0xFD == other[2] & 0xFD and one[3] & 0xC0 == other[3] & 0xC0
