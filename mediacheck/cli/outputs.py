"""Where results go: standard output, and files typed by option or extension."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click
import msgspec

from mediacheck import serialise
from mediacheck.cli.finished import Finished
from mediacheck.errors import UsageError
from mediacheck.verdict import WrittenReports

STDOUT = "-"


@dataclass(frozen=True)
class Target:
    """One file to write, or standard output for JSON."""

    kind: Literal["json", "junit"]
    path: Path | None


@dataclass(frozen=True)
class Outputs:
    targets: tuple[Target, ...]
    quiet: bool

    @property
    def places(self) -> frozenset[str]:
        """The files that will be written, links followed."""
        return frozenset(os.path.realpath(target.path) for target in self.targets if target.path is not None)

    @property
    def json_owns_stdout(self) -> bool:
        return any(target.path is None for target in self.targets)

    @property
    def text_wanted(self) -> bool:
        return not self.quiet and not self.json_owns_stdout


def plan(
    json: str | None, junit: str | None, typed: Sequence[str], *, quiet: bool, sources: Sequence[Path] = ()
) -> Outputs:
    """What to write where, each place proven writable before anything is measured.

    Args:
        json: a file, or ``-`` for standard output.
        junit: a file.
        typed: files whose extension says what they are: ``.json``, ``.junit.xml`` or ``.xml``.
        quiet: no text on standard output.
        sources: files that are read, and must not be overwritten.

    Raises:
        UsageError: an unknown extension, one file for two results, or a place that cannot be written.
    """
    targets: list[Target] = []
    for option, given in (("--json", json), ("--junit", junit)):
        if given == "":
            raise UsageError(f"{option} was given an empty name; name a file")
    if json == STDOUT and sys.stdout is None:
        raise UsageError("--json - cannot be written: standard output is closed; name a file")
    if json is not None:
        targets.append(Target("json", None if json == STDOUT else Path(json)))
    if junit == STDOUT:
        raise UsageError("--junit -: only --json goes to standard output; name a file, or write ./- for one named -")
    if junit is not None:
        targets.append(Target("junit", Path(junit)))
    targets += [Target(_kind_of(name), Path(name)) for name in typed]
    places = [os.path.realpath(target.path) for target in targets if target.path is not None]
    for place in places:
        if places.count(place) > 1:
            raise UsageError(f"{os.path.basename(place)} is named for two results; give each a file of its own")
    for target in targets:
        if target.path is not None:
            if _is_one_of(target.path, sources):
                raise UsageError(f"{target.path} is one of the files to read; write the result elsewhere")
            prove_writable(target.path)
    return Outputs(tuple(targets), quiet)


def _is_one_of(path: Path, sources: Sequence[Path]) -> bool:
    """Whether a file is one of those to read; another name for it (a hard link) is replaced, and they are not."""
    # Following the links of thousands of paths takes as long as measuring some files: most are another file already.
    there = os.path.exists(path)
    alike = (source for source in sources if os.path.exists(source) == there)
    same = (source for source in alike if not there or os.path.samefile(path, source))
    return os.path.realpath(path) in map(os.path.realpath, same)


def wants_junit(junit: str | None, typed: Sequence[str]) -> bool:
    """Whether JUnit is among the results, by the options that ``plan`` takes.

    Raises:
        UsageError: an unknown extension.
    """
    return junit is not None or "junit" in map(_kind_of, typed)


def prove_writable(path: Path) -> None:
    """Raise where a file could not be written.

    Raises:
        UsageError: it is a folder, its name cannot be, or its folder is missing or refuses.
    """
    prove_name(path)
    if not _is_special(path):
        prove_folder(Path(path.parent if not path.is_symlink() else os.path.dirname(os.path.realpath(path))))
    elif not os.access(path, os.W_OK):
        raise UsageError(f"cannot write {path}: permission denied")


def prove_name(path: Path) -> None:
    """Raise where no file can have this name; its folder need not be there yet.

    Raises:
        UsageError: it is a folder, or the name is too long, leads through a file, or through links without end.
    """
    try:
        folder = stat.S_ISDIR(os.stat(path).st_mode)
    except FileNotFoundError:
        return
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}; choose another name") from error
    if folder:
        raise UsageError(f"cannot write {path}: it is a folder")


def prove_folder(folder: Path) -> None:
    """Raise where no file can be made in a folder. Trying is the only test that file systems and root agree on.

    Raises:
        UsageError: it is missing or refuses.
    """
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UsageError(f"cannot write into {folder}: {error.strerror}; make the folder or choose another") from error


def prepare_folder(folder: Path) -> None:
    """Make a folder for results.

    Raises:
        UsageError: it cannot be made or written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the folder {folder}: {error.strerror}") from error
    prove_folder(folder)


def write_file(path: Path, data: bytes) -> None:
    """As ``write_pieces``, of one piece."""
    write_pieces(path, (data,))


def write_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file whole or not at all; through a link, and into a device or FIFO, instead of in its place."""
    if _is_special(path):
        with path.open("wb") as special:
            special.writelines(pieces)
    else:
        with serialise.written_atomically(Path(os.path.realpath(path)) if path.is_symlink() else path) as stream:
            stream.writelines(pieces)


def _is_special(path: Path) -> bool:
    """Whether a device, FIFO or socket is there: /dev/null, /dev/stdout, a named pipe."""
    return os.path.exists(path) and not os.path.isfile(path)


def write(outputs: Outputs, finished: Sequence[Finished], *, several: bool) -> None:
    """Write every target; JUnit is made of whole reports."""
    for target in outputs.targets:
        if target.kind == "junit":
            from mediacheck.report import junit

            pieces: Iterable[bytes] = [junit.render([one.report for one in finished if one.report is not None])]
        elif several:
            pieces = _list_of([one.json for one in finished])
        else:
            pieces = [serialise.unnested(finished[0].json)]
        if target.path is None:
            click.echo(b"".join(pieces), nl=False)
        else:
            write_pieces(target.path, pieces)


def _list_of(reports: Sequence[bytes]) -> Iterator[bytes]:
    """The JSON of ``Reports``, piece by piece, of reports that are laid out already."""
    if not reports:
        yield serialise.to_json(WrittenReports(reports=()))
        return
    place = b"0"
    before, _, after = serialise.to_json(WrittenReports(reports=(msgspec.Raw(place),))).rpartition(place)
    yield before + reports[0]
    for report in reports[1:]:
        yield b"," + serialise.NESTED_LINE
        yield report
    yield after


def echo(text: str) -> None:
    """Text on standard output, with colours only where they are wanted: NO_COLOR over FORCE_COLOR over a terminal."""
    wanted = False if os.environ.get("NO_COLOR") else True if os.environ.get("FORCE_COLOR") else None
    click.echo(text, nl=False, color=wanted)


def note(text: str) -> None:
    """A remark on standard error."""
    # Standard error may be full or gone; what decides is the exit code and the reports.
    with suppress(OSError):
        click.echo(f"mediacheck: {text}", err=True)


def _kind_of(name: str) -> Literal["json", "junit"]:
    lowered = name.lower()
    if lowered.endswith(".json"):
        return "json"
    if lowered.endswith(".xml"):
        return "junit"
    raise UsageError(f"-o {name}: the extension says what to write; use .json, .junit.xml or .xml")
