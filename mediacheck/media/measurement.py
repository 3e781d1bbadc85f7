"""From a file to its facts: read the container's bytes, decode every stream once, and put the two together."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from mediacheck.errors import UsageError
from mediacheck.facts import ContainerFacts, FileFacts, MediaFacts, Problem
from mediacheck.media.audio_meter import AudioMeter
from mediacheck.media.channels import MAX_CHANNELS, is_measurable, names_of
from mediacheck.media.completeness import conclude
from mediacheck.media.decoded import Decoded
from mediacheck.media.files import Hashing, require_file
from mediacheck.media.headers import read_container
from mediacheck.media.pcm import WIDTHS, decode_pcm, frame_bytes, libraries_for, parse_raw, sound_facts
from mediacheck.media.reading import ContainerReading, PcmLayout
from mediacheck.media.scales import SCALES

# By numpy's name of a sample's type, without its byte order.
ARRAY_SCALES = {
    "u1": SCALES["u8"],
    "i2": SCALES["s16"],
    "i4": SCALES["s32"],
    "f2": SCALES["flt"],
    "f4": SCALES["flt"],
    "f8": SCALES["dbl"],
}


def measure(source: Path, *, name: str, raw: str | None = None) -> MediaFacts:
    """Measure one file. Whatever is wrong with the media is among the facts, not an exception.

    Args:
        source: a regular file.
        name: what the facts call it.
        raw: ``ENCODING:RATE:CHANNELS`` of a file without a header, ``s16le:24000:1``.

    Raises:
        PathError: the file is not there or cannot be read.
        UsageError: ``raw`` is malformed.
    """
    size = require_file(source)
    layout = parse_raw(raw, size) if raw else None
    hashing = Hashing(source, name)
    if layout is not None and raw is not None:
        reading, decoded = ContainerReading(family=None), _raw(source, size, layout, raw.split(":")[0])
    else:
        reading = read_container(source)
        decoded = _decoded(source, size, reading)
    return _facts(hashing.result(), decoded, reading)


def _decoded(source: Path, size: int, reading: ContainerReading) -> Decoded:
    if reading.refused:
        problem = Problem(code="refused", message=reading.refused, affects="decodable")
        return Decoded(ContainerFacts(format=None, problems=(problem,)))
    if reading.pcm is not None:
        return _pcm(source, reading, reading.pcm)
    # FFmpeg takes a fifth of a second to import, which plain samples can do without.
    from mediacheck.media.ffmpeg import decode_ffmpeg

    return decode_ffmpeg(source, size, reading)


def measure_array(samples: ArrayLike, sample_rate: int, *, name: str) -> MediaFacts:
    """Measure samples in memory.

    Args:
        samples: shape (n,) or (n, channels); floats with full scale 1.0, or int16 / int32 / uint8 as stored.
        sample_rate: Hz.
        name: what the facts call them.

    Raises:
        UsageError: the array or the rate is none of these.
    """
    array = np.asarray(samples)
    scale = ARRAY_SCALES.get(array.dtype.str[1:])
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or not 1 <= array.shape[1] <= MAX_CHANNELS or scale is None:
        raise UsageError(
            f"an array of shape {np.shape(samples)} and type {array.dtype} is not audio; "
            "give (n,) or (n, channels) of float16, float32, float64, int16, int32 or uint8"
        )
    if isinstance(sample_rate, bool) or int(sample_rate) != sample_rate or not is_measurable(int(sample_rate), 1):
        raise UsageError(f"sample_rate {sample_rate!r} is not a whole number of Hz above zero")
    meter = AudioMeter(names_of(array.shape[1]), int(sample_rate), scale)
    meter.input.add_interleaved(array)
    stream = sound_facts(meter, int(sample_rate), codec=None, sample_format=array.dtype.name)
    data = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False)).tobytes()
    file = FileFacts(name=name, bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
    container = ContainerFacts(format="array", completeness="an array in memory declares no length")
    return _facts(file, Decoded(container, (stream,)), ContainerReading(family=None))


def _pcm(source: Path, reading: ContainerReading, pcm: PcmLayout) -> Decoded:
    if not is_measurable(pcm.sample_rate, pcm.channels):
        message = f"the header states {pcm.channels} channels at {pcm.sample_rate} Hz, which no sound has"
        problem = Problem(code="impossible_format", message=message, affects="decodable")
        return Decoded(ContainerFacts(format=reading.family, problems=(problem,)))
    stream = decode_pcm(source, pcm)
    container = ContainerFacts(
        format=reading.family,
        declared_duration=stream.declared_duration,
        start=Fraction(0),
        bit_rate=_pcm_bit_rate(pcm),
    )
    return Decoded(container, (stream,), libraries_for(pcm))


def _raw(source: Path, size: int, pcm: PcmLayout, format_name: str) -> Decoded:
    left = size - pcm.length
    message = (
        f"the last {left} bytes are no whole sample frame of {frame_bytes(pcm)} bytes: "
        "the file is cut, or its layout is another"
    )
    container = ContainerFacts(
        format=format_name,
        bit_rate=_pcm_bit_rate(pcm),
        complete=False if left else None,
        completeness="by the size of a sample frame" if left else "raw PCM declares no length",
        problems=(Problem(code="raw.partial_frame", message=message, affects="complete"),) if left else (),
    )
    return Decoded(container, (decode_pcm(source, pcm),), libraries_for(pcm))


def _pcm_bit_rate(pcm: PcmLayout) -> int:
    return pcm.sample_rate * pcm.channels * WIDTHS[pcm.encoding] * 8


def _facts(file: FileFacts, decoded: Decoded, reading: ContainerReading) -> MediaFacts:
    """Hold what was decoded against what the bytes promise."""
    container = conclude(decoded.container, decoded.streams, reading)
    libraries = msgspec.structs.replace(decoded.libraries, numpy=np.__version__)
    return MediaFacts(libraries=libraries, file=file, container=container, streams=decoded.streams)
