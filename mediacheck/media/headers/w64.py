"""Sony Wave64: WAV with GUIDs for names, 64-bit sizes that count the chunk's own header, and 8-byte alignment."""

from __future__ import annotations

import struct

from mediacheck.facts import Problem
from mediacheck.media.headers.chunks import MAX_CHUNKS
from mediacheck.media.headers.problems import header, trailing_data, truncated, undecodable
from mediacheck.media.headers.sampledata import SampleData, compressed_end, layout, shortfall, uneven
from mediacheck.media.headers.source import Source
from mediacheck.media.headers.tags import only_tags
from mediacheck.media.headers.waveformat import WaveFormat, contradictions, parse
from mediacheck.media.reading import ContainerReading

_TAIL = bytes.fromhex("f3acd3118cd100c04f8edb8a")
RIFF = b"riff" + bytes.fromhex("2e91cf11a5d628db04c10000")
WAVE = b"wave" + _TAIL
_FMT = b"fmt " + _TAIL
_DATA = b"data" + _TAIL
_HEADER = 24
_PLACEHOLDER = 1 << 62
"""No file is that long: 2^63 - 1 and 2^64 - 1 are what writers put for "not known yet"."""


def read(source: Source) -> ContainerReading:
    """Read the chunks of a Wave64 file; the magic bytes are known to be right."""
    problems: list[Problem] = []
    wave: WaveFormat | None = None
    data: SampleData | None = None
    position = 40
    for _ in range(MAX_CHUNKS):
        head = source.exactly(position, _HEADER)
        if head is None:
            break
        name, size = head[:16], struct.unpack("<Q", head[16:])[0]
        body = position + _HEADER
        if name == _DATA:
            data = _sample_data(source, body, size)
        if size < _HEADER or (name == _DATA and data is not None and data.declared is None):
            position = source.size if name == _DATA else position
            break
        if position + size > source.size:
            if data is None:
                problems.append(truncated(f"a chunk ends at byte {position + size}, the file has {source.size} bytes"))
            break
        if name == _FMT and wave is None:
            parsed = parse(source.at(body, min(size - _HEADER, 4096)), "<")
            if isinstance(parsed, Problem):
                problems.append(parsed)
            else:
                wave = parsed
                problems += contradictions(wave)
        position += size + -size % 8
    if wave is None and not any(problem.code == "wav.bad_format" for problem in problems):
        problems.append(undecodable("wav.no_format", "the file has no fmt chunk"))
    if data is None:
        return _without_data(source, problems)
    problems += _size_problems(source, data, wave, position)
    if wave is not None and not _counts_alignment(source, data, wave):
        problems += uneven(data, wave, "wav.block_align")
    return ContainerReading(
        family="w64",
        complete=None if data.declared is None else not data.cut,
        completeness="the data chunk's size is a placeholder" if data.declared is None else "by the data chunk's size",
        problems=tuple(problems),
        pcm=None if wave is None else layout(data, wave, big_endian=False),
        media_end=compressed_end(data, wave),
    )


def _sample_data(source: Source, body: int, size: int) -> SampleData:
    rest = source.size - body
    if size >= _PLACEHOLDER or (size <= _HEADER and rest >= _HEADER):
        return SampleData(body, None, rest)
    declared = max(size - _HEADER, 0)
    return SampleData(body, declared, min(declared, rest))


def _counts_alignment(source: Source, data: SampleData, wave: WaveFormat) -> bool:
    """Whether the odd bytes at the end are the alignment to eight, which FFmpeg counts into the chunk's size."""
    odd = data.present % wave.frame_bytes
    return odd < 8 and data.present % 8 == 0 and not source.at(data.offset + data.present - odd, odd).strip(b"\0")


def _without_data(source: Source, problems: list[Problem]) -> ContainerReading:
    problems.append(undecodable("wav.no_data", "the file has no data chunk"))
    declared = struct.unpack("<Q", source.at(16, 8))[0]
    cut = any(problem.code == "truncated" for problem in problems)
    if not cut and source.size < declared < _PLACEHOLDER:
        problems.append(truncated(f"the header declares {declared} bytes, the file has {source.size}"))
        cut = True
    return ContainerReading(
        family="w64",
        complete=False if cut else None,
        completeness="by the sizes of its chunks" if cut else "there is no data chunk whose size could be checked",
        problems=tuple(problems),
    )


def _size_problems(source: Source, data: SampleData, wave: WaveFormat | None, stopped_at: int) -> list[Problem]:
    riff_size = struct.unpack("<Q", source.at(16, 8))[0]
    if data.declared is None:
        return [header("wav.size_placeholder", f"the data chunk's size is a placeholder; {data.present} bytes follow")]
    if data.cut:
        return [shortfall(data, wave.frame_bytes if wave else 1, wave is None or wave.encoding is None, "data")]
    problems = []
    data_end = data.offset + data.declared
    # Writers differ on whether the alignment bytes at the end count, or are written.
    if not any(abs(riff_size - end) < 8 for end in (source.size, data_end)):
        problems.append(
            header("wav.size_mismatch", f"the header declares {riff_size} bytes, the file has {source.size}")
        )
    rest = source.size - stopped_at
    # A last chunk that is cut holds no samples; the outer size has told of it.
    if rest > 0 and riff_size <= source.size and not only_tags(source, stopped_at):
        problems.append(trailing_data(f"{rest} bytes follow the last chunk, which ends at byte {stopped_at}"))
    return problems
