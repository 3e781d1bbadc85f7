"""A plain folder: every media file in it, by its suffix."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mediacheck.api import printable_name
from mediacheck.suffixes import MEDIA_SUFFIXES

LONGEST_ID = 1000


@dataclass(frozen=True)
class Found:
    """A file, or a folder that cannot be listed."""

    relative: str
    """``os.fsdecode``; with slashes."""
    is_media: bool
    """By its suffix."""
    unlisted: str | None = None
    """Why a folder cannot be listed."""

    @property
    def name(self) -> str:
        return printable_name(self.relative)

    @property
    def id(self) -> str:
        """The name, shortened where it is too long for an id."""
        name = self.name
        if len(name) <= LONGEST_ID:
            return name
        return f"{name[: LONGEST_ID - 17]}~{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def walk(folder: str) -> Iterator[Found]:
    """All files, sorted by the bytes of their paths; hidden ones are left out, links to folders are not followed."""
    # A stack, since folders may lie deeper than Python calls.
    stack = [_listed(folder, "")]
    while stack:
        found = next(stack[-1], None)
        if found is None:
            stack.pop()
        elif isinstance(found, Found):
            yield found
        else:
            stack.append(_listed(folder, found))


def is_media(name: str) -> bool:
    return os.path.splitext(name)[1].lower() in MEDIA_SUFFIXES


def media_in(folder: str, unless: Callable[[str], bool]) -> list[str]:
    """The names of the media files that lie in a folder itself, sorted by their bytes; none where it is not there.

    Args:
        folder: to look into.
        unless: names to leave out. Asked while the folder is read: as a rule it leaves out all of a million.
    """
    try:
        with os.scandir(folder) as entries:
            names = [
                entry.name
                for entry in entries
                if is_media(entry.name)
                and not entry.name.startswith(".")
                and not entry.is_dir()
                and not unless(entry.name)
            ]
    except OSError:
        return []
    return sorted(names, key=os.fsencode)


def _listed(folder: str, relative: str) -> Iterator[Found | str]:
    """What lies in a folder; folders in it as their relative paths."""
    try:
        with os.scandir(os.path.join(folder, relative)) as entries:
            # A folder sorts as the paths in it do: "a.wav" before "a/b.wav".
            names = sorted(
                (os.fsencode(entry.name) + (b"/" if _is_folder(entry) else b""), _leads_to_folder(entry))
                for entry in entries
                if not entry.name.startswith(".")
            )
    except OSError as error:
        yield Found(relative + "/", False, error.strerror or str(error))
        return
    for raw, link in names:
        name = os.fsdecode(raw)
        path = relative + "/" + name if relative else name
        if name.endswith("/"):
            yield path[:-1]
        else:
            yield Found(path, is_media(name) and not link)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_symlink() and entry.is_dir()
    except OSError:
        return False
