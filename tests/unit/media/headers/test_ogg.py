"""Ogg: pages, ends of streams, and what granule positions count."""

from __future__ import annotations

import struct

import pytest

from mediacheck.media.headers.oggcodec import opus_samples
from tests.unit.media.headers.build import (
    OPUS_HEAD,
    OPUS_PACKET,
    SAMPLES,
    codes,
    opus,
    opus_pages,
    page,
    read,
    streaminfo,
)

TRUNCATED, CHECKSUM = ("truncated", "complete"), ("ogg.page_checksum", "decodable")


def test_opus_length_is_the_last_granule_less_the_pre_skip() -> None:
    assert read(opus(pages=5)).declared_samples == 5 * 960 - 312


def test_opus_cut_out_of_a_longer_stream_declares_no_count() -> None:
    reading = read(opus(first_granule=48_000))
    assert (reading.complete, reading.declared_samples) == (True, None)


def test_no_end_of_stream_page() -> None:
    reading = read(opus(last_flags=0))
    assert (reading.complete, codes(reading)) == (False, [TRUNCATED])
    assert "no end-of-stream page: opus stream 7" in reading.problems[0].message


def test_one_of_two_streams_has_no_end() -> None:
    first, second = opus(1), opus(2, last_flags=0)
    reading = read(first + second)
    assert (reading.complete, codes(reading)) == (False, [TRUNCATED])


def test_chained_streams_are_legal() -> None:
    reading = read(opus(1) + opus(2) + opus(1))
    assert (reading.complete, reading.problems, reading.declared_samples) == (True, (), None)


def test_chained_stream_that_is_cut() -> None:
    assert read((opus(1) + opus(2))[:-30]).complete is False


def test_garbage_behind_the_last_page() -> None:
    assert codes(read(opus() + b"<html></html>")) == [("trailing_data", "header")]


def test_tag_behind_the_last_page() -> None:
    assert read(opus() + b"TAG" + bytes(125)).problems == ()


def test_garbage_between_pages() -> None:
    reading = read(opus(1) + b"garbage" + opus(2))
    assert (reading.complete, codes(reading)) == (True, [("ogg.garbage", "header")])


def test_vorbis_length_is_the_last_granule() -> None:
    head = b"\x01vorbis" + struct.pack("<IBIIII", 0, 1, 44100, 0, 96000, 0) + bytes((0xB8, 1))
    data = page(1, 2, 0, head) + page(1, 0, 1024, SAMPLES[:100]) + page(1, 4, 44100, SAMPLES[:100])
    assert read(data).declared_samples == 44100
    late = page(1, 2, 0, head) + page(1, 0, 50_000, SAMPLES[:100]) + page(1, 4, 94_100, SAMPLES[:100])
    assert read(late).declared_samples is None


def test_flac_in_ogg_has_its_own_total() -> None:
    head = b"\x7fFLAC\1\0\0\1fLaC\0\0\0\x22" + streaminfo(5000)
    assert read(page(1, 2, 0, head) + page(1, 4, 4096, SAMPLES)).declared_samples == 5000


@pytest.mark.parametrize(
    ("packet", "samples"),
    [(b"\x00", 480), (b"\x18", 2880), (b"\x60", 480), (b"\x68", 960), (b"\x80", 120), (b"\xfc", 960), (b"\xfd", 1920),
     (b"\xfe", 1920), (b"\xff\x03", 2880), (b"\xff", 0), (b"", 0)],
)  # fmt: skip
def test_opus_packet_lengths(packet: bytes, samples: int) -> None:
    # RFC 6716, table 2 (configurations) and section 3.2 (frame counts).
    assert opus_samples(packet) == samples


def test_opus_beside_a_picture_is_still_counted() -> None:
    theora = page(9, 2, 0, b"\x80theora" + bytes(30))
    sound = page(1, 2, 0, OPUS_HEAD) + theora + page(1, 4, 960, OPUS_PACKET) + page(9, 4, 1, SAMPLES[:50])
    assert read(sound).declared_samples == 960 - 312


def test_only_the_mark_of_a_page() -> None:
    reading = read(b"OggS\1" + bytes(1000))
    assert (reading.complete, codes(reading)) == (None, [("trailing_data", "header")])


def damaged(pages: list[bytes], *numbers: int, byte: int = -30) -> bytes:
    """The pages, with one bit of each of ``numbers`` flipped."""
    return b"".join(
        part[:byte] + bytes((part[byte] ^ 1,)) + part[byte + 1 :] if number in numbers else part
        for number, part in enumerate(pages)
    )


def test_real_page_has_a_right_checksum() -> None:
    # Written by libavformat 59, so that builder and reader cannot share a mistake.
    real = bytes.fromhex(
        "4f67675300020000000000000000522f88790000000092ebd16501134f707573486561640101380180bb0000000000"
    )
    assert codes(read(real)) == [TRUNCATED]


@pytest.mark.parametrize("number", range(7))
@pytest.mark.parametrize("byte", [6, 15, 22, 27, -30])
def test_any_changed_byte_of_any_page_is_named(number: int, byte: int) -> None:
    pages = opus_pages()
    if byte == -30 and number == 0:
        byte = -2
    reading = read(damaged(pages, number, byte=byte))
    assert CHECKSUM in codes(reading) or codes(reading) == [TRUNCATED]
    assert reading.complete is not True


def test_damaged_pages_are_counted_and_the_first_is_placed() -> None:
    pages = opus_pages()
    reading = read(damaged(pages, 3, 5))
    assert codes(reading) == [CHECKSUM]
    assert "2 Ogg pages" in reading.problems[0].message
    assert f"byte {sum(map(len, pages[:3]))}" in reading.problems[0].message


def test_count_survives_damage_in_the_middle() -> None:
    assert read(damaged(opus_pages(), 4)).declared_samples == 5 * 960 - 312


@pytest.mark.parametrize("number", [2, 6])
def test_first_and_last_page_of_sound_declare_nothing_when_damaged(number: int) -> None:
    reading = read(damaged(opus_pages(), number))
    assert (codes(reading), reading.declared_samples, reading.complete) == ([CHECKSUM], None, None)


def test_damaged_segment_table_does_not_hide_what_follows() -> None:
    pages = opus_pages(pages=40)
    reading = read(damaged(pages, 5, byte=27))
    assert CHECKSUM in codes(reading)


@pytest.mark.parametrize("number", [2, 4])
def test_page_that_was_left_out(number: int) -> None:
    pages = opus_pages()
    reading = read(b"".join(pages[:number] + pages[number + 1 :]))
    assert (reading.complete, codes(reading)) == (False, [("ogg.lost_pages", "complete")])
    assert "1 page is missing" in reading.problems[0].message


def test_page_numbers_start_anew_in_a_chain_and_wrap() -> None:
    last = 0xFFFFFFFF
    wrapped = page(1, 2, 0, OPUS_HEAD, last - 1) + page(1, 0, 0, b"OpusTags" + bytes(20), last)
    wrapped += page(1, 4, 960, OPUS_PACKET, 0)
    assert read(opus(1) + wrapped).problems == ()


def test_page_numbers_that_stand_still_are_no_loss() -> None:
    frozen = page(1, 2, 0, OPUS_HEAD) + page(1, 0, 0, b"OpusTags" + bytes(20)) + page(1, 4, 960, OPUS_PACKET)
    assert read(frozen).problems == ()


def test_page_whose_mark_is_damaged_is_missed_by_its_number() -> None:
    reading = read(damaged(opus_pages(), 3, byte=0))
    assert (reading.complete, codes(reading)) == (False, [("ogg.garbage", "header"), ("ogg.lost_pages", "complete")])
