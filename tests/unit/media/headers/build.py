"""Small containers built by hand, field by field, so that each test can bend the one field that it is about."""

from __future__ import annotations

import io
import struct

from mediacheck.media.headers import read_source
from mediacheck.media.headers.source import Source
from mediacheck.media.reading import ContainerReading

SAMPLES = bytes(range(1, 201)) * 10
"""2000 bytes: 1000 samples of 16 bits, no zero among them and no chunk name."""


def read(data: bytes) -> ContainerReading:
    return read_source(Source(io.BytesIO(data)))


def codes(reading: ContainerReading) -> list[tuple[str, str]]:
    return [(problem.code, problem.affects) for problem in reading.problems]


def chunk(name: bytes, body: bytes, size: int | None = None, order: str = "<", pad: bool = True) -> bytes:
    declared = len(body) if size is None else size
    return name + struct.pack(order + "I", declared) + body + (b"\0" if pad and len(body) % 2 else b"")


def fmt(tag: int = 1, channels: int = 1, rate: int = 24000, bits: int = 16, align: int | None = None,
        byte_rate: int | None = None, order: str = "<") -> bytes:  # fmt: skip
    align = channels * ((bits + 7) // 8) if align is None else align
    byte_rate = rate * align if byte_rate is None else byte_rate
    return struct.pack(order + "HHIIHH", tag, channels, rate, byte_rate, align, bits)


def wav(*chunks: bytes, riff_size: int | None = None, magic: bytes = b"RIFF", order: str = "<") -> bytes:
    body = b"WAVE" + b"".join(chunks)
    return magic + struct.pack(order + "I", len(body) if riff_size is None else riff_size) + body


def simple_wav(
    data: bytes = SAMPLES, size: int | None = None, tail: bytes = b"", riff_size: int | None = None
) -> bytes:
    return wav(chunk(b"fmt ", fmt()), chunk(b"data", data, size), tail, riff_size=riff_size)


def rf64(data: bytes = SAMPLES, data_size: int | None = None, size32: int = 0xFFFFFFFF) -> bytes:
    size = len(data) if data_size is None else data_size
    total = 12 + 36 + 24 + 8 + len(data) - 8
    ds64 = struct.pack("<QQQI", total, size, size // 2, 0)
    chunks = chunk(b"ds64", ds64), chunk(b"fmt ", fmt()), chunk(b"data", data, size32)
    return wav(*chunks, riff_size=0xFFFFFFFF, magic=b"RF64")


def w64_chunk(name: bytes, body: bytes, size: int | None = None) -> bytes:
    guid = name + bytes.fromhex("f3acd3118cd100c04f8edb8a")
    return guid + struct.pack("<Q", 24 + len(body) if size is None else size) + body + bytes(-len(body) % 8)


def w64(data: bytes = SAMPLES, size: int | None = None, riff_size: int | None = None, tail: bytes = b"") -> bytes:
    wave = b"wave" + bytes.fromhex("f3acd3118cd100c04f8edb8a")
    body = wave + w64_chunk(b"fmt ", fmt()) + w64_chunk(b"data", data, size)
    total = 24 + len(body) if riff_size is None else riff_size
    return b"riff" + bytes.fromhex("2e91cf11a5d628db04c10000") + struct.pack("<Q", total) + body + tail


def extended(value: int) -> bytes:
    exponent = value.bit_length() - 1
    return struct.pack(">HQ", 16383 + exponent, value << (63 - exponent))


def comm(frames: int, bits: int = 16, channels: int = 1, rate: int = 24000, kind: bytes | None = None) -> bytes:
    body = struct.pack(">hIh", channels, frames, bits) + extended(rate)
    return chunk(b"COMM", body + (kind + b"\0\0" if kind else b""), order=">")


def aiff(data: bytes = SAMPLES, frames: int | None = None, ssnd_size: int | None = None, kind: bytes | None = None,
         bits: int = 16, offset: int = 0, tail: bytes = b"", form_size: int | None = None) -> bytes:  # fmt: skip
    frames = len(data) * 8 // bits if frames is None else frames
    ssnd = chunk(b"SSND", struct.pack(">II", offset, 0) + bytes(offset) + data, ssnd_size, ">")
    body = (b"AIFC" if kind else b"AIFF") + comm(frames, bits, kind=kind) + ssnd
    size = len(body) + len(tail) if form_size is None else form_size
    return b"FORM" + struct.pack(">I", size) + body + tail


def streaminfo(samples: int, rate: int = 44100) -> bytes:
    packed = rate << 44 | 0 << 41 | 15 << 36 | samples
    return struct.pack(">HH", 4096, 4096) + bytes(6) + packed.to_bytes(8, "big") + bytes(16)


def flac(samples: int = 1000, frames: bytes = SAMPLES) -> bytes:
    comment = b"\x84" + (40).to_bytes(3, "big") + bytes(40)
    return b"fLaC" + b"\0" + (34).to_bytes(3, "big") + streaminfo(samples) + comment + frames


MP3_HEAD = bytes.fromhex("fffb90c4")
"""MPEG-1 layer III, 128 kb/s at 44.1 kHz, mono: 417 bytes, 1152 samples a frame."""
MP3_LENGTH = 417


def mp3_frame(payload: bytes = b"") -> bytes:
    return (MP3_HEAD + payload).ljust(MP3_LENGTH, b"\x55")


def xing(
    frames: int | None, size: int | None, delay: int = 576, padding: int = 600, lame: bytes = b"LAME3.100"
) -> bytes:
    flags = (frames is not None) | (size is not None) << 1
    fields = b"".join(struct.pack(">I", value) for value in (frames, size) if value is not None)
    tag = lame + bytes(12) + (delay << 12 | padding).to_bytes(3, "big") + bytes(12)
    return mp3_frame(bytes(17) + b"Info" + struct.pack(">I", flags) + fields + tag)


def mp3(frames: int = 10, size: int | None = None) -> bytes:
    total = (frames + 1) * MP3_LENGTH if size is None else size
    return xing(frames, total) + mp3_frame() * frames


def id3v2(size: int = 100) -> bytes:
    return b"ID3\4\0\0" + bytes((size >> 21 & 127, size >> 14 & 127, size >> 7 & 127, size & 127)) + bytes(size)


def adts_frame(length: int = 200) -> bytes:
    head = bytes((0xFF, 0xF1, 0x50, 0x40 | length >> 11, length >> 3 & 0xFF, (length & 7) << 5 | 0x1F, 0xFC))
    return head.ljust(length, b"\x2a")


def ogg_checksum(data: bytes) -> int:
    """RFC 3533, section 6, bit by bit: CRC-32 with generator 0x04C11DB7, highest bit first, from 0."""
    register = 0
    for byte in data:
        register ^= byte << 24
        for _ in range(8):
            register = (register << 1 ^ (0x04C11DB7 if register & 0x80000000 else 0)) & 0xFFFFFFFF
    return register


def page(serial: int, flags: int, granule: int, packet: bytes, sequence: int = 0) -> bytes:
    lacing = b"\xff" * (len(packet) // 255) + bytes((len(packet) % 255,))
    fields = struct.pack("<BqII", flags, granule, serial, sequence)
    rest = bytes((len(lacing),)) + lacing + packet
    checksum = ogg_checksum(b"OggS\0" + fields + bytes(4) + rest)
    return b"OggS\0" + fields + struct.pack("<I", checksum) + rest


OPUS_HEAD = b"OpusHead\1\1" + struct.pack("<HIhB", 312, 48000, 0, 0)
OPUS_PACKET = b"\xfc" + b"\x11" * 100
"""CELT, 20 ms: 960 samples."""


def opus(serial: int = 7, pages: int = 5, first_granule: int = 960, last_flags: int = 4) -> bytes:
    return b"".join(opus_pages(serial, pages, first_granule, last_flags))


def opus_pages(serial: int = 7, pages: int = 5, first_granule: int = 960, last_flags: int = 4) -> list[bytes]:
    """The two header pages, then one page for each packet."""
    parts = [page(serial, 2, 0, OPUS_HEAD), page(serial, 0, 0, b"OpusTags" + bytes(20), 1)]
    for index in range(pages):
        flags = last_flags if index == pages - 1 else 0
        parts.append(page(serial, flags, first_granule + 960 * index, OPUS_PACKET, 2 + index))
    return parts


def box(name: bytes, *parts: bytes, size: int | None = None) -> bytes:
    body = b"".join(parts)
    return struct.pack(">I", 8 + len(body) if size is None else size) + name + body


def full(name: bytes, *parts: bytes, version: int = 0, flags: int = 0) -> bytes:
    return box(name, struct.pack(">I", version << 24 | flags), *parts)


def integers(*values: int, code: str = "I") -> bytes:
    return struct.pack(f">{len(values)}{code}", *values)


def trak(sizes: list[int], offsets: list[int], *, edits: bytes = b"", dref: bytes | None = None,
         large: bool = False, count: int | None = None) -> bytes:  # fmt: skip
    """One chunk for each two samples."""
    stco = full(b"co64" if large else b"stco", integers(len(offsets)), integers(*offsets, code="Q" if large else "I"))
    stbl = box(
        b"stbl",
        full(b"stsz", integers(0, len(sizes) if count is None else count, *sizes)),
        full(b"stsc", integers(1, 1, 2, 1)),
        stco,
    )
    dref = full(b"url ", flags=1) if dref is None else dref
    dinf = box(b"dinf", full(b"dref", integers(1), dref))
    mdhd = full(b"mdhd", integers(0, 0, 48000, 96000, 0))
    tkhd = full(b"tkhd", integers(0, 0, 1, 0, 0))
    return box(b"trak", tkhd, edits, box(b"mdia", mdhd, box(b"minf", dinf, stbl)))


def edit_list(*entries: tuple[int, int]) -> bytes:
    rows = b"".join(struct.pack(">Iii", duration, media_time, 1 << 16) for duration, media_time in entries)
    return box(b"edts", full(b"elst", integers(len(entries)), rows))


MVHD = full(b"mvhd", integers(0, 0, 1000, 2000), bytes(80))
FTYP = box(b"ftyp", b"isom", integers(512), b"isom")


def mp4(
    sizes: list[int] | None = None, *, moov_first: bool = True, mdat_size: int | None = None, **options: object
) -> bytes:
    """Six samples in three chunks of one mdat, with the index before or after it."""
    sizes = [100, 200, 300, 400, 500, 500] if sizes is None else sizes
    media = SAMPLES[: sum(sizes)]

    def moov(start: int) -> bytes:
        offsets = [start + sum(sizes[:index]) for index in range(0, len(sizes), 2)]
        return box(b"moov", MVHD, trak(sizes, offsets, **options))  # type: ignore[arg-type]

    mdat = box(b"mdat", media, size=mdat_size)
    if moov_first:
        return FTYP + moov(len(FTYP) + len(moov(0)) + 8) + mdat
    return FTYP + mdat + moov(len(FTYP) + 8)


def fragment(sequence: int, start: int, samples: int = 10, data: bytes = SAMPLES[:500]) -> bytes:
    traf = box(
        b"traf",
        full(b"tfhd", integers(1), flags=0x020000),
        full(b"tfdt", integers(start)),
        full(b"trun", integers(samples)),
    )
    return box(b"moof", full(b"mfhd", integers(sequence)), traf) + box(b"mdat", data)


def fragmented(fragments: int = 3, *, mehd: int | None = None, tail: bytes = b"") -> bytes:
    """Fragments of ten samples of 1024 ticks at 48 kHz, hence 640/3 ms each."""
    extends = full(b"trex", integers(1, 1, 1024, 0, 0))
    mvex = box(b"mvex", b"" if mehd is None else full(b"mehd", integers(mehd)), extends)
    moov = box(b"moov", MVHD, trak([], []), mvex)
    return FTYP + moov + b"".join(fragment(index, 10240 * index) for index in range(fragments)) + tail


def fragment_index(*offsets: int, wide: bool = False, tail: bytes = b"") -> bytes:
    """mfra with one entry for each offset: time, offset of the moof, and one-byte traf, trun and sample numbers."""
    code = ">QQ" if wide else ">II"
    entries = b"".join(struct.pack(code, 0, offset) + b"\1\1\1" for offset in offsets)
    tfra = full(b"tfra", integers(1, 0, len(offsets)), entries, version=int(wide))
    return box(b"mfra", tfra, tail, full(b"mfro", integers(24)))


def fragment_offsets(data: bytes) -> list[int]:
    """Where each moof box of ``data`` starts."""
    return [index - 4 for index in range(len(data)) if data.startswith(b"moof", index)]


def indexed_fragments(count: int = 3) -> bytes:
    data = fragmented(count)
    return data + fragment_index(*fragment_offsets(data))


def au(data: bytes = SAMPLES, size: int | None = None, encoding: int = 3, note: bytes = bytes(8)) -> bytes:
    """16 bits at 24 kHz, mono (encoding 3)."""
    declared = len(data) if size is None else size
    return b".snd" + integers(24 + len(note), declared, encoding, 24000, 1) + note + data


def caf_chunk(name: bytes, body: bytes, size: int | None = None) -> bytes:
    return name + struct.pack(">q", len(body) if size is None else size) + body


def caf(data: bytes = SAMPLES, size: int | None = None, kind: bytes = b"lpcm", packet_bytes: int = 2,
        tail: bytes = b"") -> bytes:  # fmt: skip
    desc = struct.pack(">d", 24000.0) + kind + integers(0, packet_bytes, 1, 1, 16)
    return b"caff\0\1\0\0" + caf_chunk(b"desc", desc) + caf_chunk(b"data", bytes(4) + data, size) + tail


def element(identity: int, body: bytes, size: int | None = None) -> bytes:
    """An EBML element with a size of eight bytes; -1 for one that is not known."""
    declared = len(body) if size is None else (1 << 56) - 1 if size == -1 else size
    length = (identity.bit_length() + 7) // 8
    return identity.to_bytes(length, "big") + (1 << 56 | declared).to_bytes(8, "big") + body


def matroska(
    duration: float | None = 1500.0, segment_size: int | None = None, cluster_size: int | None = None
) -> bytes:
    info = element(0x2AD7B1, (1_000_000).to_bytes(3, "big"))
    if duration is not None:
        info += element(0x4489, struct.pack(">d", duration))
    blocks = element(0xE7, b"\0") + element(0xA3, SAMPLES[:500]) * 2
    clusters = element(0x1F43B675, blocks, cluster_size) * 3
    segment = element(0x1549A966, info) + element(0x1654AE6B, bytes(50)) + clusters
    return element(0x1A45DFA3, element(0x4282, b"matroska")) + element(0x18538067, segment, segment_size)


def transport(packets: int = 20, size: int = 188, lead: int = 0) -> bytes:
    return (bytes(lead) + b"\x47" + b"\x10" * (size - 1 - lead)) * packets


def avi(riff_size: int | None = None, movi_size: int | None = None, index: bytes = b"", tail: bytes = b"") -> bytes:
    strl = b"strl" + chunk(b"strh", bytes(56)) + (chunk(b"indx", index) if index else b"")
    header = chunk(b"LIST", b"hdrl" + chunk(b"avih", bytes(56)) + chunk(b"LIST", strl))
    movi = chunk(b"LIST", b"movi" + chunk(b"00dc", SAMPLES[:500]) * 3, movi_size)
    body = b"AVI " + header + movi + chunk(b"idx1", bytes(48))
    return b"RIFF" + struct.pack("<I", len(body) if riff_size is None else riff_size) + body + tail


WHOLE = {
    "wav": simple_wav(),
    "rf64": rf64(),
    "w64": w64(),
    "aiff": aiff(),
    "ogg": opus(),
    "mp3": mp3(),
    "mp4": mp4(),
    "mp4, index last": mp4(moov_first=False),
    "mp4, mdat open-ended": mp4(mdat_size=0),
    "mp4, fragmented with mfra": indexed_fragments(),
    "mp4, fragmented with mehd": fragmented(mehd=640),
    "matroska": matroska(),
    "avi": avi(),
    "au": au(),
    "caf": caf(),
    "caf with packets": caf(kind=b"aac ", packet_bytes=0, tail=caf_chunk(b"pakt", bytes(24))),
}
"""Files that declare their length, all of which is there."""

UNDECLARED = {
    "flac": flac(),
    "flac without a total": flac(samples=0),
    "adts": adts_frame() * 20,
    "mp3 without Xing": mp3_frame() * 10,
    "mpegts": transport(),
    "mp4, fragmented": fragmented(),
    "live matroska": matroska(duration=None, segment_size=-1, cluster_size=-1),
    "streamed au": au(size=0xFFFFFFFF),
    "streamed caf": caf(size=-1),
    "streamed wav": simple_wav(size=0xFFFFFFFF, riff_size=0xFFFFFFFF),
}
"""Files that declare none, or whose length only a decoder can tell."""
