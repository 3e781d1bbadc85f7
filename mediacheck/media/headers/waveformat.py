"""The ``fmt`` chunk of WAV and W64: WAVEFORMATEX and WAVE_FORMAT_EXTENSIBLE (Microsoft mmreg.h)."""

from __future__ import annotations

import struct
from typing import Literal, NamedTuple

from mediacheck.facts import Problem
from mediacheck.media.headers.chunks import ByteOrder
from mediacheck.media.headers.problems import header, undecodable

Encoding = Literal["u8", "s8", "s16", "s24", "s32", "flt", "dbl", "alaw", "mulaw"]

_PCM, _FLOAT, _ALAW, _MULAW, _EXTENSIBLE = 1, 3, 6, 7, 0xFFFE
_MS_ADPCM, _IMA_ADPCM, _GSM = 0x02, 0x11, 0x31
_INTEGERS: dict[int, Encoding] = {1: "u8", 2: "s16", 3: "s24", 4: "s32"}
_FLOATS: dict[int, Encoding] = {4: "flt", 8: "dbl"}

SAMPLE_BYTES: dict[str, int] = {
    "u8": 1, "s8": 1, "alaw": 1, "mulaw": 1, "s16": 2, "s24": 3, "s32": 4, "flt": 4, "dbl": 8,
}  # fmt: skip
"""Bytes of one sample of one channel."""


class WaveFormat(NamedTuple):
    channels: int
    sample_rate: int
    """Hz."""
    byte_rate: int
    block_align: int
    bits: int
    encoding: Encoding | None
    """None for what is compressed, or stored in a way that only a decoder should interpret."""
    channel_mask: int | None
    least_block: int = 0
    """Bytes below which a last, shorter block of a compressed format holds no sound; 0 where that is not known."""

    @property
    def frame_bytes(self) -> int:
        """Bytes of one sample of all channels; 1 where that has no meaning."""
        if self.encoding is None:
            return max(self.block_align, 1)
        return self.channels * SAMPLE_BYTES[self.encoding]


def parse(body: bytes, order: ByteOrder) -> WaveFormat | Problem:
    """Read the body of a ``fmt`` chunk; the problem where it holds no usable format."""
    if len(body) < 14:
        return undecodable("wav.bad_format", f"the fmt chunk has {len(body)} bytes, at least 16 are needed")
    tag, channels, rate, byte_rate, block_align = struct.unpack(order + "HHIIH", body[:14])
    bits = struct.unpack(order + "H", body[14:16])[0] if len(body) >= 16 else 0
    mask = None
    if tag == _EXTENSIBLE and len(body) >= 40:
        mask = struct.unpack(order + "I", body[20:24])[0]
        tag = struct.unpack(order + "I", body[24:28])[0]
    if not channels or not rate:
        return undecodable("wav.bad_format", f"the fmt chunk declares {channels} channels at {rate} Hz")
    encoding = _encoding(tag, (bits + 7) // 8)
    # 24 bits in four bytes: which end they stand at is not in the header, so the decoder decides.
    if encoding == "s24" and block_align == 4 * channels:
        encoding = None
    # A block of ADPCM starts with 7 (Microsoft) or 4 (IMA) bytes a channel; GSM has whole blocks only.
    least = {_MS_ADPCM: 7 * channels, _IMA_ADPCM: 4 * channels, _GSM: block_align}.get(tag, 0)
    return WaveFormat(channels, rate, byte_rate, block_align, bits, encoding, mask, least)


def _encoding(tag: int, sample_bytes: int) -> Encoding | None:
    if tag == _PCM:
        return _INTEGERS.get(sample_bytes)
    if tag == _FLOAT:
        return _FLOATS.get(sample_bytes)
    return {_ALAW: "alaw", _MULAW: "mulaw"}.get(tag)  # type: ignore[return-value]


def contradictions(wave: WaveFormat) -> list[Problem]:
    """Where block align and byte rate of uncompressed audio are not what channels, bits and rate make them."""
    if wave.encoding is None:
        return []
    found = []
    if wave.block_align != wave.frame_bytes:
        found.append(
            f"block align {wave.block_align}, where {wave.channels} channels of {wave.bits} bits make "
            f"{wave.frame_bytes}"
        )
    expected = wave.sample_rate * wave.frame_bytes
    if wave.byte_rate != expected:
        found.append(f"{wave.byte_rate} bytes per second, where the format makes {expected}")
    return [header("wav.block_align", f"the fmt chunk declares {' and '.join(found)}")] if found else []
