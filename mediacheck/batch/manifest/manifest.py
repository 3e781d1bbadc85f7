"""A manifest of whatever format, read item by item."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial

from mediacheck.api import printable_name
from mediacheck.batch import places
from mediacheck.batch.errors import ManifestError
from mediacheck.batch.item import Entry, Item
from mediacheck.batch.manifest.build import Builder
from mediacheck.batch.manifest.columns import Columns, shown
from mediacheck.batch.manifest.folder import media_in, walk
from mediacheck.batch.manifest.outputs import Outputs
from mediacheck.batch.manifest.rows import Row
from mediacheck.batch.manifest.source import Source
from mediacheck.batch.record import ManifestFile

_MOST_SHOWN = 100


class Manifest:
    """What a manifest asks, line by line. The same file gives the same items, however often they are read."""

    def __init__(self, format: str, base: str, sources: tuple[Source, ...]) -> None:
        self.format = format
        """As it was recognised: one of ``FORMATS``."""
        self.skipped = 0
        """Files of a plain folder that are no media by their suffix: known when its items were read to the end."""
        self._base = base
        self._sources = sources

    def files(self) -> tuple[ManifestFile, ...]:
        """The files that were read, with their digests; none for a plain folder."""
        return tuple(source.digest() for source in self._sources)

    def items(self) -> Iterator[Item]:
        """All items in the manifest's order, one by one; may be called again.

        A line that cannot be used gives an item too, whose ``entry.problem`` says why.

        Raises:
            ManifestError: the manifest breaks off (a disk that fails, a damaged Parquet file), changed since it was
                opened, or no line has a column that the user named.
        """
        raise NotImplementedError

    def extra_files(self, named: Callable[[str], bool]) -> Iterator[str]:
        """Media files that no item names: in the folder of outputs where one was given, else in the folders that
        directly hold the items' media. Of local files only.

        Args:
            named: whether an item has this place.

        Yields:
            Their paths from the folder of outputs, or from the manifest's, printable.
        """
        raise NotImplementedError


class FolderManifest(Manifest):
    """Every media file of a folder is an item."""

    def __init__(self, folder: str, roots: places.Roots) -> None:
        super().__init__("folder", folder, ())
        self._roots = roots

    def items(self) -> Iterator[Item]:
        skipped = 0
        position = 0
        for found in walk(self._base):
            problem = None
            place = os.path.join(self._base, found.relative)
            if found.unlisted is not None:
                problem = f"{found.name}: the folder cannot be listed ({found.unlisted}); change its mode or its name"
            elif not found.is_media:
                skipped += 1
                continue
            elif not self._roots.hold(place):
                problem = f"{found.name}: it is a link out of the folder; allow the folder that it leads to with --root"
            entry = Entry(id=found.id, media=found.name, problem=problem)
            yield Item(position, "", entry, place if problem is None else "")
            position += 1
        self.skipped = skipped

    def extra_files(self, named: Callable[[str], bool]) -> Iterator[str]:
        yield from ()


class LinesManifest(Manifest):
    """Every line is an item."""

    def __init__(
        self,
        format: str,
        sources: tuple[Source, ...],
        rows: Callable[[], Iterator[Row]],
        columns: Columns,
        roots: places.Roots,
        outputs: Outputs | None,
    ) -> None:
        super().__init__(format, places.base_of(sources[0].place), sources)
        self._rows = rows
        self._columns = columns
        self._outputs = outputs
        self._builder = Builder(columns, self._base, roots, outputs)
        self._folders: dict[str, None] | None = None

    def items(self) -> Iterator[Item]:
        folders: dict[str, None] = {}
        for item in self._builder.items(self._with_named(self._rows())):
            if item.place and not places.is_remote(item.place):
                folders[os.path.dirname(item.place)] = None
            yield item
        self._folders = folders

    def extra_files(self, named: Callable[[str], bool]) -> Iterator[str]:
        if self._outputs is not None:
            if not self._outputs.is_remote:
                for found in walk(self._outputs.place):
                    if found.is_media and not named(os.path.join(self._outputs.place, found.relative)):
                        yield found.name
            return
        if self._folders is None:
            for _ in self.items():
                pass
        # One folder may be written in several ways ("a/../b"), and each names its files.
        ways: dict[str, list[str]] = {}
        for folder in self._folders or ():
            ways.setdefault(os.path.realpath(folder), []).append(folder)
        for real, folders in sorted(ways.items()):
            for name in media_in(real, partial(_is_in, folders, named)):
                yield printable_name(os.path.relpath(os.path.join(real, name), os.path.realpath(self._base)))

    def _with_named(self, rows: Iterator[Row]) -> Iterator[Row]:
        """The rows, if the user's columns are among them: a mistyped one would read as nothing, line after line."""
        missing = set(self._columns.named)
        some = False
        seen: dict[str, None] = {}
        for row in rows:
            if missing and row.values:
                some = True
                missing.difference_update(row.values)
                if len(seen) < _MOST_SHOWN:
                    seen.update(dict.fromkeys(row.values))
            yield row
        if missing and some:
            column = min(missing)
            raise ManifestError(f"no line has {column!r}, which --column or --group names; there are: {shown(seen)}")


def _is_in(folders: list[str], named: Callable[[str], bool], name: str) -> bool:
    return any(named(os.path.join(folder, name)) for folder in folders)
