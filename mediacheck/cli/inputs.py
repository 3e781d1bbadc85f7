"""From the paths on the command line to the files to measure, each with a name of its own."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from mediacheck.api import kind_of, printable_name
from mediacheck.errors import PathError, UsageError
from mediacheck.suffixes import MEDIA_SUFFIXES

STDIN = "-"


@dataclass(frozen=True)
class Input:
    """One file to measure."""

    path: Path
    relative: PurePath
    """Under the folder that was named, or the bare file name: where saved facts go. Bytes as on disk."""

    @property
    def name(self) -> str:
        """What reports call it."""
        return printable_name(self.relative.as_posix())


@dataclass(frozen=True)
class Inputs:
    files: tuple[Input, ...]
    several: bool
    """Whether a list was asked for: more than one path, or a folder."""
    skipped: int
    """Files in folders that are not media by their suffix."""


def gather(paths: Sequence[str], *, suffixes: frozenset[str] = MEDIA_SUFFIXES, stdin: Path | None = None) -> Inputs:
    """The files that the paths name, folders walked in sorted order.

    Args:
        paths: as given on the command line.
        suffixes: which files of a folder count, in lower case with the dot.
        stdin: the file that holds standard input, where a path is ``-``.

    Raises:
        UsageError: the folder that relative paths count from is gone, or two files would have one name.
        PathError: a path is missing, unreadable or no regular file, or a folder holds no such file.
    """
    files: list[Input] = []
    skipped = 0
    folders = False
    for text in paths:
        if text == STDIN:
            if stdin is None:
                raise UsageError("standard input cannot be read here; name a file")
            files.append(Input(stdin, PurePath("stdin")))
            continue
        path = Path(text)
        if text and os.path.isdir(path):
            folders = True
            found, others = _walk(path, suffixes)
            if not found:
                rest = f" by the suffix ({others} other files)" if others else ""
                raise PathError(f"the folder {path} holds no media file{rest}; name files or another folder")
            files += found
            skipped += others
        else:
            refuse_unreadable(path, text)
            files.append(Input(path, PurePath(path.name)))
    try:
        own = _with_own_names(_once(files))
    except FileNotFoundError as error:
        raise UsageError("the working folder is gone; change to one that is there") from error
    return Inputs(own, folders or len(paths) > 1, skipped)


def refuse_unreadable(path: Path, text: str | None = None) -> None:
    """Raise where a path is not a regular file that can be read; a FIFO or device is never opened.

    Raises:
        PathError: it is missing, something else, or not permitted.
    """
    shown = str(path) if text is None else text
    try:
        mode = os.stat(path).st_mode if shown else None
    except (FileNotFoundError, NotADirectoryError):
        what = "is a link to a file that is not there" if path.is_symlink() else "does not exist"
        raise PathError(f"{shown} {what}; check the path") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise PathError(f"cannot read {shown}: {reason}; check the path") from None
    if mode is None:
        raise PathError("an empty path was given; name a file or a folder")
    if not stat.S_ISREG(mode):
        raise PathError(f"{shown} is {kind_of(mode)}, not a file; copy it to a file, or pipe it into 'mediacheck … -'")
    if not os.access(path, os.R_OK):
        raise PathError(f"cannot read {shown}: permission denied; change its mode or run as its owner")


@contextmanager
def standard_input(wanted: bool) -> Iterator[Path | None]:
    """A file that holds all of standard input, gone when the block ends; None where it is not wanted."""
    if not wanted:
        yield None
        return
    import shutil
    import sys
    import tempfile

    if sys.stdin is None:
        raise UsageError("standard input is closed; name a file")
    descriptors = Path(f"/proc/{os.getpid()}/fd")
    # Where the system names open files, the copy needs no name of its own that a kill could leave behind.
    opened = tempfile.TemporaryFile if descriptors.is_dir() else tempfile.NamedTemporaryFile
    with opened(prefix="mediacheck-") as held:
        shutil.copyfileobj(sys.stdin.buffer, held)
        held.flush()
        yield descriptors / str(held.fileno()) if descriptors.is_dir() else Path(held.name)


def _walk(folder: Path, suffixes: frozenset[str]) -> tuple[list[Input], int]:
    found: list[Input] = []
    others = 0
    for parent, folders, names in os.walk(folder, onerror=_cannot_list):
        # Once for all files of a folder: for thousands, paths are most of the work.
        place = Path(parent)
        beneath = place.relative_to(folder)
        folders[:] = sorted((name for name in folders if not name.startswith(".")), key=os.fsencode)
        for name in sorted(names, key=os.fsencode):
            if name.startswith("."):
                continue
            if os.path.splitext(name)[1].lower() not in suffixes:
                others += 1
                continue
            path = place / name
            # A file that cannot be measured must not just be missing from the result.
            refuse_unreadable(path)
            found.append(Input(path, beneath / name))
    return sorted(found, key=lambda item: os.fsencode(item.relative)), others


def _cannot_list(error: OSError) -> None:
    raise PathError(f"cannot list the folder {error.filename}: {error.strerror}") from error


def _once(files: list[Input]) -> list[Input]:
    """Each file once, however often its path was given."""
    first: dict[str, Input] = {}
    for item in files:
        first.setdefault(os.path.abspath(item.path), item)
    return list(first.values())


def _with_own_names(files: list[Input]) -> tuple[Input, ...]:
    """Names that differ: where two would be the same, all count from the folder that they share."""
    if len({item.name for item in files}) == len(files):
        return tuple(files)
    on_disk = [item for item in files if item.relative != PurePath("stdin")]
    shared = os.path.commonpath([os.path.dirname(os.path.abspath(item.path)) for item in on_disk])
    renamed = [
        replace(item, relative=PurePath(os.path.relpath(os.path.abspath(item.path), shared)))
        if item in on_disk
        else item
        for item in files
    ]
    if len({item.name for item in renamed}) != len(renamed):
        raise UsageError("two of the files have the same name; measure them one by one")
    return tuple(renamed)
