"""MP4: boxes, edit lists, sample tables, fragments, references."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.unit.media.headers.build import (
    FTYP,
    MVHD,
    SAMPLES,
    box,
    codes,
    edit_list,
    fragment,
    fragment_index,
    fragment_offsets,
    fragmented,
    full,
    integers,
    mp4,
    read,
    trak,
)

TRUNCATED = ("truncated", "complete")


def test_track_clock() -> None:
    (track,) = read(mp4()).tracks
    assert (track.track_id, track.media_timescale, track.media_duration, track.sample_count) == (1, 48000, 96000, 6)
    assert (track.edit_duration, track.edit_media_time, track.edit_precision) == (None, None, 0)


def test_edit_list_with_priming() -> None:
    (track,) = read(mp4(edits=edit_list((1979, 1024)))).tracks
    assert (track.edit_duration, track.edit_media_time) == (Fraction(1979, 1000), 1024)
    assert (track.edit_precision, track.empty_edit) == (Fraction(1, 1000), 0)


def test_initial_empty_edit_is_a_late_start() -> None:
    (track,) = read(mp4(edits=edit_list((500, -1), (1500, 0)))).tracks
    assert (track.empty_edit, track.edit_duration, track.edit_media_time) == (Fraction(1, 2), Fraction(3, 2), 0)


def test_several_edits_are_summed() -> None:
    (track,) = read(mp4(edits=edit_list((300, 0), (200, -1), (400, 9600)))).tracks
    assert (track.edit_duration, track.empty_edit, track.edit_media_time) == (Fraction(7, 10), 0, 0)
    assert track.edit_precision == Fraction(2, 1000)


def test_edit_list_without_a_length() -> None:
    (track,) = read(mp4(edits=edit_list((0, 1024)))).tracks
    assert (track.edit_duration, track.edit_media_time) == (None, 1024)


def test_movie_clock_that_holds_the_media_clock_is_exact() -> None:
    exact = full(b"mvhd", integers(0, 0, 96000, 2000), bytes(80))
    data = mp4(edits=edit_list((96000, 0))).replace(MVHD, exact)
    (track,) = read(data).tracks
    assert (track.edit_duration, track.edit_precision) == (1, 0)


@pytest.mark.parametrize("large", [False, True])
def test_cut_fast_start_file_names_what_is_missing(large: bool) -> None:
    data = mp4(large=large)
    reading = read(data[:-600])
    assert (reading.complete, codes(reading)) == (False, [TRUNCATED, TRUNCATED])
    assert "2 of 6 samples are missing" in reading.problems[1].message


def test_mdat_up_to_the_end_is_judged_by_its_samples() -> None:
    reading = read(mp4(mdat_size=0)[:-1])
    assert (reading.complete, codes(reading)) == (False, [TRUNCATED])
    assert "1 of 6 samples are missing" in reading.problems[0].message


def test_samples_of_one_size() -> None:
    tables = box(
        b"stbl",
        full(b"stsz", integers(4, 500)),
        full(b"stsc", integers(1, 1, 500, 1)),
        full(b"stco", integers(1, 100)),
    )
    mdhd = full(b"mdhd", integers(0, 0, 48000, 500, 0))
    moov = box(b"moov", MVHD, box(b"trak", box(b"mdia", mdhd, box(b"minf", tables))))
    data = FTYP + moov + box(b"mdat", SAMPLES, size=0)
    missing = 100 + 2000 - len(data)
    assert missing <= 0
    assert read(data).complete is True
    cut = read(data[:2090])
    assert "3 of 500 samples are missing" in cut.problems[0].message


@pytest.mark.parametrize("count", [4, 5])
def test_count_that_differs_from_the_chunks(count: int) -> None:
    assert codes(read(mp4(count=count))) == [("mp4.sample_count", "header")]


def test_no_moov() -> None:
    reading = read(FTYP + box(b"mdat", SAMPLES))
    assert (reading.complete, codes(reading)) == (False, [("mp4.no_moov", "decodable"), TRUNCATED])


def test_picture_without_moov_is_no_cut_film() -> None:
    reading = read(box(b"ftyp", b"avif", bytes(4)) + full(b"meta", bytes(40)) + box(b"mdat", SAMPLES))
    assert (reading.complete, reading.problems) == (None, ())


def test_bytes_behind_the_last_box() -> None:
    assert codes(read(mp4() + b"<html>" * 10)) == [("trailing_data", "header")]


@pytest.mark.parametrize("kind", [b"url ", b"urn ", b"alis"])
def test_reference_to_another_file_is_refused(kind: bytes) -> None:
    reading = read(mp4(dref=full(kind, b"file:///etc/passwd\0")))
    assert reading.refused == "track 1 refers to another file, which is not opened"


@pytest.mark.parametrize("dref", [full(b"url ", flags=1), full(b"url "), full(b"alis", flags=1), full(b"url ", b"\0")])
def test_data_in_the_file_itself_is_not_refused(dref: bytes) -> None:
    assert read(mp4(dref=dref)).refused is None


def test_quicktime_reference_movie_is_refused() -> None:
    assert read(FTYP + box(b"moov", box(b"rmra", bytes(20)))).refused is not None


def test_fragments_without_an_end() -> None:
    reading = read(fragmented())
    assert (reading.complete, reading.problems) == (None, ())
    assert [track.sample_count for track in reading.tracks] == [None]


def test_fragment_without_its_data() -> None:
    reading = read(fragmented() + fragment(9, 0).partition(b"\0\0\1\xfcmdat")[0])
    assert (reading.complete, codes(reading)) == (False, [TRUNCATED])


@pytest.mark.parametrize(("milliseconds", "complete"), [(640, True), (639, True), (853, False)])
def test_fragments_against_their_declared_duration(milliseconds: int, complete: bool) -> None:
    reading = read(fragmented(3, mehd=milliseconds))
    assert reading.complete is complete
    assert codes(reading) == ([] if complete else [TRUNCATED])


def test_fragments_that_start_late_are_measured_from_their_start() -> None:
    data = fragmented(0, mehd=640) + fragment(1, 4_800_000) + fragment(2, 4_810_240)
    assert read(data).complete is False


def segment_index(*sizes: int) -> bytes:
    references = b"".join(integers(size, 10240, 0) for size in sizes)
    return full(b"sidx", integers(1, 48000, 0, 0), integers(0, len(sizes), code="H"), references)


def with_index(*sizes: int) -> bytes:
    whole = fragmented(3)
    start = whole.index(b"moof") - 4
    return whole[:start] + segment_index(*sizes) + whole[start:]


def test_segment_index_over_all_fragments() -> None:
    size = len(fragment(0, 0))
    assert read(with_index(size, size, size)).complete is True
    assert codes(read(with_index(size, size, size, size))) == [TRUNCATED]


def test_segment_index_before_every_segment_does_not_tell_the_end() -> None:
    size = len(fragment(0, 0))
    data = with_index(size, size, size)
    assert read(data + segment_index(size, size) + fragment(3, 0) + fragment(4, 0)).complete is None


def test_segment_index_of_one_segment_does_not_tell_the_end() -> None:
    assert read(with_index(len(fragment(0, 0)))).complete is None


def test_two_tracks_are_both_read() -> None:
    first, second = trak([10], [40]), trak([10, 10], [40]).replace(integers(0, 0, 1, 0, 0), integers(0, 0, 2, 0, 0))
    data = FTYP + box(b"moov", MVHD, first, second) + box(b"mdat", SAMPLES)
    assert [(track.track_id, track.sample_count) for track in read(data).tracks] == [(1, 1), (2, 2)]


def lose(data: bytes, number: int) -> bytes:
    """``data`` without its fragment of this number."""
    places = [*fragment_offsets(data), data.index(b"mfra") - 4]
    return data[: places[number]] + data[places[number + 1] :]


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("number", [0, 1, 2])
def test_fragment_that_the_index_names_is_missing(wide: bool, number: int) -> None:
    data = fragmented(3)
    whole = data + fragment_index(*fragment_offsets(data), wide=wide)
    assert (read(whole).complete, read(whole).problems) == (True, ())
    reading = read(lose(whole, number))
    assert (reading.complete, codes(reading)) == (False, [TRUNCATED])
    assert "names 3 fragments" in reading.problems[0].message


def test_index_of_several_tracks_names_fragments_together() -> None:
    data = fragmented(3)
    first, second, third = fragment_offsets(data)
    inner = fragment_index(first, second)[8:]
    assert read(data + box(b"mfra", inner, fragment_index(third)[8:])).complete is True
    assert read(data + box(b"mfra", inner, fragment_index(len(data))[8:])).complete is False


def test_index_of_some_fragments_only_is_believed() -> None:
    data = fragmented(3)
    assert read(data + fragment_index(fragment_offsets(data)[1])).complete is True


def test_index_without_entries_shows_no_end() -> None:
    assert read(fragmented(3) + fragment_index()).complete is None
    assert read(fragmented(3) + box(b"mfra", full(b"mfro", integers(24)))).complete is None


def test_index_that_was_not_moved_with_its_fragments() -> None:
    data = fragmented(3)
    index = fragment_index(*fragment_offsets(data))
    reading = read(FTYP + box(b"free", bytes(92)) + data[len(FTYP) :] + index)
    assert (reading.complete, codes(reading)) == (True, [("mp4.fragment_index", "header")])
    assert "off by 100 bytes" in reading.problems[0].message


@pytest.mark.parametrize("moov_first", [True, False])
def test_second_movie_behind_the_first(moov_first: bool) -> None:
    once = mp4(moov_first=moov_first)
    reading = read(once + once)
    assert (reading.complete, codes(reading)) == (True, [("trailing_data", "header")])
    assert f"byte {len(once)}:" in reading.problems[0].message


def test_media_in_several_boxes_are_one_movie() -> None:
    assert read(mp4() + box(b"free", bytes(10)) + box(b"mdat", SAMPLES)).problems == ()
