"""Formats that are known by their first bytes and left to the decoder: their headers are not read."""

from __future__ import annotations

_MAGICS: tuple[tuple[int, bytes, str], ...] = (
    (0, b"FLV\x01", "FLV"),
    (0, bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c"), "ASF"),
    (0, b"\0\0\1\xba", "MPEG-PS"),
    (0, b"\0\0\1\xb3", "MPEG video"),
    (0, bytes.fromhex("060e2b34020501010d0102"), "MXF"),
    (0, b".RMF", "RealMedia"),
    (0, b"nut/multimedia container\0", "NUT"),
    (0, b"wvpk", "WavPack"),
    (0, b"TTA1", "TTA"),
    (0, b"MAC ", "Monkey's Audio"),
    (0, b"MPCK", "Musepack"),
    (0, b"MP+", "Musepack"),
    (0, b"tBaK", "TAK"),
    (0, b"DSD ", "DSF"),
    (0, b"#!AMR", "AMR"),
    (0, b"Creative Voice File\x1a", "VOC"),
    (0, b"\x7f\xfe\x80\x01", "DTS"),
    (0, b"\x0b\x77", "AC-3"),
    (0, b"\0\0\0\1", "raw H.264 or H.265"),
    (0, b"DKIF", "IVF"),
    (0, b"YUV4MPEG2 ", "YUV4MPEG2"),
    (0, b"GIF8", "GIF"),
    (8, b"WEBP", "WebP"),
    (0, b"\x89PNG\r\n\x1a\n", "PNG"),
    (0, b"\xff\xd8\xff", "JPEG"),
)

HEAD = 32
"""Bytes of the file's start that are looked at."""


def completeness(head: bytes) -> str:
    """Why nothing can be said of whether a file that starts with these bytes is whole."""
    for offset, magic, name in _MAGICS:
        if head[offset : offset + len(magic)] == magic:
            return f"{name} headers are not read, so whether it is whole cannot be said"
    return "no format whose headers are read was recognised"
