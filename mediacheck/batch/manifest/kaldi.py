"""Kaldi's data folder: ``wav.scp``, and ``text``, ``utt2spk``, ``utt2lang`` beside it where they are."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from typing import Any, Final

from mediacheck.batch import places
from mediacheck.batch.errors import ManifestError
from mediacheck.batch.manifest.rows import Row
from mediacheck.batch.manifest.source import Source

SCP: Final = "wav.scp"
BESIDE: Final = {"text": "text", "utt2spk": "speaker", "utt2lang": "language"}
"""File, and the key that its values have."""
COLUMNS: Final = ("id", "media", "text", "speaker", "language")
_FILES = {key: name for name, key in BESIDE.items()}
_SEGMENTS = "segments"
# A file of another kind altogether need not be told line by line.
_MOST_UNREADABLE = 1000
_ARCHIVE = re.compile(r".*\.ark(:[0-9]+)?(\[.*\])?", re.IGNORECASE)


def beside(scp: Source) -> dict[str, Source]:
    """The files beside ``wav.scp``, by the key of their values.

    Raises:
        ManifestError: one cannot be read, or there are segments: parts of files are no outputs.
    """
    folder = places.base_of(scp.place)
    if _source(folder, _SEGMENTS) is not None:
        raise ManifestError(
            f"{places.printable(folder)} has a file 'segments': parts of recordings are no outputs; save each "
            "utterance as a file of its own, and write a wav.scp of those"
        )
    found = {key: _source(folder, name) for name, key in BESIDE.items()}
    return {key: source for key, source in found.items() if source is not None}


def is_empty(scp: Source) -> bool:
    return next(_pairs(scp), None) is None


def rows(scp: Source, others: dict[str, Source]) -> Iterator[Row]:
    """A line of ``wav.scp`` a row, with what the other files say of its id; then what is left over in those."""
    with _Index(others) as index:
        for number, id, value, problem in _pairs(scp):
            where = f"line {number}"
            if problem is not None or not value:
                yield Row(where, {"id": id} if id else {}, problem or "it names no file; write an id and a path")
                continue
            said, twice = index.take(id)
            yield Row(where, {"id": id, "media": value, **said}, _not_a_path(value) or twice)
        yield from index.left_over()


def _source(folder: str, name: str) -> Source | None:
    try:
        return Source(places.join(folder, name))
    except FileNotFoundError:
        return None


def _pairs(source: Source) -> Iterator[tuple[int, str, str, str | None]]:
    """The number of each line, its id, the rest of it, and what is wrong with it; empty lines are left out."""
    for number, line in source.lines():
        if line is None:
            yield number, "", "", "it is longer than 16 MiB"
            continue
        try:
            parts = line.decode().strip(" \t\r\n").split(None, 1)
        except UnicodeDecodeError:
            yield number, "", "", "it is not UTF-8; save it as UTF-8"
            continue
        if parts:
            yield number, parts[0], parts[1] if len(parts) == 2 else "", None


def _not_a_path(value: str) -> str | None:
    if value.endswith("|") or value.startswith("|"):
        return "it is a command, and commands of a manifest are never run; save what it gives as a file, and name that"
    if value == "-":
        return "it names standard input; save it as a file, and name that"
    if _ARCHIVE.fullmatch(value):
        return "it names a part of an archive; save each utterance as a file, and name that"
    return None


class _Index:
    """What the files beside ``wav.scp`` say, by id, whatever the order: on disk, for there may be millions."""

    def __init__(self, sources: dict[str, Source]) -> None:
        self._sources = sources
        self._unreadable: list[Row] = []
        # An empty name: a database in a file of its own that is gone when it is closed.
        self._base = sqlite3.connect("", isolation_level=None, check_same_thread=False)

    def __enter__(self) -> _Index:
        try:
            self._base.execute("BEGIN")
            for key, source in self._sources.items():
                self._base.execute(
                    f"CREATE TABLE {key} (id TEXT PRIMARY KEY, line INTEGER, value TEXT, twice INTEGER DEFAULT 0, "
                    "taken INTEGER DEFAULT 0)"
                )
                self._base.executemany(
                    f"INSERT INTO {key} (id, line, value) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
                    "twice = CASE twice WHEN 0 THEN excluded.line ELSE twice END",
                    self._readable(key, source),
                )
        except sqlite3.OperationalError as error:
            raise ManifestError(
                f"the files beside {SCP} cannot be read together: {error}; make room in the folder for temporary files"
            ) from error
        return self

    def __exit__(self, *_: object) -> None:
        self._base.close()

    def take(self, id: str) -> tuple[dict[str, str], str | None]:
        """What is said of an id, by key; and what is wrong with it."""
        said: dict[str, str] = {}
        problem = None
        for key in self._sources:
            found: Any = self._base.execute(f"SELECT rowid, value, twice FROM {key} WHERE id = ?", (id,)).fetchone()
            if found is None:
                continue
            row, said[key], twice = found
            self._base.execute(f"UPDATE {key} SET taken = 1 WHERE rowid = ?", (row,))
            if twice and problem is None:
                problem = f"{_FILES[key]} has its id in line {twice} again; leave one"
        return said, problem

    def left_over(self) -> Iterator[Row]:
        """Lines of other files that cannot be read, and ids that only ``text`` has: outputs that were to be."""
        yield from self._unreadable
        if "text" in self._sources:
            for line, id in self._base.execute("SELECT line, id FROM text WHERE taken = 0 ORDER BY line"):
                yield Row(f"text line {line}", {"id": id}, f"{SCP} has no line of this id; add it, or remove this one")

    def _readable(self, key: str, source: Source) -> Iterator[tuple[str, int, str]]:
        for number, id, value, problem in _pairs(source):
            if problem is None:
                yield id, number, value
            elif len(self._unreadable) < _MOST_UNREADABLE:
                self._unreadable.append(Row(f"{_FILES[key]} line {number}", problem=problem))
