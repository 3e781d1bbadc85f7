"""What the bytes of a file say by themselves, before any decoder: ``read_container``.

One module for each family of containers. None of them reads a file whole, believes a size before it has held it
against the file, or raises on any bytes. docs/explanation/containers.md tells what each can see.
"""

from __future__ import annotations

from pathlib import Path

from mediacheck.media.headers import (
    adts,
    aiff,
    au,
    avi,
    caf,
    flac,
    matroska,
    mp3,
    mp4,
    mpegts,
    ogg,
    references,
    unread,
    w64,
    wav,
)
from mediacheck.media.headers.ebml import element_at
from mediacheck.media.headers.source import Source
from mediacheck.media.headers.tags import leading_end
from mediacheck.media.reading import ContainerReading

__all__ = ["read_container"]


def read_container(path: Path) -> ContainerReading:
    """Read the headers of the file at ``path``, recognised by its bytes and not by its name.

    Returns:
        What the container declares and whether it is there. ``family`` is None where no reader knows the bytes.

    Raises:
        OSError: if the file cannot be opened or read. No content raises.
    """
    with path.open("rb") as stream:
        return read_source(Source(stream))


def read_source(source: Source) -> ContainerReading:
    """As ``read_container``, for a file that is open."""
    head = source.at(0, 40)
    if head[8:12] == b"WAVE" and head[:4] in (b"RIFF", b"RIFX", b"RF64", b"BW64"):
        return wav.read(source)
    if head[:3] == b"RIF" and head[8:11] == b"AVI":
        return avi.read(source)
    if head[:16] == w64.RIFF and head[24:40] == w64.WAVE:
        return w64.read(source)
    if head[:4] == b"FORM" and head[8:12] in (b"AIFF", b"AIFC"):
        return aiff.read(source)
    if head[:4] == b"OggS":
        return ogg.read(source)
    if head[:4] == au.MAGIC:
        return au.read(source)
    if head[:4] == caf.MAGIC:
        return caf.read(source)
    first = element_at(source, 0)
    if first is not None and first.id == matroska.EBML:
        return matroska.read(source)
    if mp4.starts(source):
        return mp4.read(source)
    refused = references.refusal(source.at(0, references.HEAD))
    if refused is not None:
        return ContainerReading(family=None, completeness="the file is not opened", refused=refused)
    return _elementary(source)


def _elementary(source: Source) -> ContainerReading:
    """Formats that may stand behind ID3v2 tags, or that only their repeating frames give away."""
    start = leading_end(source)
    if start > source.size:
        return mp3.cut_in_tag(source, start)
    if source.at(start, 4) == b"fLaC":
        return flac.read(source, start)
    if adts.starts_at(source, start):
        return adts.read(source, start)
    packet = mpegts.packet_size(source)
    if packet is not None:
        return mpegts.read(source, packet)
    first = mp3.find(source, start)
    if first is not None:
        return mp3.read(source, first)
    return ContainerReading(family=None, completeness=unread.completeness(source.at(start, unread.HEAD)))
