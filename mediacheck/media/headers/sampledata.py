"""The chunk that holds a file's samples: how much the header declares, how much is there."""

from __future__ import annotations

from typing import NamedTuple

from mediacheck.facts import Problem
from mediacheck.media.headers.problems import header, truncated
from mediacheck.media.headers.waveformat import WaveFormat
from mediacheck.media.reading import PcmLayout


class SampleData(NamedTuple):
    offset: int
    """Byte at which the samples start."""
    declared: int | None
    """Bytes by the header; None for a placeholder."""
    present: int
    """Bytes that are there: never more than declared."""

    @property
    def cut(self) -> bool:
        return self.declared is not None and self.present < self.declared


def shortfall(data: SampleData, frame_bytes: int, compressed: bool, chunk: str) -> Problem:
    """The problem of a chunk that reaches beyond the file, with both numbers."""
    declared = data.declared or 0
    if compressed:
        return truncated(f"the {chunk} chunk declares {declared} bytes, the file holds {data.present}")
    return truncated(
        f"the {chunk} chunk declares {declared // frame_bytes} samples ({declared} bytes), "
        f"the file holds {data.present // frame_bytes} ({data.present} bytes)"
    )


def stray_bytes(data: SampleData, wave: WaveFormat) -> int:
    """Bytes at the end of a whole chunk that are no sample frame, or too few for a block of a compressed format."""
    left = 0 if data.cut else data.present % wave.frame_bytes
    if wave.encoding is None and (data.declared is None or left >= wave.least_block):
        return 0
    return left


def uneven(data: SampleData, wave: WaveFormat, code: str) -> list[Problem]:
    """A whole chunk whose length is not a number of whole sample frames or blocks."""
    left = stray_bytes(data, wave)
    # Some writers count the pad byte of an odd chunk into its size (libsndfile for AIFF, sox for GSM): one byte over,
    # an even size.
    if left == 0 or (left == 1 and data.present % 2 == 0):
        return []
    unit = "block" if wave.encoding is None else "sample frame"
    return [
        header(
            code,
            f"the samples take {data.present} bytes, which is no multiple of the {wave.frame_bytes} bytes "
            f"of one {unit}",
        )
    ]


def compressed_end(data: SampleData, wave: WaveFormat | None) -> int | None:
    """Where the last block of a compressed format ends, if stray bytes follow it that a decoder would choke on."""
    left = 0 if wave is None or wave.encoding is not None else stray_bytes(data, wave)
    return data.offset + data.present - left if left else None


def layout(data: SampleData, wave: WaveFormat, big_endian: bool) -> PcmLayout | None:
    """Where uncompressed samples lie; None for what only a decoder reads."""
    if wave.encoding is None:
        return None
    frame_bytes = wave.frame_bytes
    return PcmLayout(
        encoding=wave.encoding,
        big_endian=big_endian,
        sample_rate=wave.sample_rate,
        channels=wave.channels,
        channel_mask=wave.channel_mask,
        offset=data.offset,
        length=data.present - data.present % frame_bytes,
        declared_samples=None if data.declared is None else data.declared // frame_bytes,
    )
