"""From a file to its facts: read the container's bytes, decode every stream once, and put the two together."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from mediacheck.facts import ContainerFacts, FileFacts, MediaFacts, Problem
from mediacheck.media.channels import is_measurable
from mediacheck.media.completeness import conclude
from mediacheck.media.decoded import Decoded
from mediacheck.media.files import Hashing, require_file
from mediacheck.media.headers import read_container
from mediacheck.media.pcm import WIDTHS, decode_pcm, frame_bytes, libraries_for, parse_raw
from mediacheck.media.reading import ContainerReading, PcmLayout


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
    # FFmpeg takes 80 ms to import, which plain samples can do without.
    from mediacheck.media.ffmpeg import decode_ffmpeg

    return decode_ffmpeg(source, size, reading)


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
    return MediaFacts(libraries=decoded.libraries, file=file, container=container, streams=decoded.streams)
