"""``ledger.sqlite``: the durable record of a run, written as each item finishes. Nothing in it is ever erased.

Two kinds of subject have attempts: the items of the manifest (stages ``validate`` and ``score``) and the files that
they are held against (stage ``reference``). ``latest`` points at the attempt that counts; those before stay.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from mediacheck import serialise
from mediacheck.batch.errors import RunError
from mediacheck.batch.item import Entry, ExtraFiles, Item
from mediacheck.batch.record import RunRecord
from mediacheck.batch.results import Status

LEDGER: Final = "ledger.sqlite"
VERSION: Final = 1
"""Of the tables, in SQLite's user_version."""

Stage = Literal["reference", "validate", "score"]
AttemptStatus = Status | Literal["scored", "unsettled"]
"""``scored``: every score has a value, or will never have one. ``unsettled``: one may have a value when it is tried
again."""

_TABLES = """
CREATE TABLE about (key TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE item (
    position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, found_at TEXT NOT NULL, entry BLOB NOT NULL,
    place BLOB NOT NULL, reference_places BLOB NOT NULL, mine INTEGER NOT NULL
);
CREATE INDEX item_place ON item (place);
CREATE TABLE reference (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, place BLOB NOT NULL);
CREATE TABLE attempt (
    number INTEGER PRIMARY KEY, stage TEXT NOT NULL, subject INTEGER NOT NULL, status TEXT NOT NULL, reason TEXT,
    key TEXT NOT NULL, result BLOB, finished TEXT NOT NULL
);
CREATE INDEX attempt_subject ON attempt (stage, subject);
CREATE TABLE latest (
    stage TEXT NOT NULL, subject INTEGER NOT NULL, attempt INTEGER NOT NULL, tries INTEGER NOT NULL, state TEXT,
    PRIMARY KEY (stage, subject)
) WITHOUT ROWID;
"""
_SEPARATOR = b"\0"
"""Between the places of references: no path holds it."""


@dataclass(frozen=True)
class Attempt:
    """What came of trying one stage of one subject."""

    status: AttemptStatus
    key: str
    """Digest of what it was made of: the media, and for a score its references; ``""`` where nothing was read."""
    reason: str | None = None
    result: bytes | None = None
    """As JSON: of the stage's own type."""
    state: str | None = None
    """By which the file is known to be the same without reading it; None: it must be read again."""
    tries: int = 1
    """Attempts on this key."""
    number: int = 0
    """In the order of writing, from 1."""


class Ledger:
    """One process writes it; SQLite's lock keeps a second one out."""

    def __init__(self, folder: Path) -> None:
        """Open the ledger of a run folder, made where it is not there.

        Raises:
            RunError: another process is writing it, or it is no ledger that this version reads.
            OSError: the system refuses: a full disk, a folder that cannot be written.
        """
        self._path = folder / LEDGER
        self._database = _opened(self._path)
        if not self._path.exists():
            # Another process gave its new run up, and took the file away, while this one waited for its lock.
            self.close()
            raise RunError(f"another process has just removed {folder}; start again")

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._database.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is written within, or none of it; part of the transaction around it, where there is one."""
        if self._database.in_transaction:
            yield
            return
        with _refusals(self._path):
            self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            # A full disk has rolled it back already.
            with suppress(sqlite3.Error):
                self._database.execute("ROLLBACK")
            raise
        with _refusals(self._path):
            self._database.execute("COMMIT")

    def record(self) -> RunRecord | None:
        """By what the run is made; None where it has not begun."""
        value = self._about("record")
        return None if value is None else serialise.from_json(value, RunRecord)

    def set_record(self, record: RunRecord) -> None:
        self._set_about("record", serialise.to_compact_json(record))

    def complete(self) -> bool:
        """Whether the last start came to its end: every item has its outcome."""
        return self._about("complete") == b"true"

    def set_complete(self, complete: bool) -> None:
        self._set_about("complete", serialise.to_compact_json(complete))

    def extra(self) -> ExtraFiles:
        """Media that no item names, as the manifest was last read."""
        value = self._about("extra")
        return ExtraFiles() if value is None else serialise.from_json(value, ExtraFiles)

    def set_extra(self, extra: ExtraFiles) -> None:
        self._set_about("extra", serialise.to_compact_json(extra))

    def _about(self, key: str) -> bytes | None:
        with _refusals(self._path):
            row = self._database.execute("SELECT value FROM about WHERE key = ?", (key,)).fetchone()
        return None if row is None else bytes(row[0])

    def _set_about(self, key: str, value: bytes) -> None:
        with self.transaction(), _refusals(self._path):
            self._database.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (key, value))

    def clear_items(self) -> None:
        """Before they are written anew from the manifest: their files may lie elsewhere now. Attempts stay."""
        with _refusals(self._path):
            self._database.execute("DELETE FROM item")

    def add_item(self, item: Item, *, mine: bool = True) -> bool:
        """Write an item; False where its id is there already.

        Args:
            item: of the manifest.
            mine: whether it is of this run; those of other shards are there to tell what is named twice or by nobody.
        """
        row = (
            item.position,
            item.entry.id,
            item.where,
            serialise.to_compact_json(item.entry),
            os.fsencode(item.place),
            _SEPARATOR.join(os.fsencode(place) for place in item.reference_places),
            mine,
        )
        with _refusals(self._path):
            try:
                self._database.execute("INSERT INTO item VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            except sqlite3.IntegrityError:
                return False
        return True

    def found_at(self, id: str) -> str | None:
        """Where the item of this id stands in the manifest; None: there is none."""
        with _refusals(self._path):
            row = self._database.execute("SELECT found_at FROM item WHERE id = ?", (id,)).fetchone()
        return None if row is None else str(row[0])

    def names(self, place: str) -> bool:
        """Whether an item's output or reference lies there, of whatever shard."""
        query = "SELECT 1 FROM item WHERE place = :at UNION ALL SELECT 1 FROM named WHERE place = :at"
        with _refusals(self._path):
            row = self._database.execute(query, {"at": os.fsencode(place)}).fetchone()
        return row is not None

    def add_named(self, place: str) -> None:
        """Remember, until this ledger is closed, that some item is held against what lies there."""
        with _refusals(self._path):
            self._database.execute("INSERT OR IGNORE INTO named VALUES (?)", (os.fsencode(place),))

    def count(self) -> int:
        """Items of this run."""
        with _refusals(self._path):
            (number,) = self._database.execute("SELECT count(*) FROM item WHERE mine").fetchone()
        return int(number)

    def items(self, *, of_all_shards: bool = False) -> Iterator[Item]:
        """Those of this run, in the manifest's order. The ledger may be written meanwhile."""
        after = -1
        while True:
            with _refusals(self._path):
                rows = self._database.execute(
                    "SELECT position, found_at, entry, place, reference_places FROM item "
                    "WHERE (mine OR ?) AND position > ? ORDER BY position LIMIT 500",
                    (of_all_shards, after),
                ).fetchall()
            if not rows:
                return
            for position, found_at, entry, place, references in rows:
                after = position
                yield Item(
                    position=position,
                    where=found_at,
                    entry=serialise.from_json(entry, Entry),
                    place=os.fsdecode(place),
                    reference_places=tuple(map(os.fsdecode, references.split(_SEPARATOR))) if references else (),
                )

    def reference(self, name: str, place: str) -> int:
        """The number of a file that items are held against; written where it is new."""
        with _refusals(self._path):
            row = self._database.execute(
                "INSERT INTO reference (name, place) VALUES (?, ?) "
                "ON CONFLICT (name) DO UPDATE SET place = excluded.place RETURNING number",
                (name, os.fsencode(place)),
            ).fetchone()
        return int(row[0])

    def references(self) -> Iterator[tuple[int, str, str]]:
        """Number, name and place of every file that items are held against. The ledger may be written meanwhile."""
        after = -1
        while True:
            with _refusals(self._path):
                rows = self._database.execute(
                    "SELECT number, name, place FROM reference WHERE number > ? ORDER BY number LIMIT 500", (after,)
                ).fetchall()
            if not rows:
                return
            for number, name, place in rows:
                after = number
                yield number, name, os.fsdecode(place)

    def reference_named(self, name: str) -> tuple[int, str] | None:
        """Number and place of a file that items are held against; None: no item names it."""
        with _refusals(self._path):
            row = self._database.execute("SELECT number, place FROM reference WHERE name = ?", (name,)).fetchone()
        return None if row is None else (row[0], os.fsdecode(row[1]))

    def latest(self, stage: Stage, subject: int) -> Attempt | None:
        """The attempt that counts; None where none was made."""
        with _refusals(self._path):
            row = self._database.execute(
                "SELECT status, key, reason, result, state, tries, number FROM latest JOIN attempt ON number = attempt "
                "WHERE latest.stage = ? AND latest.subject = ?",
                (stage, subject),
            ).fetchone()
        return None if row is None else Attempt(*row)

    def attempts(self, stage: Stage, subject: int) -> int:
        """How many were made."""
        with _refusals(self._path):
            (number,) = self._database.execute(
                "SELECT count(*) FROM attempt WHERE stage = ? AND subject = ?", (stage, subject)
            ).fetchone()
        return int(number)

    def write(self, stage: Stage, subject: int, attempt: Attempt, *, finished: str | None = None) -> Attempt:
        """Write an attempt, which counts from now on; it is on disk when this returns.

        Args:
            stage: that was tried.
            subject: position of the item, or number of the reference.
            attempt: what came of it; ``tries`` and ``number`` are found here.
            finished: UTC, for people; now by default.

        Returns:
            The attempt as it was written.
        """
        before = self.latest(stage, subject)
        tries = before.tries + 1 if before is not None and before.key == attempt.key else 1
        at = finished or datetime.now(UTC).isoformat(timespec="milliseconds")
        row = (stage, subject, attempt.status, attempt.reason, attempt.key, attempt.result, at)
        with self.transaction(), _refusals(self._path):
            (number,) = self._database.execute(
                "INSERT INTO attempt (stage, subject, status, reason, key, result, finished) "
                "VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING number",
                row,
            ).fetchone()
            self._database.execute(
                "INSERT OR REPLACE INTO latest VALUES (?, ?, ?, ?, ?)", (stage, subject, number, tries, attempt.state)
            )
        return Attempt(
            status=attempt.status,
            key=attempt.key,
            reason=attempt.reason,
            result=attempt.result,
            state=attempt.state,
            tries=tries,
            number=number,
        )

    def set_state(self, stage: Stage, subject: int, state: str | None) -> None:
        """The file was touched, and its bytes are the same."""
        with self.transaction(), _refusals(self._path):
            self._database.execute(
                "UPDATE latest SET state = ? WHERE stage = ? AND subject = ?", (state, stage, subject)
            )

    def history(self, stage: Stage, subject: int) -> list[tuple[Attempt, str]]:
        """Every attempt with the time at which it finished, the first one first."""
        with _refusals(self._path):
            rows = self._database.execute(
                "SELECT status, key, reason, result, finished, number FROM attempt WHERE stage = ? AND subject = ? "
                "ORDER BY number",
                (stage, subject),
            ).fetchall()
        return [
            (Attempt(status=status, key=key, reason=reason, result=result, number=number), finished)
            for status, key, reason, result, finished, number in rows
        ]


def _opened(path: Path) -> sqlite3.Connection:
    with _refusals(path):
        # Autocommit: transactions are begun by name. A lock that is held for long belongs to another run.
        database = sqlite3.connect(path, isolation_level=None, timeout=2.0)
        try:
            # Before the first read: it keeps a second process out, and needs no shared memory, which network file
            # systems lack. The lock ends with the process, however that ends.
            database.execute("PRAGMA locking_mode = EXCLUSIVE")
            database.execute("PRAGMA journal_mode = WAL")
            # A kill loses nothing; a power cut may lose the last items, which are then done again.
            database.execute("PRAGMA synchronous = NORMAL")
            # Items of a million lines must not gather in memory.
            database.execute("PRAGMA cache_size = -8000")
            (version,) = database.execute("PRAGMA user_version").fetchone()
            if version == 0:
                database.execute("BEGIN EXCLUSIVE")
                for statement in _TABLES.split(";\n"):
                    database.execute(statement)
                database.execute(f"PRAGMA user_version = {VERSION}")
                database.execute("COMMIT")
            elif version != VERSION:
                raise RunError(f"{path} is a ledger of version {version}, and this mediacheck reads {VERSION}")
            database.execute("CREATE TEMP TABLE named (place BLOB PRIMARY KEY) WITHOUT ROWID")
        except BaseException:
            database.close()
            raise
    return database


@contextmanager
def _refusals(path: Path) -> Iterator[None]:
    """SQLite's words for what the system refuses, as the system's own errors."""
    try:
        yield
    except sqlite3.OperationalError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_BUSY:
            raise RunError(
                f"another process is writing {path.parent}; wait until it ends, or name another --run"
            ) from error
        if code == sqlite3.SQLITE_FULL:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path.parent)) from error
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            raise RunError(f"{path} cannot be written: {error}; name a --run that can be") from error
        if code == sqlite3.SQLITE_IOERR:
            raise OSError(errno.EIO, f"{error} (is the disk full?)", str(path.parent)) from error
        raise
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.IntegrityError):
            raise
        raise RunError(f"{path} is not a ledger, or is damaged: {error}; name another --run") from error
