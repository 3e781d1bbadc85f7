"""MP4, MOV and their kin: the boxes of the file, whole, fragmented or cut."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from mediacheck.facts import Problem
from mediacheck.media.headers.boxes import MAX_BOXES, Box, body, box_at, child, children
from mediacheck.media.headers.mp4fragments import fragments_end
from mediacheck.media.headers.mp4tables import SampleTable, missing_samples, read_table
from mediacheck.media.headers.mp4tracks import external_reference, read_track
from mediacheck.media.headers.problems import header, trailing_data, truncated, undecodable
from mediacheck.media.headers.source import Source
from mediacheck.media.headers.tags import only_tags
from mediacheck.media.reading import ContainerReading, TrackReading

_MAIN = frozenset((b"ftyp", b"moov", b"mdat", b"moof", b"styp"))
_TOP_LEVEL = _MAIN | frozenset(
    (b"free", b"skip", b"wide", b"pnot", b"sidx", b"uuid", b"meta", b"mfra", b"emsg", b"prft", b"pdin", b"ssix")
)
_MAX_TRACKS = 1000


class _Top(NamedTuple):
    boxes: list[Box]
    problems: list[Problem]


def starts(source: Source) -> bool:
    """Whether the file starts with a box of this family."""
    box = box_at(source, 0, source.size)
    if box is None:
        return False
    # "free" and "skip" are also words: there the size must be right as well.
    return box.kind in _MAIN or (box.kind in _TOP_LEVEL and box.end <= source.size and not box.open_ended)


def _top_level(source: Source) -> _Top:
    boxes: list[Box] = []
    position = 0
    for _ in range(MAX_BOXES):
        rest = source.size - position
        if rest <= 0:
            break
        box = box_at(source, position, source.size)
        if box is None or (boxes and not _plausible(source, position, box)):
            return _Top(boxes, _leftover(source, position, rest))
        boxes.append(box)
        if box.end > source.size:
            message = f"the {box.name} box ends at byte {box.end}, the file has {source.size} bytes"
            return _Top(boxes, [truncated(message)])
        position = box.end
    return _Top(boxes, [])


def _plausible(source: Source, position: int, box: Box) -> bool:
    """A box beyond the file is believed where its name is known: anything else there is no box at all."""
    return box.kind in _TOP_LEVEL or box.end <= source.size


def _leftover(source: Source, position: int, rest: int) -> list[Problem]:
    tail = source.at(position, min(rest, 16))
    # QuickTime closes some lists with four zero bytes.
    if (rest < 8 and not tail.strip(b"\0")) or only_tags(source, position):
        return []
    if rest < 8 or (rest < 16 and tail[:4] == b"\0\0\0\1"):
        return [truncated(f"the file ends inside the header of a box at byte {position}")]
    return [trailing_data(f"{rest} bytes follow the last box, which ends at byte {position}")]


def read(source: Source) -> ContainerReading:
    """Read the boxes of an MP4 file, down to the tables that say where each sample lies."""
    top = _top_level(source)
    kinds = {box.kind for box in top.boxes}
    problems = list(top.problems)
    moov = next((box for box in top.boxes if box.kind == b"moov"), None)
    if moov is None:
        return _without_moov(source, kinds, problems)
    tracks, tables, refused = _tracks(source, moov)
    fragmented = b"moof" in kinds or child(source, moov, b"mvex") is not None
    if fragmented:
        # The index counts the samples before the first fragment only.
        tracks = [msgspec.structs.replace(track, sample_count=None) for track in tracks]
    # A moov that is cut has cut tables: nothing in them can be told from a fault.
    whole_moov = moov.end <= source.size
    if whole_moov:
        problems += _table_problems(source, tracks, tables)
    if not fragmented:
        problems += _second_movie(source, top)
    complete: bool | None = not any(problem.affects == "complete" for problem in problems)
    completeness = "by the sizes of its boxes and the places of its samples"
    if fragmented and complete:
        verdict = fragments_end(source, moov, top.boxes)
        problems += verdict.problems
        complete, completeness = verdict.complete, verdict.completeness
    elif complete and not tracks:
        complete, completeness = None, "its index names no track"
    elif complete and not all(table.readable for table in tables):
        complete, completeness = None, "the tables that place its samples cannot be read"
    return ContainerReading(
        family="mp4",
        complete=complete,
        completeness=completeness,
        problems=tuple(problems),
        refused=refused,
        tracks=tuple(tracks),
    )


def _second_movie(source: Source, top: _Top) -> list[Problem]:
    """A movie that starts behind the first: players take the first index only."""
    start = 0
    seen: set[bytes] = set()
    for box in top.boxes:
        if b"moov" in seen and (box.kind == b"moov" or (box.kind == b"ftyp" and b"mdat" in seen)):
            message = (
                f"a second movie starts at byte {start}: players leave the {source.size - start} bytes from there out"
            )
            return [trailing_data(message)]
        seen.add(box.kind)
        start = box.end
    return []


def _tracks(source: Source, moov: Box) -> tuple[list[TrackReading], list[SampleTable], str | None]:
    mvhd = body(source, child(source, moov, b"mvhd"), 28)
    long = mvhd[:1] == b"\1"
    scale_at = 20 if long else 12
    movie_timescale = int.from_bytes(mvhd[scale_at : scale_at + 4], "big") if len(mvhd) >= scale_at + 4 else 0
    tracks: list[TrackReading] = []
    tables: list[SampleTable] = []
    refused = None
    if child(source, moov, b"rmra") is not None:
        refused = "the movie is a QuickTime reference movie: it names other files, which are not opened"
    traks = (box for box in children(source, moov) if box.kind == b"trak")
    for number, trak in enumerate(traks, 1):
        if number > _MAX_TRACKS:
            break
        table = read_table(source, trak)
        track = read_track(source, trak, number, movie_timescale, table.sample_count)
        refused = refused or external_reference(source, trak, track.track_id if track else number)
        if track is not None:
            tracks.append(track)
            tables.append(table)
    return tracks, tables, refused


def _table_problems(source: Source, tracks: list[TrackReading], tables: list[SampleTable]) -> list[Problem]:
    problems = []
    for track, table in zip(tracks, tables, strict=True):
        if table.end > source.size:
            lost = missing_samples(table, source.size)
            message = (
                f"track {track.track_id} ends at byte {table.end}, the file has {source.size} bytes: "
                f"{lost} of {table.sample_count} samples are missing"
            )
            problems.append(truncated(message))
        if table.placed is not None and table.placed != table.sample_count:
            message = f"track {track.track_id} declares {table.sample_count} samples, its chunks hold {table.placed}"
            problems.append(header("mp4.sample_count", message))
    return problems


def _without_moov(source: Source, kinds: set[bytes], problems: list[Problem]) -> ContainerReading:
    if b"meta" in kinds and not problems:
        return ContainerReading(family="mp4", completeness="a picture file, without an index of tracks")
    problems.append(undecodable("mp4.no_moov", "the file has no moov box, the index of its tracks"))
    if not any(problem.affects == "complete" for problem in problems):
        problems.append(truncated(f"the file ends at byte {source.size}, before the index of its tracks"))
    return ContainerReading(
        family="mp4", complete=False, completeness="there is no index of tracks", problems=tuple(problems)
    )
