"""Wave64 and AIFF: the same questions as for WAV, in other clothes."""

from __future__ import annotations

import math

import pytest

from mediacheck.media.headers.aiff import extended as read_extended
from tests.unit.media.headers.build import SAMPLES, aiff, chunk, codes, extended, id3v2, read, w64

TRUNCATED, TRAILING = ("truncated", "complete"), ("trailing_data", "header")


def test_w64_says_where_its_samples_lie() -> None:
    pcm = read(w64()).pcm
    assert (pcm.offset, pcm.length, pcm.declared_samples, pcm.encoding) == (104, 2000, 1000, "s16")


@pytest.mark.parametrize("size", [0, 24, 2**63 - 1, 2**64 - 1])
def test_w64_placeholder(size: int) -> None:
    reading = read(w64(size=size))
    assert (reading.complete, codes(reading)) == (None, [("wav.size_placeholder", "header")])
    assert reading.pcm.length == 2000


def test_w64_cut() -> None:
    reading = read(w64()[:-500])
    assert (reading.complete, codes(reading)) == (False, [TRUNCATED])
    assert "1000 samples (2000 bytes), the file holds 750 (1500 bytes)" in reading.problems[0].message


def test_w64_wrong_outer_size() -> None:
    assert codes(read(w64(riff_size=500))) == [("wav.size_mismatch", "header")]


def test_w64_trailing_bytes() -> None:
    assert TRAILING in codes(read(w64(tail=SAMPLES)))


def test_w64_alignment_counted_as_samples_is_a_writers_habit() -> None:
    assert read(w64(SAMPLES[:997] + bytes(3))).problems == ()
    assert codes(read(w64(SAMPLES[:999]))) == [("wav.block_align", "header")]


@pytest.mark.parametrize("rate", [8000, 11025, 44100, 96000, 192000])
def test_80_bit_rates(rate: int) -> None:
    assert read_extended(extended(rate)) == rate


@pytest.mark.parametrize("data", [b"\x7f\xff" + bytes(8), b"\x7f\xfe" + b"\xff" * 8])
def test_80_bit_rates_beyond_a_double(data: bytes) -> None:
    assert read_extended(data) == math.inf


@pytest.mark.parametrize(
    ("kind", "bits", "encoding", "big_endian"),
    [(None, 8, "s8", True), (None, 16, "s16", True), (None, 24, "s24", True), (None, 32, "s32", True),
     (b"NONE", 16, "s16", True), (b"twos", 16, "s16", True), (b"sowt", 16, "s16", False), (b"raw ", 8, "u8", True),
     (b"in24", 24, "s24", True), (b"fl32", 32, "flt", True), (b"FL32", 32, "flt", True), (b"fl64", 64, "dbl", True),
     (b"ulaw", 8, "mulaw", True), (b"alaw", 8, "alaw", True)],
)  # fmt: skip
def test_aiff_encodings(kind: bytes | None, bits: int, encoding: str, big_endian: bool) -> None:
    reading = read(aiff(SAMPLES[:960], kind=kind, bits=bits))
    assert (reading.complete, reading.problems) == (True, ())
    assert (reading.pcm.encoding, reading.pcm.big_endian) == (encoding, big_endian)
    assert (reading.pcm.declared_samples, reading.pcm.length) == (960 * 8 // bits, 960)


def test_aiff_unknown_compression_is_left_to_the_decoder() -> None:
    reading = read(aiff(kind=b"ima4", frames=31))
    assert (reading.complete, reading.problems, reading.pcm) == (True, (), None)


def test_aiff_samples_start_behind_the_offset() -> None:
    plain, shifted = read(aiff()), read(aiff(offset=16))
    assert (shifted.problems, shifted.pcm.offset - plain.pcm.offset, shifted.pcm.length) == ((), 16, 2000)


@pytest.mark.parametrize("bits", [16, 24])
def test_aiff_of_odd_length(bits: int) -> None:
    data = SAMPLES[: 101 * bits // 8]
    reading = read(aiff(data, bits=bits))
    assert (reading.problems, reading.pcm.declared_samples) == ((), 101)


def test_aiff_cut() -> None:
    reading = read(aiff()[:-400])
    assert (reading.complete, codes(reading)) == (False, [TRUNCATED])
    assert "1000 samples (2000 bytes), the file holds 800 (1600 bytes)" in reading.problems[0].message


@pytest.mark.parametrize("size", [0, 0x7FFFFFFF, 0xFFFFFFFF])
def test_aiff_placeholder(size: int) -> None:
    reading = read(aiff(ssnd_size=size, frames=0))
    assert (reading.complete, codes(reading)) == (None, [("aiff.size_placeholder", "header")])
    assert reading.pcm.length == 2000


@pytest.mark.parametrize("frames", [0, 999, 1001, 0xFFFFFFFF])
def test_aiff_count_that_differs_by_itself(frames: int) -> None:
    reading = read(aiff(frames=frames))
    assert (reading.complete, codes(reading)) == (True, [("aiff.sample_count", "header")])


def test_aiff_wrong_outer_size() -> None:
    assert codes(read(aiff(form_size=100))) == [("aiff.size_mismatch", "header")]


@pytest.mark.parametrize("tail", [SAMPLES[:50], aiff()])
def test_aiff_trailing_data(tail: bytes) -> None:
    assert TRAILING in codes(read(aiff(tail=tail)))


@pytest.mark.parametrize("tail", [chunk(b"ANNO", b"hello", order=">"), id3v2(64)])
def test_aiff_chunks_and_tags_behind_the_samples(tail: bytes) -> None:
    assert read(aiff(tail=tail)).problems == ()


def test_aiff_without_a_format() -> None:
    data = aiff()
    assert codes(read(data.replace(b"COMM", b"XXXX"))) == [("aiff.bad_format", "decodable")]
