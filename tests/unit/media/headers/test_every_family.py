"""What holds for every reader: good files are clean, a cut never looks whole, and no bytes raise."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacheck.media.headers import read_container
from tests.unit.media.headers.build import UNDECLARED, WHOLE, codes, read
from tests.work import calls, ends

ALL = {**WHOLE, **UNDECLARED}
MARKS = (b"\0\0\0\0", b"\xff\xff\xff\xff", b"\0\0\0\1", b"\x7f\xff\xff\xff", b"\1\0\0\0", b"\x80\0\0\0")
"""Sizes that readers trip over."""


@pytest.mark.parametrize("name", WHOLE)
def test_whole_file_is_complete_and_has_no_problem(name: str) -> None:
    reading = read(WHOLE[name])
    assert (reading.complete, reading.problems, reading.refused) == (True, (), None)
    assert reading.completeness


@pytest.mark.parametrize("name", UNDECLARED)
def test_file_without_a_length_has_no_answer_and_says_why(name: str) -> None:
    reading = read(UNDECLARED[name])
    assert reading.complete is None
    assert reading.completeness
    assert {problem.affects for problem in reading.problems} <= {"header"}


@pytest.mark.parametrize("name", WHOLE)
def test_no_cut_looks_whole(name: str) -> None:
    data = WHOLE[name]
    assert [length for length in range(len(data)) if read(data[:length]).complete is True] == []


@pytest.mark.parametrize("name", WHOLE)
def test_a_cut_in_the_last_third_is_named(name: str) -> None:
    data = WHOLE[name]
    for length in range(2 * len(data) // 3, len(data), 7):
        reading = read(data[:length])
        # Between two fragments, nothing tells that an index was to follow.
        if reading.complete is None and name == "mp4, fragmented with mfra":
            continue
        assert reading.complete is False, length
        assert "complete" in {affects for _, affects in codes(reading)}, length


@given(st.sampled_from(sorted(ALL)), st.data())
def test_no_damage_raises(name: str, data: st.DataObject) -> None:
    content = bytearray(ALL[name])
    for _ in range(data.draw(st.integers(1, 6))):
        position = data.draw(st.integers(0, min(len(content), 700)))
        kind = data.draw(st.sampled_from(("flip", "mark", "drop", "insert")))
        if kind == "flip" and position < len(content):
            content[position] = data.draw(st.integers(0, 255))
        elif kind == "mark":
            content[position : position + 4] = data.draw(st.sampled_from(MARKS))
        elif kind == "drop":
            del content[position : position + data.draw(st.integers(1, 40))]
        else:
            content[position:position] = data.draw(st.binary(min_size=1, max_size=12))
    del content[data.draw(st.integers(0, len(content))) :]
    reading = read(bytes(content))
    assert (reading.complete is False) == any(problem.affects == "complete" for problem in reading.problems)


@given(st.sampled_from(sorted(ALL)), st.integers(0, 64), st.binary(max_size=400))
def test_no_bytes_behind_a_right_start_raise(name: str, kept: int, rest: bytes) -> None:
    read(ALL[name][:kept] + rest)


@given(st.binary(max_size=300))
def test_chance_bytes_are_no_media(data: bytes) -> None:
    reading = read(data)
    assert reading.complete is not True or reading.family is not None


CRAFTED = {
    "empty chunks": b"RIFF\0\0\0\0WAVE" + b"junk\0\0\0\0" * 200_000,
    "empty chunks after an empty data chunk": b"RIFF\0\0\0\0WAVEdata\0\0\0\0" + b"junk\0\0\0\0" * 200_000,
    "empty boxes": b"\0\0\0\x08ftyp" + b"\0\0\0\x08free" * 300_000,
    "boxes of 64-bit size 0": b"\0\0\0\x08ftyp" + (b"\0\0\0\1free" + bytes(8)) * 1000,
    "empty elements": UNDECLARED["live matroska"] + b"\xec\x80" * 100_000,
    "open clusters": UNDECLARED["live matroska"] + (b"\x1f\x43\xb6\x75\x01" + b"\xff" * 7) * 50_000,
    "page starts": b"OggS\0" * 200_000,
    "pages with wrong checksums": (b"OggS\0" + bytes(21) + b"\xff" + b"\xff" * 255 + bytes(65025)) * 300,
    "empty chunks of CAF": b"caff\0\1\0\0" + (b"free" + bytes(8)) * 200_000,
    "starts of WAV files": b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0"
    + bytes(16)
    + b"data\xff\xff\xff\xff"
    + b"RIFF....WAVEfmt " * 100_000,
    "frame starts": b"\xff\xfb" * 100_000,
    "tables of four billion entries": WHOLE["mp4"].replace(
        b"stsz\0\0\0\0\0\0\0\0\0\0\0\6", b"stsz" + bytes(8) + b"\xff" * 4
    ),
}


@pytest.mark.parametrize("name", CRAFTED)
def test_a_crafted_file_costs_by_its_length(name: str) -> None:
    readings = []
    with ends():
        work = calls(lambda: readings.append(read(CRAFTED[name])))
    # The smallest piece of a container has 2 bytes, and is looked at a few times.
    assert work < 10 * len(CRAFTED[name]) + 1000
    (reading,) = readings
    assert reading.family is not None or name in ("page starts", "frame starts")
    assert reading.complete is not True


@pytest.mark.parametrize("content", [b"", b"\0", b"<!DOCTYPE html><html></html>", b'{"error": "no"}', bytes(5000)])
def test_what_is_no_media_has_no_family(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "sound.wav"
    path.write_bytes(content)
    reading = read_container(path)
    assert (reading.family, reading.complete, reading.problems, reading.refused) == (None, None, (), None)


@pytest.mark.parametrize(
    ("head", "name"),
    [(b"FLV\x01\5", "FLV"), (bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c"), "ASF"), (b"\0\0\1\xba", "MPEG-PS"),
     (b"\x0b\x77\1\2", "AC-3"), (b"wvpk", "WavPack"), (b"RIFF\0\1\0\0WEBPVP8 ", "WebP")],
)  # fmt: skip
def test_format_that_is_known_but_not_read(head: bytes, name: str) -> None:
    reading = read(head + bytes(range(1, 200)) * 20)
    assert (reading.family, reading.complete, reading.problems) == (None, None, ())
    assert reading.completeness == f"{name} headers are not read, so whether it is whole cannot be said"


def test_name_of_the_file_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "sound.mp4"
    path.write_bytes(WHOLE["wav"])
    assert read_container(path).family == "wav"
