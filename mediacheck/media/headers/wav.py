"""WAV: RIFF, RIFX (big-endian), RF64 and BW64 (EBU Tech 3306, ITU-R BS.2088: 64-bit sizes in a ``ds64`` chunk)."""

from __future__ import annotations

import re
import struct

from mediacheck.facts import Problem
from mediacheck.media.headers.chunks import MAX_CHUNKS, ByteOrder, Chunk, after, chain_to_end, chunk_at
from mediacheck.media.headers.problems import header, trailing_data, truncated, undecodable
from mediacheck.media.headers.sampledata import SampleData, compressed_end, layout, shortfall, uneven
from mediacheck.media.headers.source import Source
from mediacheck.media.headers.tags import only_tags
from mediacheck.media.headers.waveformat import WaveFormat, contradictions, parse
from mediacheck.media.reading import ContainerReading

_UNKNOWN = 0xFFFFFFFF
_FORMS = (b"RIFF", b"RIFX", b"RF64", b"BW64")
_START = re.compile(rb"RIFF....WAVEfmt ", re.DOTALL)
_START_BYTES = 16
_BLOCK = 1 << 20


def is_placeholder(size: int) -> bool:
    """Whether a 32-bit size is one that writers use for "not known yet" (see CHECKS: ``media.header``)."""
    return 0x7FFF0000 <= size <= 0x7FFFFFFF or 0xFFFF0000 <= size <= 0xFFFFFFFF or size == 2_000_000_000


class _Walk:
    """One pass over the chunks of the file."""

    def __init__(self, source: Source) -> None:
        self.source = source
        magic = source.at(0, 4)
        self.order: ByteOrder = ">" if magic == b"RIFX" else "<"
        self.riff_size: int = struct.unpack(self.order + "I", source.at(4, 4))[0]
        self.large = magic in (b"RF64", b"BW64")
        self.sizes: dict[bytes, int] = {}
        self.fmt: bytes | None = None
        self.fact: int | None = None
        self.data: SampleData | None = None
        self.data_size = 0
        """As declared, in the ds64 chunk where that gives it."""
        self.cut: Chunk | None = None
        self.boundaries: list[int] = []
        self.stopped_at = 12
        self._run()

    def _run(self) -> None:
        position = 12
        for _ in range(MAX_CHUNKS):
            self.stopped_at = position
            chunk = chunk_at(self.source, position, self.order)
            if chunk is None or chunk.id in _FORMS or (chunk.id == b"data" and self.data is not None):
                return
            if chunk.size == _UNKNOWN and chunk.id in self.sizes:
                chunk = chunk._replace(size=self.sizes[chunk.id])
            if chunk.id == b"data":
                chunk = self._take_data(chunk)
            elif chunk.end > self.source.size:
                self.cut = chunk
                return
            else:
                self._take(chunk)
            if self.data is not None:
                self.boundaries += [chunk.end, chunk.end + chunk.size % 2]
            if chunk.end >= self.source.size:
                self.stopped_at = self.source.size
                return
            position = after(self.source, chunk, self.order)

    def _take(self, chunk: Chunk) -> None:
        body = self.source.at(chunk.offset, min(chunk.size, 4096))
        if chunk.id == b"fmt " and self.fmt is None:
            self.fmt = body
        elif chunk.id == b"fact" and len(body) >= 4:
            self.fact = struct.unpack(self.order + "I", body[:4])[0]
        elif chunk.id == b"ds64" and len(body) >= 24 and not self.sizes:
            riff, data, _samples = struct.unpack(self.order + "QQQ", body[:24])
            self.sizes = {b"RIFF": riff, b"data": data}
            for start in range(28, len(body) - 11, 12):
                self.sizes[body[start : start + 4]] = struct.unpack(self.order + "Q", body[start + 4 : start + 12])[0]

    def _take_data(self, chunk: Chunk) -> Chunk:
        rest = self.source.size - chunk.offset
        self.data_size = chunk.size
        from_ds64 = b"data" in self.sizes and chunk.size == self.sizes[b"data"]
        empty = chunk.size == 0 and chain_to_end(self.source, chunk.offset, self.order)
        beyond = chunk.size > rest
        unknown = (is_placeholder(chunk.size) and not from_ds64) or chunk.size >= 1 << 62
        if (beyond and unknown) or (chunk.size == 0 and not empty):
            self.data = SampleData(chunk.offset, None, rest)
            return chunk._replace(size=rest)
        self.data = SampleData(chunk.offset, chunk.size, min(chunk.size, rest))
        return chunk

    @property
    def riff_end(self) -> int:
        if self.large and self.riff_size == _UNKNOWN:
            return 8 + self.sizes.get(b"RIFF", _UNKNOWN)
        return 8 + self.riff_size


def read(source: Source) -> ContainerReading:
    """Read the chunks of a WAV file; the magic bytes are known to be right."""
    walk = _Walk(source)
    problems: list[Problem] = []
    wave: WaveFormat | None = None
    if walk.fmt is None:
        problems.append(undecodable("wav.no_format", "the file has no fmt chunk"))
    else:
        parsed = parse(walk.fmt, walk.order)
        if isinstance(parsed, Problem):
            problems.append(parsed)
        else:
            wave = parsed
            problems += contradictions(wave)
    if walk.data is None:
        return _without_data(walk, problems)
    data = walk.data
    problems += _size_problems(walk, data, wave)
    if wave is not None:
        problems += uneven(data, wave, "wav.block_align")
        problems += _count_problems(walk, data, wave)
    return ContainerReading(
        family="wav",
        complete=None if data.declared is None else not data.cut,
        completeness="the data chunk's size is a placeholder" if data.declared is None else "by the data chunk's size",
        problems=tuple(problems),
        pcm=None if wave is None else layout(data, wave, walk.order == ">"),
        media_end=compressed_end(data, wave),
    )


def _without_data(walk: _Walk, problems: list[Problem]) -> ContainerReading:
    size = walk.source.size
    problems.append(undecodable("wav.no_data", "the file has no data chunk"))
    declared = None if walk.riff_end >= 8 + 0x7FFF0000 and not walk.sizes else walk.riff_end
    cut = True
    if walk.cut is not None:
        problems.append(truncated(f"the {walk.cut.name} chunk ends at byte {walk.cut.end}, the file has {size} bytes"))
    elif declared is not None and declared > size + 1:
        problems.append(truncated(f"the RIFF header declares {declared} bytes, the file has {size}"))
    elif size - walk.stopped_at in range(1, 8):
        problems.append(truncated(f"the file ends inside a chunk header at byte {size}"))
    else:
        cut = False
    return ContainerReading(
        family="wav",
        complete=False if cut else None,
        completeness="by the sizes of its chunks" if cut else "there is no data chunk whose size could be checked",
        problems=tuple(problems),
    )


def _size_problems(walk: _Walk, data: SampleData, wave: WaveFormat | None) -> list[Problem]:
    if data.declared is None:
        message = (
            f"the data chunk's size is the placeholder {walk.data_size} (0x{walk.data_size:X}); "
            f"{data.present} bytes of samples follow"
        )
        return [header("wav.size_placeholder", message), *_second_header(walk.source, data)]
    if data.cut:
        return [shortfall(data, wave.frame_bytes if wave else 1, wave is None or wave.encoding is None, "data")]
    problems = []
    size = walk.source.size
    in_ds64 = walk.sizes.get(b"data", 0)
    if in_ds64 and walk.data_size != in_ds64:
        message = f"the data chunk declares {walk.data_size} bytes, the ds64 chunk {in_ds64}"
        problems.append(header("wav.size_mismatch", message))
    right_ends = {size, *walk.boundaries}
    if not right_ends & {walk.riff_end - 1, walk.riff_end, walk.riff_end + 1}:
        problems.append(
            header(
                "wav.size_mismatch",
                f"the RIFF header declares {walk.riff_end} bytes, the file has {size}; the samples are whole",
            )
        )
    rest = size - walk.stopped_at
    # A last chunk that is cut holds no samples; the RIFF size above has told of it.
    announced = walk.cut is not None and walk.riff_end > size + 1
    if rest > 1 and not announced and not only_tags(walk.source, walk.stopped_at):
        problems.append(trailing_data(f"{rest} bytes follow the declared end of the file at byte {walk.stopped_at}"))
    return problems


def _second_header(source: Source, data: SampleData) -> list[Problem]:
    """A file that was appended to a streamed one, whose header is heard as samples.

    Only a placeholder leaves room for it: a declared size shows the second file as what follows the end.
    """
    position = data.offset
    while position < source.size:
        block = source.at(position, _BLOCK)
        for match in _START.finditer(block):
            start = position + match.start()
            fmt = chunk_at(source, start + 12, "<")
            # Sixteen bytes agree by chance nowhere, but a whole header is asked for all the same.
            if fmt is not None and 14 <= fmt.size <= 4096 and chunk_at(source, after(source, fmt, "<"), "<"):
                message = f"a second WAV header stands at byte {start}, among the samples: the file is two files joined"
                return [header("wav.second_header", message)]
        if len(block) < _START_BYTES:
            break
        position += len(block) - (_START_BYTES - 1)
    return []


def _count_problems(walk: _Walk, data: SampleData, wave: WaveFormat) -> list[Problem]:
    if wave.encoding is None or data.declared is None or data.cut or not walk.fact or is_placeholder(walk.fact):
        return []
    samples = data.declared // wave.frame_bytes
    # The first WAV specification could be read as counting the samples of all channels together.
    if walk.fact in (samples, samples * wave.channels):
        return []
    return [header("wav.sample_count", f"the fact chunk counts {walk.fact} samples, the data chunk holds {samples}")]
