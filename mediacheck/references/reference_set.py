"""A reference set: recordings with their texts, a licence, a source, and a digest for every file."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from typing import Annotated, Final

import msgspec

from mediacheck import serialise
from mediacheck.errors import MediacheckError
from mediacheck.facts import Struct
from mediacheck.resources import references_root

ABOUT: Final = "reference.toml"
MANIFEST: Final = "manifest.jsonl"
CHUNK: Final = 1 << 20

Filled = Annotated[str, msgspec.Meta(min_length=1)]


class ReferenceSetError(MediacheckError, ValueError):
    """A reference set is unknown or malformed."""


class About(Struct, frozen=True, kw_only=True):
    """``reference.toml``."""

    id: Filled
    summary: Filled
    licence: Filled
    """SPDX identifier, of audio and texts."""
    source: Filled
    """Where they come from, so that somebody else could get or make them."""
    digests: dict[str, Annotated[str, msgspec.Meta(pattern="^sha256:[0-9a-f]{64}$")]]
    """Of the manifest and of every audio file, by path within the set."""


class Entry(Struct, frozen=True, kw_only=True):
    """A line of ``manifest.jsonl``."""

    id: Filled
    text: str
    language: Filled
    """ISO 639-1."""
    speaker: str | None = None
    audio: Filled
    """Path within the set, with forward slashes."""


class ReferenceSet(Struct, frozen=True, kw_only=True):
    """A set as it was read; ``verify`` says whether its files are the ones that it states."""

    about: About
    entries: tuple[Entry, ...]

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(sorted({entry.language for entry in self.entries}))

    @property
    def speakers(self) -> tuple[str, ...]:
        return tuple(sorted({entry.speaker for entry in self.entries if entry.speaker is not None}))


def shipped() -> tuple[str, ...]:
    """The ids of the sets that come with mediacheck."""
    return tuple(sorted(item.name for item in references_root().iterdir() if (item / ABOUT).is_file()))


def folder_of(name: str) -> Traversable:
    """The folder of a set, by id or by path.

    Raises:
        ReferenceSetError: there is none.
    """
    if name in shipped():
        return references_root() / name
    path = Path(name)
    if (path / ABOUT).is_file():
        return path
    raise ReferenceSetError(
        f"there is no reference set {name!r}; name a folder with {ABOUT}, or one of: {', '.join(shipped())}"
    )


def load(folder: Traversable) -> ReferenceSet:
    """Read a set; its files are not looked at.

    Raises:
        ReferenceSetError: naming the file and what is wrong in it.
    """
    try:
        about = serialise.convert(tomllib.loads(_text(folder / ABOUT)), About)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ReferenceSetError(f"{folder.name}/{ABOUT}: {error}") from error
    entries: list[Entry] = []
    for number, line in enumerate(_text(folder / MANIFEST).split("\n"), 1):
        if line.strip():
            entries.append(_entry(line, f"{folder.name}/{MANIFEST}, line {number}"))
    if not entries:
        raise ReferenceSetError(f"{folder.name}/{MANIFEST} holds no line; a set has at least one recording")
    ids = [entry.id for entry in entries]
    if twice := sorted({id for id in ids if ids.count(id) > 1}):
        raise ReferenceSetError(f"{folder.name}/{MANIFEST}: the id {twice[0]!r} stands there twice")
    return ReferenceSet(about=about, entries=tuple(entries))


def verify(folder: Traversable) -> tuple[str, ...]:
    """What is wrong with the files of a set, one clause each; empty where every byte is as stated.

    Every file of the manifest must have a digest, every digest its file, and every file below the folder a digest.

    Raises:
        ReferenceSetError: the set cannot be read.
    """
    found = load(folder)
    digests = found.about.digests
    problems: list[str] = []
    for path, digest in sorted(digests.items()):
        if not _inside(path):
            problems.append(f"{path} leads out of the set")
            continue
        item = folder.joinpath(*PurePosixPath(path).parts)
        if not item.is_file():
            problems.append(f"{path} is missing")
        elif (actual := digest_of(item)) != digest:
            problems.append(f"{path} has {actual}, not {digest}")
    stated = {MANIFEST, *(entry.audio for entry in found.entries)}
    problems += [f"{path} has no digest in {ABOUT}" for path in sorted(stated - digests.keys())]
    unused = digests.keys() - stated
    problems += [f"{path} has a digest, but no line in {MANIFEST}" for path in sorted(unused)]
    extra = set(_files(folder)) - digests.keys() - {ABOUT}
    problems += [f"{path} belongs to no entry" for path in sorted(extra)]
    return tuple(problems)


def _entry(line: str, where: str) -> Entry:
    try:
        entry = serialise.from_json(line.encode(), Entry)
    except msgspec.DecodeError as error:
        raise ReferenceSetError(f"{where}: {error}") from error
    if not _inside(entry.audio):
        raise ReferenceSetError(f"{where}: {entry.audio!r} leads out of the set; write a path within it")
    return entry


def _inside(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and ".." not in parts


def _text(item: Traversable) -> str:
    try:
        return item.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise ReferenceSetError(f"cannot read {item.name} of the reference set: {reason}") from error


def digest_of(item: Traversable) -> str:
    """``sha256:`` of a file's bytes."""
    digest = hashlib.sha256()
    with item.open("rb") as file:
        while piece := file.read(CHUNK):
            digest.update(piece)
    return f"sha256:{digest.hexdigest()}"


def _files(folder: Traversable, prefix: str = "") -> Iterator[str]:
    for item in folder.iterdir():
        if item.is_dir():
            yield from _files(item, f"{prefix}{item.name}/")
        else:
            yield prefix + item.name
