"""AIFF and AIFF-C (Apple, "Audio Interchange File Format", 1989 and 1991)."""

from __future__ import annotations

import math
import struct

from mediacheck.facts import Problem
from mediacheck.media.headers.chunks import MAX_CHUNKS, Chunk, after, chain_to_end, chunk_at
from mediacheck.media.headers.problems import header, trailing_data, truncated, undecodable
from mediacheck.media.headers.sampledata import SampleData, layout, shortfall, uneven
from mediacheck.media.headers.source import Source
from mediacheck.media.headers.tags import only_tags
from mediacheck.media.headers.wav import is_placeholder
from mediacheck.media.headers.waveformat import Encoding, WaveFormat
from mediacheck.media.reading import ContainerReading

_INTEGERS: dict[int, Encoding] = {1: "s8", 2: "s16", 3: "s24", 4: "s32"}
_FIXED: dict[bytes, tuple[Encoding, bool]] = {
    b"raw ": ("u8", True),
    b"in24": ("s24", True),
    b"in32": ("s32", True),
    b"42ni": ("s24", False),
    b"23ni": ("s32", False),
    b"fl32": ("flt", True),
    b"FL32": ("flt", True),
    b"fl64": ("dbl", True),
    b"FL64": ("dbl", True),
    b"alaw": ("alaw", True),
    b"ALAW": ("alaw", True),
    b"ulaw": ("mulaw", True),
    b"ULAW": ("mulaw", True),
}


def extended(data: bytes) -> float:
    """An 80-bit IEEE 754 extended number: sign and exponent (bias 16383), then a 64-bit mantissa with its one."""
    exponent, mantissa = struct.unpack(">HQ", data)
    if exponent & 0x7FFF == 0x7FFF:
        return math.inf
    try:
        value = math.ldexp(mantissa, (exponent & 0x7FFF) - 16383 - 63)
    except OverflowError:
        return math.inf
    return -value if exponent & 0x8000 else value


def read(source: Source) -> ContainerReading:
    """Read the chunks of an AIFF file; the magic bytes are known to be right."""
    form_end = 8 + int(struct.unpack(">I", source.at(4, 4))[0])
    problems: list[Problem] = []
    comm: bytes | None = None
    data: SampleData | None = None
    boundaries: list[int] = []
    position = 12
    for _ in range(MAX_CHUNKS):
        chunk = chunk_at(source, position, ">")
        if chunk is None or chunk.id == b"FORM" or (chunk.id == b"SSND" and data is not None):
            break
        if chunk.id == b"SSND":
            data = _sample_data(source, chunk)
            if data.declared is None:
                position = source.size
                break
        if chunk.end > source.size:
            if data is None:
                message = f"the {chunk.name} chunk ends at byte {chunk.end}, the file has {source.size} bytes"
                problems.append(truncated(message))
            break
        if chunk.id == b"COMM" and comm is None:
            comm = source.at(chunk.offset, min(chunk.size, 512))
        boundaries += [chunk.end, chunk.end + chunk.size % 2]
        position = after(source, chunk, ">")

    wave, big_endian, frames = _format(comm, compressed=source.at(8, 4) == b"AIFC", problems=problems)
    if data is None:
        return _without_data(source, form_end, frames, problems)
    if data.declared is None:
        problems.append(
            header("aiff.size_placeholder", f"the SSND chunk's size is a placeholder; {data.present} bytes follow")
        )
    elif data.cut:
        frame_bytes = wave.frame_bytes if wave else 1
        problems.append(shortfall(data, frame_bytes, wave is None or wave.encoding is None, "SSND"))
    else:
        problems += _outer_sizes(source, form_end, boundaries, position)
        problems += _counts(data, wave, frames)
    if wave is not None and not any(problem.code == "aiff.sample_count" for problem in problems):
        problems += uneven(data, wave, "aiff.block_align")
    return ContainerReading(
        family="aiff",
        complete=None if data.declared is None else not data.cut,
        completeness="the SSND chunk's size is a placeholder" if data.declared is None else "by the SSND chunk's size",
        problems=tuple(problems),
        pcm=None if wave is None else layout(data, wave, big_endian),
    )


def _sample_data(source: Source, chunk: Chunk) -> SampleData:
    head = source.at(chunk.offset, 8).ljust(8, b"\0")
    shift = 8 + int(struct.unpack(">I", head[:4])[0])
    start = min(chunk.offset + shift, source.size)
    rest = source.size - start
    unknown_zero = chunk.size == 0 and not chain_to_end(source, chunk.offset, ">")
    if (chunk.end > source.size and is_placeholder(chunk.size)) or unknown_zero:
        return SampleData(start, None, rest)
    if chunk.end <= source.size:
        # A header-only file: writers that patch sizes at the end leave 8 here, the two fields and no samples.
        declared = max(chunk.size - shift, 0)
        return SampleData(start, declared, min(declared, rest))
    # The chunk reaches beyond the file, so at least one byte is missing, wherever a wild offset points.
    return SampleData(start, max(chunk.size - shift, 1), rest)


def _format(comm: bytes | None, *, compressed: bool, problems: list[Problem]) -> tuple[WaveFormat | None, bool, int]:
    if comm is None or len(comm) < 18:
        found = "has no COMM chunk" if comm is None else f"has a COMM chunk of {len(comm)} bytes, 18 are needed"
        problems.append(undecodable("aiff.bad_format", f"the file {found}"))
        return None, True, 0
    channels, frames, bits = struct.unpack(">hIh", comm[:8])
    rate = extended(comm[8:18])
    if channels < 1 or not 1 <= rate < 1 << 31:
        problems.append(undecodable("aiff.bad_format", f"the COMM chunk declares {channels} channels at {rate:g} Hz"))
        return None, True, frames
    encoding: Encoding | None
    kind = comm[18:22] if compressed and len(comm) >= 22 else b"NONE"
    if kind in _FIXED:
        encoding, big_endian = _FIXED[kind]
    elif kind in (b"NONE", b"twos", b"sowt"):
        encoding, big_endian = _INTEGERS.get((bits + 7) // 8), kind != b"sowt"
    else:
        encoding, big_endian = None, True
    # PcmLayout counts in whole hertz; a fractional rate is left to the decoder.
    if rate != int(rate):
        encoding = None
    return WaveFormat(channels, int(rate), 0, 0, bits, encoding, None), big_endian, frames


def _counts(data: SampleData, wave: WaveFormat | None, frames: int) -> list[Problem]:
    if wave is None or wave.encoding is None or data.declared is None:
        return []
    samples = data.declared // wave.frame_bytes
    if frames == samples:
        return []
    return [header("aiff.sample_count", f"the COMM chunk counts {frames} samples, the SSND chunk holds {samples}")]


def _outer_sizes(source: Source, form_end: int, boundaries: list[int], position: int) -> list[Problem]:
    problems = []
    if not {source.size, *boundaries} & {form_end - 1, form_end, form_end + 1}:
        problems.append(
            header("aiff.size_mismatch", f"the FORM header declares {form_end} bytes, the file has {source.size}")
        )
    rest = source.size - position
    # A last chunk that is cut holds no samples; the outer size has told of it.
    if rest > 1 and form_end <= source.size + 1 and not only_tags(source, position):
        problems.append(trailing_data(f"{rest} bytes follow the last chunk, which ends at byte {position}"))
    return problems


def _without_data(source: Source, form_end: int, frames: int, problems: list[Problem]) -> ContainerReading:
    cut = any(problem.code == "truncated" for problem in problems)
    if not cut and source.size < form_end - 1 and not is_placeholder(form_end - 8):
        problems.append(truncated(f"the FORM header declares {form_end} bytes, the file has {source.size}"))
        cut = True
    # The specification lets SSND be absent where COMM counts no samples.
    if cut or frames:
        problems.append(undecodable("aiff.no_data", "the file has no SSND chunk"))
    return ContainerReading(
        family="aiff",
        complete=False if cut else None,
        completeness="by the sizes of its chunks" if cut else "there is no SSND chunk whose size could be checked",
        problems=tuple(problems),
    )
