"""CSV and TSV with a header."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator

from mediacheck.batch.errors import ManifestError
from mediacheck.batch.manifest.rows import Row
from mediacheck.batch.manifest.source import Source
from mediacheck.serialise import is_text


def header(source: Source, delimiter: str) -> tuple[str, ...]:
    """The names of the columns.

    Raises:
        ManifestError: there is no header that can be read, or a name stands in it twice.
    """
    for _, fields, problem in _records(source, delimiter):
        names = tuple(name.strip() for name in fields)
        if problem is not None or not all(map(is_text, names)):
            raise ManifestError(f"{source.name}: its header cannot be read: {problem or 'it is not UTF-8'}")
        twice = [name for name in names if name and names.count(name) > 1]
        if twice:
            raise ManifestError(f"{source.name}: the column {twice[0]!r} stands twice in its header; rename one")
        return names
    return ()


def rows(source: Source, delimiter: str) -> Iterator[Row]:
    """A record a row, where it starts as its line; empty cells are left out, and so are empty lines."""
    names: tuple[str, ...] | None = None
    for number, fields, problem in _records(source, delimiter):
        if names is None:
            names = tuple(name.strip() for name in fields)
            continue
        where = f"line {number}"
        if problem is not None:
            yield Row(where, problem=problem)
            continue
        # Spreadsheets end in rows of separators only.
        if not any(fields):
            continue
        values = {name: value for name, value in zip(names, fields, strict=False) if name and value}
        if len(fields) != len(names):
            separator = "tab" if delimiter == "\t" else "comma"
            problem = f"it has {len(fields)} fields, and the header {len(names)}; quote what holds a {separator}"
            yield Row(where, values, problem)
        elif not all(map(is_text, fields)):
            yield Row(where, values, "it is not UTF-8; save the manifest as UTF-8")
        else:
            yield Row(where, values)


def _records(source: Source, delimiter: str) -> Iterator[tuple[int, list[str], str | None]]:
    """The number of the first line of each record, its fields, and what is wrong with it."""
    lines = _Lines(source)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        lines.begin()
        problem = None
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error:
            # A quote that is not closed takes in all that follows: those lines are read again, each for itself.
            lines.give_back()
            problem = "a quote in it is not closed or not doubled, or a field is too long; mend its quotes"
            fields = []
        if fields or problem:
            yield lines.first, fields, problem


class _Lines:
    """Lines for a csv reader, which remembers those of the record that is being read."""

    def __init__(self, source: Source) -> None:
        self._source = source.lines()
        self._back: deque[tuple[int, str]] = deque()
        self._record: list[tuple[int, str]] = []
        self.first = 0

    def begin(self) -> None:
        self._record = []

    def give_back(self) -> None:
        """All lines of the record but its first will come again."""
        self._back.extendleft(reversed(self._record[1:]))

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if self._back:
            number, text = self._back.popleft()
        else:
            number, line = next(self._source)
            # A field longer than the csv module takes is refused by it.
            text = "x" * (csv.field_size_limit() + 1) + "\n" if line is None else _text(line)
        if not self._record:
            self.first = number
        self._record.append((number, text))
        return text


def _text(line: bytes) -> str:
    text = line.decode(errors="surrogateescape")
    return text[:-2] + "\n" if text.endswith("\r\n") else text
