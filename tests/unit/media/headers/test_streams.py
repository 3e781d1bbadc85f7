"""FLAC, MP3, ADTS, MPEG-TS: streams with little or nothing in front."""

from __future__ import annotations

import struct

import pytest

from tests.unit.media.headers.build import (
    MP3_LENGTH,
    SAMPLES,
    adts_frame,
    codes,
    flac,
    id3v2,
    mp3,
    mp3_frame,
    read,
    transport,
    xing,
)

TRUNCATED = ("truncated", "complete")
ID3V1 = b"TAG" + bytes(125)
APE = b"APETAGEX" + struct.pack("<IIII", 2000, 32 + 10, 1, 0) + bytes(8)


def ape_tag() -> bytes:
    return bytes(10) + APE


@pytest.mark.parametrize("lead", [b"", id3v2(77), id3v2(10) + id3v2(20)])
def test_flac_total(lead: bytes) -> None:
    reading = read(lead + flac(437_333))
    assert (reading.family, reading.declared_samples, reading.complete) == ("flac", 437_333, None)
    assert "decoded count" in reading.completeness


def test_flac_total_of_36_bits() -> None:
    assert read(flac((1 << 36) - 1)).declared_samples == (1 << 36) - 1


def test_flac_without_a_total() -> None:
    reading = read(flac(0))
    assert (reading.declared_samples, reading.completeness) == (None, "FLAC streamed without a total")


@pytest.mark.parametrize("length", [6, 30, 45, 60])
def test_flac_cut_in_its_metadata(length: int) -> None:
    reading = read(flac()[:length])
    assert reading.complete is False
    assert TRUNCATED in codes(reading)


def test_flac_without_a_frame() -> None:
    assert codes(read(flac(frames=b""))) == [TRUNCATED]


@pytest.mark.parametrize("lead", [b"", id3v2(300), id3v2(40) + bytes(1000)])
@pytest.mark.parametrize("tail", [b"", ID3V1, ape_tag(), ape_tag() + ID3V1])
def test_mp3_with_tags_and_garbage_around_it(lead: bytes, tail: bytes) -> None:
    reading = read(lead + mp3(10) + tail)
    assert (reading.family, reading.complete, reading.problems) == ("mp3", True, ())
    assert (reading.declared_packets, reading.declared_samples) == (10, 10 * 1152 - 576 - 600)


def test_mp3_samples_that_stay_in_the_decoder() -> None:
    data = xing(10, None, delay=576, padding=100) + mp3_frame() * 10
    assert read(data).declared_samples == 10 * 1152 - 576 - 529


def test_mp3_delay_of_an_unknown_encoder_is_not_trusted() -> None:
    reading = read(xing(10, None, lame=b"Other 1.0") + mp3_frame() * 10)
    assert (reading.declared_samples, reading.declared_packets, reading.complete) == (None, 10, None)


@pytest.mark.parametrize("lost", [1, MP3_LENGTH, 2000])
@pytest.mark.parametrize("tail", [b"", ID3V1])
def test_mp3_shorter_than_its_byte_count(lost: int, tail: bytes) -> None:
    reading = read(mp3(10)[:-lost] + tail)
    assert (reading.complete, codes(reading)) == (False, [TRUNCATED])


def test_mp3_byte_count_without_the_headers_own_frame() -> None:
    assert read(mp3(10, size=10 * MP3_LENGTH)).problems == ()


@pytest.mark.parametrize("second", [mp3(5), mp3_frame() * 5, id3v2(30) + mp3(5)])
def test_joined_mp3_files(second: bytes) -> None:
    reading = read(mp3(10) + second)
    assert (reading.complete, codes(reading)) == (True, [("mp3.trailing_frames", "header")])


def test_bytes_behind_the_frames_of_an_mp3() -> None:
    assert codes(read(mp3(10) + b"<html>" * 20)) == [("trailing_data", "header")]


@pytest.mark.parametrize("tail", [bytes(50), bytes(2000), b"<html>" * 20, b"\x55" * 1000, bytes(2000) + ID3V1])
@pytest.mark.parametrize("lead", [b"", id3v2(60)])
@pytest.mark.parametrize("own_frame", [True, False])
def test_padding_or_junk_behind_the_frames_is_no_media(tail: bytes, lead: bytes, own_frame: bool) -> None:
    size = (11 if own_frame else 10) * MP3_LENGTH
    reading = read(lead + mp3(10, size=size) + tail)
    assert (reading.complete, reading.media_end) == (True, len(lead) + 11 * MP3_LENGTH)
    assert codes(reading) == ([] if tail == bytes(50) else [("trailing_data", "header")])


def test_padding_where_only_bytes_are_counted() -> None:
    data = xing(None, 11 * MP3_LENGTH) + mp3_frame() * 10
    assert read(data + bytes(2000)).media_end == len(data)


@pytest.mark.parametrize("tail", [b"", ID3V1, mp3(5), mp3_frame() * 5])
def test_mp3_is_read_to_its_end_where_nothing_or_more_sound_follows(tail: bytes) -> None:
    assert read(mp3(10) + tail).media_end is None


def test_mp3_with_a_broken_frame_is_read_to_its_end() -> None:
    data = bytearray(mp3(10) + bytes(2000))
    data[5 * MP3_LENGTH : 5 * MP3_LENGTH + 4] = bytes(4)
    reading = read(bytes(data))
    assert (reading.media_end, codes(reading)) == (None, [("trailing_data", "header")])


def test_mp3_with_vbri() -> None:
    vbri = mp3_frame(bytes(32) + b"VBRI" + struct.pack(">HHHII", 1, 0, 75, 11 * MP3_LENGTH, 10))
    reading = read(vbri + mp3_frame() * 10)
    assert (reading.complete, reading.declared_packets, reading.problems) == (True, 10, ())
    assert read(vbri + mp3_frame() * 9).complete is False


def test_mp3_without_a_header_declares_nothing() -> None:
    reading = read(mp3_frame() * 10)
    assert (reading.complete, reading.declared_packets, reading.problems) == (None, None, ())


def test_file_that_ends_in_its_tag() -> None:
    assert codes(read(id3v2(500)[:200])) == [TRUNCATED]


@pytest.mark.parametrize("count", [3, 40, 500])
@pytest.mark.parametrize("lead", [b"", id3v2(60)])
def test_adts(count: int, lead: bytes) -> None:
    data = lead + b"".join(adts_frame(150 + 13 * (index % 9)) for index in range(count))
    whole, cut = read(data), read(data[:-20])
    assert (whole.family, whole.complete, whole.problems) == ("adts", None, ())
    assert (cut.family, cut.complete, codes(cut)) == ("adts", False, [TRUNCATED])
    assert "misses 20 bytes" in cut.problems[0].message


def test_adts_with_id3v1_behind_it() -> None:
    assert read(adts_frame() * 9 + ID3V1).problems == ()


@pytest.mark.parametrize(("size", "lead"), [(188, 0), (192, 4), (204, 0)])
def test_transport_packets(size: int, lead: int) -> None:
    data = transport(20, size, lead)
    assert (read(data).family, read(data).complete) == ("mpegts", None)
    cut = read(data[:-50])
    assert (cut.complete, codes(cut)) == (False, [("mpegts.partial_packet", "complete")])


def test_text_that_starts_like_a_transport_packet() -> None:
    assert read(b"Good morning. " * 100).family is None
    assert read(SAMPLES).family is None
