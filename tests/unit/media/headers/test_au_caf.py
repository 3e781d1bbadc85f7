"""AU and CAF: sizes that are right, wrong or not known."""

from __future__ import annotations

import pytest

from tests.unit.media.headers.build import SAMPLES, au, caf, caf_chunk, codes, read

TRUNCATED, TRAILING = ("truncated", "complete"), ("trailing_data", "header")
MISSING = ("caf.missing_chunk", "decodable")
PACKETS = caf_chunk(b"pakt", bytes(24))


def test_au_shorter_than_its_size() -> None:
    reading = read(au()[:-100])
    assert (reading.family, reading.complete, codes(reading)) == ("au", False, [TRUNCATED])
    assert "declares 2000 bytes of samples, the file holds 1900" in reading.problems[0].message


@pytest.mark.parametrize("size", [0xFFFFFFFF, 0])
def test_au_written_to_a_pipe_declares_no_length(size: int) -> None:
    reading = read(au(size=size))
    assert (reading.complete, reading.problems) == (None, ())


def test_au_without_samples_is_an_empty_file() -> None:
    assert (read(au(b"")).complete, read(au(b"")).problems) == (True, ())


@pytest.mark.parametrize(("tail", "problems"), [(b"\0", []), (b"TAG" + bytes(125), []), (SAMPLES[:9], [TRAILING])])
def test_bytes_behind_the_samples_of_au(tail: bytes, problems: list[tuple[str, str]]) -> None:
    reading = read(au() + tail)
    assert (reading.complete, codes(reading)) == (True, problems)


def test_au_whose_header_is_shorter_than_a_header() -> None:
    data = bytearray(au())
    data[4:8] = bytes(4)
    assert codes(read(bytes(data))) == [("au.bad_header", "decodable")]


def test_au_cut_in_its_note() -> None:
    assert codes(read(au(note=bytes(100))[:60])) == [TRUNCATED]


def test_caf_shorter_than_its_data_chunk() -> None:
    reading = read(caf()[:-100])
    assert (reading.family, reading.complete, codes(reading)) == ("caf", False, [TRUNCATED])
    assert "the data chunk ends at byte" in reading.problems[0].message


def test_caf_whose_data_reach_to_the_end_declares_no_length() -> None:
    reading = read(caf(size=-1))
    assert (reading.complete, reading.problems) == (None, ())


def test_caf_cut_before_its_packet_table() -> None:
    whole = caf(kind=b"aac ", packet_bytes=0, tail=PACKETS)
    assert (read(whole).complete, read(whole).problems) == (True, ())
    assert codes(read(whole[: -len(PACKETS)])) == [MISSING, TRUNCATED]


@pytest.mark.parametrize("kept", [8, 12, 40, 52])
def test_caf_cut_before_its_data(kept: int) -> None:
    reading = read(caf()[:kept])
    assert reading.complete is False
    assert MISSING in codes(reading)


@pytest.mark.parametrize(
    ("tail", "problems"), [(caf_chunk(b"info", bytes(9)), []), (b"\0", []), (b"<html>" * 9, [TRAILING])]
)
def test_what_may_follow_the_data_of_caf(tail: bytes, problems: list[tuple[str, str]]) -> None:
    reading = read(caf() + tail)
    assert (reading.complete, codes(reading)) == (True, problems)
