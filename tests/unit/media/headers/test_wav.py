"""WAV: sizes that are right, wrong, placeholders; odd chunks; formats."""

from __future__ import annotations

import struct

import pytest

from tests.unit.media.headers.build import SAMPLES, chunk, codes, fmt, id3v2, read, rf64, simple_wav, wav

LIST = chunk(b"LIST", b"INFOISFT\x04\0\0\0abc\0")
TRUNCATED, MISMATCH = ("truncated", "complete"), ("wav.size_mismatch", "header")
PLACEHOLDER, TRAILING = ("wav.size_placeholder", "header"), ("trailing_data", "header")


@pytest.mark.parametrize(
    "size", [0, 2_000_000_000, 0x7FFF0000, 0x7FFFF000, 0x7FFFFFFF, 0xFFFF0000, 0xFFFFFFFF - 36, 0xFFFFFFFF]
)
def test_placeholder_is_a_header_fault_and_all_bytes_are_samples(size: int) -> None:
    reading = read(simple_wav(size=size))
    assert codes(reading) == [PLACEHOLDER]
    assert (reading.complete, reading.pcm.declared_samples, reading.pcm.length) == (None, None, 2000)
    assert str(size) in reading.problems[0].message


@pytest.mark.parametrize("size", [2001, 2002, 4000, 1_999_999_999, 0x7FFEFFFF, 0x80000000, 0xFFFEFFFF])
def test_any_other_size_beyond_the_file_is_a_truncation(size: int) -> None:
    reading = read(simple_wav(size=size))
    assert (reading.complete, codes(reading)) == (False, [TRUNCATED])
    assert f"{size // 2} samples" in reading.problems[0].message
    assert "holds 1000" in reading.problems[0].message
    assert (reading.pcm.declared_samples, reading.pcm.length) == (size // 2, 2000)


def test_empty_data_chunk_before_other_chunks_is_an_empty_file() -> None:
    reading = read(simple_wav(b"", tail=LIST + chunk(b"cue ", bytes(4))))
    assert (reading.complete, reading.problems, reading.pcm.length) == (True, (), 0)


def test_header_without_samples_is_an_empty_file() -> None:
    reading = read(simple_wav(b""))
    assert (reading.complete, reading.problems, reading.pcm.declared_samples) == (True, (), 0)


@pytest.mark.parametrize("tail", [LIST, chunk(b"cue ", bytes(4)) + LIST, b"\0", b"TAG" + bytes(125), id3v2(50)])
@pytest.mark.parametrize("counted", [True, False])
def test_what_may_follow_the_samples(tail: bytes, counted: bool) -> None:
    riff_size = None if counted else len(simple_wav()) - 8
    assert read(simple_wav(tail=tail, riff_size=riff_size)).problems == ()


def test_ape_tag_may_follow() -> None:
    footer = b"APETAGEX" + struct.pack("<IIII", 2000, 32 + 40, 1, 0x80000000) + bytes(8)
    tag = b"APETAGEX" + struct.pack("<IIII", 2000, 32 + 40, 1, 0xA0000000) + bytes(8) + bytes(40) + footer
    assert read(simple_wav(tail=tag)).problems == ()


@pytest.mark.parametrize("tail", [SAMPLES[:100], simple_wav(), chunk(b"data", SAMPLES), bytes(100)])
def test_media_behind_the_declared_end(tail: bytes) -> None:
    reading = read(simple_wav(tail=tail))
    assert (reading.complete, codes(reading)) == (True, [TRAILING])
    assert str(len(tail)) in reading.problems[0].message


@pytest.mark.parametrize("riff_size", [0, 36, 2000, 5000, 0x7FFFFFFF, 0xFFFFFFFF])
def test_wrong_riff_size_with_whole_samples(riff_size: int) -> None:
    reading = read(simple_wav(riff_size=riff_size))
    assert (reading.complete, codes(reading)) == (True, [MISMATCH])


def test_list_chunk_cut_behind_the_samples_is_no_loss_of_samples() -> None:
    reading = read(simple_wav(tail=LIST)[:-5])
    assert (reading.complete, codes(reading)) == (True, [MISMATCH])


@pytest.mark.parametrize("pad", [True, False])
def test_odd_chunks_with_and_without_their_pad_byte(pad: bool) -> None:
    odd = chunk(b"LIST", b"INFOabc", pad=pad)
    reading = read(wav(odd, chunk(b"fmt ", fmt()), odd, chunk(b"data", SAMPLES), odd))
    assert (reading.complete, reading.problems, reading.pcm.length) == (True, (), 2000)


@pytest.mark.parametrize("pad", [True, False])
def test_samples_of_odd_length(pad: bool) -> None:
    reading = read(wav(chunk(b"fmt ", fmt(bits=24)), chunk(b"data", SAMPLES[:303], pad=pad)))
    assert (reading.problems, reading.pcm.length, reading.pcm.declared_samples) == ((), 303, 101)


def test_format_behind_the_samples() -> None:
    reading = read(wav(chunk(b"data", SAMPLES), chunk(b"fmt ", fmt())))
    assert (reading.complete, reading.problems, reading.pcm.length) == (True, (), 2000)


def test_no_format() -> None:
    assert codes(read(wav(chunk(b"data", SAMPLES)))) == [("wav.no_format", "decodable")]


def test_short_format() -> None:
    reading = read(wav(chunk(b"fmt ", fmt()[:13]), chunk(b"data", SAMPLES)))
    assert codes(reading) == [("wav.bad_format", "decodable")]
    assert reading.pcm is None


@pytest.mark.parametrize("broken", [fmt(channels=0), fmt(rate=0)])
def test_format_of_nothing(broken: bytes) -> None:
    assert codes(read(wav(chunk(b"fmt ", broken), chunk(b"data", SAMPLES)))) == [("wav.bad_format", "decodable")]


def test_no_data() -> None:
    assert codes(read(wav(chunk(b"fmt ", fmt()), LIST))) == [("wav.no_data", "decodable")]


def test_list_size_that_swallows_the_samples() -> None:
    reading = read(wav(chunk(b"fmt ", fmt()), chunk(b"LIST", b"INFO", size=100_000), chunk(b"data", SAMPLES)))
    assert codes(reading) == [("wav.no_data", "decodable"), TRUNCATED]


@pytest.mark.parametrize(
    "wrong", [fmt(align=4), fmt(byte_rate=1), fmt(channels=2, align=2), fmt(bits=8, align=2, byte_rate=48000)]
)
def test_block_align_or_byte_rate_against_the_format(wrong: bytes) -> None:
    reading = read(wav(chunk(b"fmt ", wrong), chunk(b"data", SAMPLES)))
    assert ("wav.block_align", "header") in codes(reading)


def test_length_that_is_no_whole_number_of_frames() -> None:
    reading = read(wav(chunk(b"fmt ", fmt(channels=3)), chunk(b"data", SAMPLES[:1000])))
    assert codes(reading) == [("wav.block_align", "header")]
    assert reading.pcm.length == 996


@pytest.mark.parametrize(
    ("tag", "bits", "encoding"),
    [(1, 8, "u8"), (1, 16, "s16"), (1, 12, "s16"), (1, 24, "s24"), (1, 20, "s24"), (1, 32, "s32"), (3, 32, "flt"),
     (3, 64, "dbl"), (6, 8, "alaw"), (7, 8, "mulaw")],
)  # fmt: skip
@pytest.mark.parametrize("extensible", [False, True])
def test_encodings(tag: int, bits: int, encoding: str, extensible: bool) -> None:
    body = fmt(tag, 2, bits=bits)
    if extensible:
        guid = struct.pack("<I", tag) + bytes.fromhex("00001000800000aa00389b71")
        body = struct.pack("<H", 0xFFFE) + body[2:] + struct.pack("<HHI", 22, bits, 3) + guid
    reading = read(wav(chunk(b"fmt ", body), chunk(b"data", SAMPLES[:960])))
    assert (reading.problems, reading.pcm.encoding) == ((), encoding)
    assert (reading.pcm.channels, reading.pcm.sample_rate, reading.pcm.big_endian) == (2, 24000, False)
    assert reading.pcm.channel_mask == (3 if extensible else None)
    assert reading.pcm.declared_samples == 960 // (2 * ((bits + 7) // 8))


@pytest.mark.parametrize("tag", [0x02, 0x11, 0x55])
def test_compressed_sound_is_left_to_the_decoder(tag: int) -> None:
    reading = read(wav(chunk(b"fmt ", fmt(tag, bits=4, align=256, byte_rate=12000)), chunk(b"data", SAMPLES[:999])))
    assert (reading.complete, reading.problems, reading.pcm) == (True, (), None)
    cut = read(wav(chunk(b"fmt ", fmt(tag, bits=4, align=256)), chunk(b"data", SAMPLES, 3000)))
    assert codes(cut) == [TRUNCATED]


@pytest.mark.parametrize(
    ("tag", "align", "left", "known"),
    [(0x31, 65, 1, True), (0x31, 65, 40, True), (0x02, 256, 6, True), (0x11, 256, 3, True), (0x11, 256, 4, False),
     (0x02, 256, 7, False), (0x55, 417, 40, False)],
)  # fmt: skip
def test_end_that_is_too_short_for_a_block_is_not_decoded(tag: int, align: int, left: int, known: bool) -> None:
    data = SAMPLES[: 3 * align + left]
    reading = read(wav(chunk(b"fmt ", fmt(tag, bits=4, align=align)), chunk(b"data", data)))
    assert (reading.complete, reading.media_end) == (True, 12 + 24 + 8 + 3 * align if known else None)
    # One byte over and an even size is a pad byte that was counted (sox, GSM): no fault of the sound.
    padded = left == 1 and len(data) % 2 == 0
    assert codes(reading) == ([("wav.block_align", "header")] if known and not padded else [])


def test_cut_or_streamed_blocks_are_left_to_the_decoder() -> None:
    gsm = chunk(b"fmt ", fmt(0x31, bits=0, align=65))
    assert read(wav(gsm, chunk(b"data", SAMPLES[:100], 650))).media_end is None
    assert read(wav(gsm, chunk(b"data", SAMPLES[:100], 0xFFFFFFFF))).media_end is None


@pytest.mark.parametrize("lead", [b"", SAMPLES, SAMPLES * 800])
def test_second_file_behind_a_streamed_one(lead: bytes) -> None:
    first = simple_wav(lead, size=0xFFFFFFFF)
    reading = read(first + simple_wav())
    assert codes(reading) == [PLACEHOLDER, ("wav.second_header", "header")]
    assert f"byte {len(first)}," in reading.problems[1].message


def test_second_header_across_two_blocks_of_the_search() -> None:
    first = simple_wav(bytes((1 << 20) - 7), size=0xFFFFFFFF)
    assert ("wav.second_header", "header") in codes(read(first + simple_wav()))


@pytest.mark.parametrize("decoy", [b"RIFF", b"WAVEfmt ", b"RIFF\1\2\3\4WAVEfmt \xff\xff\xff\xff"])
def test_words_of_a_header_among_the_samples_are_samples(decoy: bytes) -> None:
    assert codes(read(simple_wav(SAMPLES + decoy + SAMPLES, size=0xFFFFFFFF))) == [PLACEHOLDER]


def test_24_bits_in_four_bytes_are_left_to_the_decoder() -> None:
    reading = read(wav(chunk(b"fmt ", fmt(bits=24, align=4)), chunk(b"data", SAMPLES)))
    assert (reading.problems, reading.pcm) == ((), None)


def test_rifx_is_big_endian() -> None:
    chunks = chunk(b"fmt ", fmt(order=">"), order=">"), chunk(b"data", SAMPLES, order=">")
    reading = read(wav(*chunks, magic=b"RIFX", order=">"))
    assert (reading.problems, reading.pcm.big_endian, reading.pcm.declared_samples) == ((), True, 1000)


@pytest.mark.parametrize(("count", "right"), [(1000, True), (0, True), (0xFFFFFFFF, True), (999, False)])
def test_fact_chunk(count: int, right: bool) -> None:
    reading = read(wav(chunk(b"fmt ", fmt()), chunk(b"fact", struct.pack("<I", count)), chunk(b"data", SAMPLES)))
    assert codes(reading) == ([] if right else [("wav.sample_count", "header")])
    assert reading.complete is True


def test_rf64_takes_the_size_from_ds64() -> None:
    reading = read(rf64())
    assert (reading.problems, reading.pcm.declared_samples, reading.pcm.offset) == ((), 1000, 80)


def test_rf64_that_is_cut_is_no_placeholder() -> None:
    reading = read(rf64()[:-100])
    assert (reading.complete, codes(reading)) == (False, [TRUNCATED])
    assert "1000 samples" in reading.problems[0].message


def test_rf64_with_sizes_that_fit_in_32_bits() -> None:
    assert read(rf64(size32=2000)).problems == ()


def test_rf64_whose_sizes_disagree() -> None:
    assert codes(read(rf64(data_size=1990, size32=2000))) == [MISMATCH]


@pytest.mark.parametrize("size", [0xFFFFFFFFFFFFFFFF, 0x7FFFFFFFFFFFFFFF, 0])
def test_rf64_that_was_never_finished(size: int) -> None:
    reading = read(rf64(data_size=size))
    assert (reading.complete, codes(reading)) == (None, [PLACEHOLDER])
