"""Find out what a manifest is, and whether it can be read."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial

from mediacheck.batch import places
from mediacheck.batch.errors import ManifestError
from mediacheck.batch.manifest import jsonl, kaldi, parquet, seed_tts, table
from mediacheck.batch.manifest.columns import MEDIA_KEYS, Columns, choose_columns, refuse_unknown, shown
from mediacheck.batch.manifest.detect import detect_folder, detect_format
from mediacheck.batch.manifest.folder import walk
from mediacheck.batch.manifest.manifest import FolderManifest, LinesManifest, Manifest
from mediacheck.batch.manifest.options import ManifestOptions, check_options
from mediacheck.batch.manifest.outputs import Outputs
from mediacheck.batch.manifest.rows import Row
from mediacheck.batch.manifest.source import Source

# Lines by which the keys of JSON lines are told: a broken one, or one of another kind, may stand first.
_FIRST = 100
_DELIMITERS = {"csv": ",", "tsv": "\t"}
_MEDIA_KEYS = {"nemo": ("audio_filepath",), "audiofolder": ("file_name",)}
_BY_KEY = {key: format for format, keys in _MEDIA_KEYS.items() for key in keys}


def open_manifest(name: str, options: ManifestOptions) -> Manifest:
    """Find out what a manifest is, and whether it can be read.

    Args:
        name: a file, a folder, or the URL of a file.
        options: how to read it.

    Raises:
        ManifestError: it is not there, empty, of no known format, or the options do not fit it.
        MediacheckError: it is a URL, and what reads it is not installed.
    """
    check_options(options)
    if not name or "\0" in name:
        raise ManifestError("the name of the manifest is empty or holds a NUL character; name a file or a folder")
    place = places.local_place(name)
    format, inner = options.format, None
    if not places.is_remote(place) and os.path.isdir(place):
        format, inner = _in_folder(place, format, places.printable(name))
    elif format == "folder" or (places.is_remote(place) and place.endswith("/")):
        raise ManifestError(f"{places.printable(name)} is no folder that can be listed; name a local one")
    outputs = None if options.outputs is None else Outputs(options.outputs)
    own = [places.base_of(place)] if outputs is None else [places.base_of(place), outputs.place]
    roots = places.Roots([*own, *options.roots])
    if inner is None and format == "folder":
        return _open_folder(place, options, roots)
    try:
        source = Source(place if inner is None else os.path.join(place, inner))
    except FileNotFoundError as error:
        raise ManifestError(f"the manifest {places.printable(name)} is not there; check its path") from error
    return _Opening(source, options, roots, outputs).open(format)


def _in_folder(folder: str, format: str | None, name: str) -> tuple[str, str | None]:
    """The format of a folder, and the file in it to read."""
    if format == "folder":
        return format, None
    found, inner = detect_folder(folder)
    if format not in (None, found):
        raise ManifestError(f"{name} is a folder, and holds no manifest of the format {format}; name the file")
    return found, inner


def _open_folder(folder: str, options: ManifestOptions, roots: places.Roots) -> Manifest:
    for option, given in (("--outputs", options.outputs), ("--column", options.columns), ("--group", options.groups)):
        if given:
            raise ManifestError(f"{option} is for manifests with lines; a plain folder has none")
    skipped = 0
    for found in walk(folder):
        if found.unlisted is not None and found.relative == "/":
            raise ManifestError(f"cannot list the folder {places.printable(folder)}: {found.unlisted}")
        if found.is_media or found.unlisted is not None:
            return FolderManifest(folder, roots)
        skipped += 1
    rest = f" by the suffix ({skipped} other files)" if skipped else ""
    raise ManifestError(f"the folder {places.printable(folder)} holds no media file{rest}; name another, or a manifest")


@dataclass(frozen=True)
class _Opening:
    """A file on its way to be a manifest."""

    source: Source
    options: ManifestOptions
    roots: places.Roots
    outputs: Outputs | None

    def open(self, format: str | None) -> Manifest:
        """
        Args:
            format: as the user or the folder says; None: detected.
        """
        kind = format
        if format in (None, "audiofolder"):
            # Two formats have the keys of AudioFolder.
            kind = detect_format(self.source, self.options)
            if format is not None and kind not in ("jsonl", "csv"):
                raise ManifestError(f"{self.source.name} is no AudioFolder: that has metadata.jsonl or metadata.csv")
        if kind == "kaldi":
            return self._kaldi()
        if kind == "seed-tts":
            return self._seed_tts()
        if kind == "parquet":
            return self._parquet()
        if kind in _DELIMITERS:
            return self._table(kind, format)
        return self._jsonl(format)

    def _jsonl(self, format: str | None) -> Manifest:
        first = list(itertools.islice(jsonl.rows(self.source), _FIRST))
        if not first:
            raise self._empty()
        keys = _MEDIA_KEYS.get(format or "", MEDIA_KEYS)
        free = set(keys) - {column for _, column in self.options.columns}
        telling = next((row for row in first if free & row.values.keys()), None)
        there = telling.values if telling is not None else dict.fromkeys(key for row in first for key in row.values)
        if not there and self.outputs is None:
            # All of them are broken: nothing can be told, and each line says so itself.
            there = dict.fromkeys(keys[:1])
        columns = self._columns(list(there), keys)
        named = format or _BY_KEY.get(columns.media or "", "jsonl")
        return self._made(named, partial(jsonl.rows, self.source), columns)

    def _table(self, kind: str, format: str | None) -> Manifest:
        delimiter = _DELIMITERS[kind]
        there = table.header(self.source, delimiter)
        columns = self._columns(there, _MEDIA_KEYS.get(format or "", MEDIA_KEYS))
        refuse_unknown(columns, there, self.source.name)
        if format is None and kind == "csv" and self.source.name == "metadata.csv" and columns.media == "file_name":
            format = "audiofolder"
        return self._made(format or kind, partial(table.rows, self.source, delimiter), columns)

    def _parquet(self) -> Manifest:
        there = parquet.column_names(self.source)
        columns = self._columns(there, MEDIA_KEYS)
        refuse_unknown(columns, there, self.source.name)
        wanted = columns.all | {name for name in there if name.startswith("expect.")} | {"offset"}
        paths = {columns.media or "", columns.reference}
        return self._made("parquet", partial(parquet.rows, self.source, wanted, paths), columns)

    def _kaldi(self) -> Manifest:
        columns = self._fixed("kaldi", kaldi.COLUMNS)
        if self.outputs is not None:
            raise ManifestError("--outputs is for manifests that name no media; wav.scp names it: leave --outputs out")
        beside = kaldi.beside(self.source)
        if kaldi.is_empty(self.source):
            raise self._empty()
        rows = partial(kaldi.rows, self.source, beside)
        return self._made("kaldi", rows, columns, others=tuple(beside.values()), known_to_be_full=True)

    def _seed_tts(self) -> Manifest:
        columns = self._fixed("seed-tts", seed_tts.COLUMNS)
        if self.outputs is None:
            raise ManifestError(
                f"{self.source.name} of seed-tts-eval names no outputs; say where ID.wav lies with --outputs"
            )
        return self._made("seed-tts", partial(seed_tts.rows, self.source), columns)

    def _fixed(self, format: str, there: Collection[str]) -> Columns:
        if self.options.columns:
            raise ManifestError(f"--column is for keys and headers; a manifest of the format {format} has none")
        columns = choose_columns(self.options, there)
        refuse_unknown(columns, there, self.source.name)
        return columns

    def _columns(self, there: Collection[str], media_keys: Collection[str]) -> Columns:
        """Of a manifest with keys or a header; one that names media, or has a folder of outputs, and not both."""
        columns = choose_columns(self.options, there, media_keys)
        if self.outputs is not None and columns.media is not None:
            raise ManifestError(
                f"{self.source.name} names media in {columns.media!r}, and --outputs is given; leave --outputs out, or "
                f"say what that column is instead, such as --column reference={columns.media}"
            )
        if self.outputs is None and columns.media is None:
            raise ManifestError(
                f"{self.source.name} names no media: none of {', '.join(media_keys)} is there, but {shown(there)}; map "
                "one with --column media=NAME, or say with --outputs where ID.wav lies"
            )
        return columns

    def _made(
        self,
        format: str,
        rows: Callable[[], Iterator[Row]],
        columns: Columns,
        *,
        others: tuple[Source, ...] = (),
        known_to_be_full: bool = False,
    ) -> Manifest:
        if not known_to_be_full and next(rows(), None) is None:
            raise self._empty()
        return LinesManifest(format, (self.source, *others), rows, columns, self.roots, self.outputs)

    def _empty(self) -> ManifestError:
        return ManifestError(f"{self.source.name} names no output; a manifest has one line at least")
