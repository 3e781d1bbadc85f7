"""Opens a container with FFmpeg so that media can make it open nothing else, and states what the container says."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import BinaryIO

import av
import av.container

from mediacheck.facts import ContainerFacts, Problem, Tag
from mediacheck.media.files import Window
from mediacheck.media.reading import ContainerReading

# Demuxers of single, self-contained files. Left out on purpose: playlists (hls, dash, concat, ...), which open what
# the media names, image sequences, devices, and raw formats that take any bytes for media.
FORMATS = (
    "aac,ac3,eac3,aiff,amr,ape,asf,au,avi,caf,dts,dtshd,dv,flac,flv,gif,gxf,h264,hevc,ivf,loas,m4v,matroska,webm,mov,"
    "mp4,mp3,mpeg,mpegts,mpegvideo,mxf,nsv,nut,obu,ogg,rm,tak,truehd,tta,vc1,voc,w64,wav,webp,wsd,wtv,wv,xwma,"
    "yuv4mpegpipe,av1,sox,caf,mlp,mpc,mpc8,mlv,smk,roq,vvc,evc,lmlm4"
)
OPTIONS = {"protocol_whitelist": "file,fd,pipe", "format_whitelist": FORMATS}
DEMUXERS = frozenset({"mp3", "ogg"})
"""Families that have one name here and in FFmpeg, and whose headers may account for a file to its end."""

NO_FORMAT = "its bytes are no media format"
# What is stored under a media name when something else went wrong: lower-cased first bytes.
SIGNATURES = (
    (b"<!doctype html", "an HTML page"),
    (b"<html", "an HTML page"),
    (b"{", "JSON text"),
    (b"[", "JSON text"),
    (b"<", "XML text"),
    (b"\x89png", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"pk\x03\x04", "a ZIP archive"),
    (b"%pdf", "a PDF document"),
    (b"\x1f\x8b", "gzip data"),
)


def open_container(path: Path, reading: ContainerReading) -> av.container.InputContainer:
    """Open ``path`` for demuxing, up to the end of its media.

    Raises:
        av.FFmpegError: FFmpeg does not recognise the bytes, or refuses them.
    """
    # Where the header accounts for all of the file there is no doubt whose it is. FFmpeg would ask each demuxer, which
    # takes as long as opening a short file.
    demuxer = reading.family if reading.complete and reading.family in DEMUXERS else None
    return av.open(_source(path, reading.media_end), "r", demuxer, options=OPTIONS, metadata_errors="replace")


def _source(path: Path, end: int | None) -> str | BinaryIO | Window:
    """What FFmpeg is to read."""
    if end is not None:
        # What follows is no media, and FFmpeg would decode it, or count the end's padding from the wrong place.
        return Window(path.open("rb", buffering=0), 0, end)
    name = str(path)
    try:
        name.encode()
    except UnicodeEncodeError:
        # A name that is not UTF-8 cannot go through PyAV; the open file can.
        return path.open("rb")
    # "file:" keeps a name such as "http:a.wav" or "concat:b" a file name.
    return f"file:{name}"


def describe(container: av.container.InputContainer) -> ContainerFacts:
    """What the demuxer says of the container, in exact microseconds."""
    return ContainerFacts(
        format=container.format.name,
        declared_duration=_microseconds(container.duration),
        start=_microseconds(container.start_time),
        bit_rate=container.bit_rate or None,
        tags=tuple(Tag(key=k, value=str(v)) for k, v in sorted(container.metadata.items())),
    )


def _microseconds(value: int | None) -> Fraction | None:
    return None if value is None else Fraction(value, av.time_base)


def not_media(path: Path, size: int, family: str | None) -> Problem:
    """Why FFmpeg opens nothing: ``family`` is what the bytes begin as; hints tell what is plainly something else."""
    if size == 0:
        return Problem(code="empty", message="the file is empty (0 bytes)", affects="decodable")
    with path.open("rb") as file:
        head = file.read(512)
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    what = f"it begins as {family} does, and holds nothing that can be decoded" if family else NO_FORMAT
    if not any(head):
        what = "its bytes are all zero"
    for start, name in SIGNATURES:
        if text.startswith(start):
            what = f"it holds {name}"
            break
    return Problem(code="not_media", message=f"the file cannot be read as media: {what}", affects="decodable")
