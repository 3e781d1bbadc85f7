"""Matroska and AVI: sizes of segments, lists and indexes."""

from __future__ import annotations

import struct
from fractions import Fraction

import pytest

from tests.unit.media.headers.build import SAMPLES, avi, chunk, codes, matroska, read

TRUNCATED, TRAILING = ("truncated", "complete"), ("trailing_data", "header")


def test_duration_in_seconds() -> None:
    assert read(matroska(1523.0)).declared_duration == Fraction(1523, 1000)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0, 0.0])
def test_duration_that_is_none(value: float) -> None:
    reading = read(matroska(value))
    assert (reading.declared_duration, reading.complete) == (None, True)


def test_segment_beyond_the_file() -> None:
    reading = read(matroska(segment_size=100_000))
    assert (reading.complete, codes(reading)) == (False, [TRUNCATED])


def test_bytes_behind_the_segment() -> None:
    assert codes(read(matroska() + SAMPLES)) == [TRAILING]
    assert codes(read(matroska() + matroska())) == [TRAILING]


@pytest.mark.parametrize("cluster_size", [None, -1])
def test_segment_of_unknown_size(cluster_size: int | None) -> None:
    live = matroska(None, segment_size=-1, cluster_size=cluster_size)
    assert (read(live).complete, read(live).problems) == (None, ())
    cut = read(live[:-10])
    assert (cut.complete, codes(cut)) == (False, [TRUNCATED])
    with_duration = read(matroska(1500.0, segment_size=-1, cluster_size=cluster_size))
    assert (with_duration.complete, with_duration.declared_duration) == (None, Fraction(3, 2))
    assert "Duration" in with_duration.completeness


def test_no_segment() -> None:
    reading = read(matroska()[:35])
    assert (reading.complete, codes(reading)) == (False, [TRUNCATED, ("matroska.no_segment", "decodable")])


@pytest.mark.parametrize("size", [0, 0x7FFFFFFF, 0xFFFFFFFF])
def test_avi_written_to_a_pipe(size: int) -> None:
    reading = read(avi(riff_size=size, movi_size=size))
    assert (reading.complete, codes(reading)) == (None, [("avi.size_placeholder", "header")])


def test_avi_list_beyond_the_file() -> None:
    assert codes(read(avi(movi_size=50_000))) == [TRUNCATED]


def test_avi_trailing_bytes() -> None:
    assert codes(read(avi(tail=SAMPLES))) == [TRAILING]


def test_avi_without_frames() -> None:
    data = avi()
    assert ("avi.no_movi", "decodable") in codes(read(data.replace(b"movi", b"junk")))


def test_opendml_cut_between_its_lists_is_seen_by_the_index() -> None:
    extension = chunk(b"RIFF", b"AVIX" + chunk(b"LIST", b"movi" + chunk(b"00dc", SAMPLES)))
    first = len(avi(index=bytes(40)))
    index = struct.pack("<HBBI4s12x", 4, 0, 0, 1, b"00dc") + struct.pack("<QII", first + 20, 200, 3)
    whole, cut = read(avi(index=index, tail=extension)), read(avi(index=index))
    assert (whole.complete, whole.problems) == (True, ())
    assert (cut.complete, codes(cut)) == (False, [TRUNCATED])
