"""The decoded samples of a file, for scorers: all channels as float32, trimmed as a player would.

Measuring keeps no samples. Here they are kept whole, which is what a model wants: n × channels × 4 bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mediacheck.errors import MediacheckError
from mediacheck.media.channels import is_measurable
from mediacheck.media.files import require_file
from mediacheck.media.headers import read_container
from mediacheck.media.pcm import open_raw
from mediacheck.media.reading import ContainerReading, PcmLayout
from mediacheck.media.scales import SCALES

if TYPE_CHECKING:
    from av.container import InputContainer

DTYPES = {"u8": np.uint8, "s16": np.int16, "s32": np.int32, "s64": np.int64, "flt": np.float32, "dbl": np.float64}
"""By FFmpeg's name of the sample format."""
BLOCK = 1 << 16
"""Samples per channel that libsndfile is asked for at a time."""


class SamplesError(MediacheckError):
    """A file has no samples that could be scored: no sound, or bytes that do not decode."""


@dataclass(frozen=True, eq=False)
class Samples:
    """The first audio stream of a file."""

    data: NDArray[np.float32]
    """Shape (n, channels), full scale 1.0. The priming and padding that the container declares are removed."""
    sample_rate: int
    """Hz."""

    @property
    def duration(self) -> Fraction:
        """Seconds, exactly."""
        return Fraction(len(self.data), self.sample_rate)


def read_samples(path: Path) -> Samples:
    """Decode the first audio stream of a file.

    The count is the one that ``measure`` states as ``samples``. PCM is read where the header says it lies, Vorbis in
    Ogg by libsndfile, all else by FFmpeg.

    Args:
        path: a regular file.

    Raises:
        PathError: the file is not there or cannot be read.
        SamplesError: it holds no audio stream, or one that cannot be decoded to its end.
    """
    require_file(path)
    reading = read_container(path)
    if reading.refused:
        raise SamplesError(f"{path.name} is not opened: {reading.refused}")
    if reading.pcm is not None:
        return _pcm(path, reading.pcm)
    return _ffmpeg(path, reading)


def _pcm(path: Path, pcm: PcmLayout) -> Samples:
    if not is_measurable(pcm.sample_rate, pcm.channels):
        raise SamplesError(f"{path.name}: no sound has {pcm.channels} channels at {pcm.sample_rate} Hz")
    if not pcm.length:
        return Samples(np.empty((0, pcm.channels), np.float32), pcm.sample_rate)
    with path.open("rb", buffering=0) as file, open_raw(file, pcm) as raw:
        return Samples(_joined(raw.blocks(BLOCK, dtype="float32", always_2d=True), pcm.channels), pcm.sample_rate)


def _ffmpeg(path: Path, reading: ContainerReading) -> Samples:
    # FFmpeg takes 80 ms to import, which plain samples can do without.
    import av

    from mediacheck.media.container import open_container
    from mediacheck.media.log import error_log
    from mediacheck.media.vorbis import is_plain_vorbis

    try:
        with error_log(), open_container(path, reading) as container:
            if not container.streams.audio:
                raise SamplesError(f"{path.name} has no audio stream")
            if is_plain_vorbis(container):
                return _vorbis(path)
            return _stream(path, container, reading)
    except (av.FFmpegError, ValueError, LookupError) as error:
        raise SamplesError(f"{path.name} cannot be decoded: {getattr(error, 'strerror', None) or error}") from error


def _stream(path: Path, container: InputContainer, reading: ContainerReading) -> Samples:
    from mediacheck.media.tracks import audio_planes, played_of

    stream = container.streams.audio[0]
    stream.codec_context.thread_count = 1
    form: tuple[int, int] | None = None

    def blocks() -> Iterator[NDArray[np.float32]]:
        nonlocal form
        for packet in container.demux(stream):
            for frame in packet.decode():
                channels = frame.layout.nb_channels
                found = (frame.sample_rate, channels)
                if form is not None and found != form:
                    raise SamplesError(f"{path.name} changes its sample rate or channels on the way")
                form = found
                kind = frame.format.name.removesuffix("p")
                planes = audio_planes(frame)
                count = frame.samples * channels // len(planes)
                rows = np.stack([np.frombuffer(memoryview(plane), DTYPES[kind], count) for plane in planes])
                yield scaled(rows.T if frame.format.is_planar else rows.reshape(-1, channels), kind)

    pieces = list(blocks())
    if form is None:
        raise SamplesError(f"{path.name}: no packet of its audio stream decodes")
    data = _joined(iter(pieces), form[1])
    played = played_of(stream, reading, form[0])
    limit = None if played is None else played.limit(stream.codec_context.codec.canonical_name)
    return Samples(data[:limit], form[0])


def _vorbis(path: Path) -> Samples:
    # FFmpeg loses the first block of Vorbis in Ogg.
    import soundfile

    try:
        with path.open("rb") as file, soundfile.SoundFile(file) as sound:
            blocks = sound.blocks(BLOCK, dtype="float32", always_2d=True)
            return Samples(_joined(blocks, sound.channels), sound.samplerate)
    except soundfile.LibsndfileError as error:
        raise SamplesError(f"{path.name} cannot be decoded: {error}") from error


def scaled(values: NDArray[np.generic], kind: str) -> NDArray[np.float32]:
    """Samples as a decoder gives them, of FFmpeg's type ``kind`` (``s16``), with full scale 1.0."""
    if kind == "flt":
        return np.asarray(values, np.float32)
    stored, wide = np.ascontiguousarray(values), np.empty(values.shape)
    SCALES[kind].read(stored.ctypes.data, stored.itemsize, stored.size, wide.ctypes.data)
    return wide.astype(np.float32)


def _joined(blocks: Iterator[NDArray[np.float32]], channels: int) -> NDArray[np.float32]:
    pieces = list(blocks)
    return np.concatenate(pieces) if pieces else np.empty((0, channels), np.float32)
