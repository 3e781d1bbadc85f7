"""Freezing: a validator's files, and what its check versions find, locked by digest.

``LOCK`` stands beside the folders of the validators. Its lines::

    ID sha256:…                     what the validator says (``Validator.digest``)
    ID FILE sha256:…                the bytes of each file in its folder
    ID CHECK@VERSION SET sha256:…   what that check version finds in the recorded facts of set SET

Recorded facts come in numbered sets that never change once a validator was frozen over them; new records make the
next set.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from mediacheck.checks import Case
from mediacheck.contracts import Contract, load_contract
from mediacheck.errors import MediacheckError, ValidatorError
from mediacheck.expectation import Expectation
from mediacheck.facts import MediaFacts, Struct
from mediacheck.judge import find
from mediacheck.resources import validators_root
from mediacheck.serialise import from_json, to_compact_json, write_atomically
from mediacheck.validators import FILE_NAME, PinnedCheck, Validator, load_validator, set_key

LOCK_NAME = "LOCK"


class Record(Struct, frozen=True, kw_only=True):
    """Saved facts with what was asked of them, to be judged again by every check."""

    name: str
    what: str
    """One sentence: what the file is."""
    contract: str | None = None
    """A contract's file, relative to the set's folder."""
    expect: Expectation | None = None
    facts: MediaFacts


class RecordSet(Struct, frozen=True, kw_only=True):
    """The records of one numbered folder, by name."""

    number: int
    cases: tuple[Case, ...]


class LockLine(Struct, frozen=True, kw_only=True):
    """One digest; ``what`` is empty for the validator itself, else a file name or a check at a version."""

    validator: str
    what: str = ""
    record_set: int | None = None
    digest: str

    def __str__(self) -> str:
        parts = (self.validator, self.what, "" if self.record_set is None else str(self.record_set), self.digest)
        return " ".join(part for part in parts if part)


class Verification(Struct, frozen=True, kw_only=True):
    """What holding the validators against their LOCK found."""

    frozen: tuple[str, ...]
    """Ids that the LOCK names."""
    problems: tuple[str, ...]
    """One sentence each; empty where all is as it was frozen."""
    not_replayed: str | None = None
    """Why the recorded behaviour could not be replayed; None where it was, or where nothing is frozen."""


def records_root() -> Path | None:
    """The recorded facts of a source checkout; None where mediacheck was installed without them."""
    folder = Path(__file__).resolve().parent.parent / "tests" / "frozen"
    return folder if folder.is_dir() else None


def record_sets(root: Path) -> tuple[int, ...]:
    """Numbers of the sets under ``root``, rising."""
    return tuple(sorted(int(folder.name) for folder in root.iterdir() if folder.is_dir() and folder.name.isdigit()))


def load_record_set(root: Path, number: int) -> RecordSet:
    """Read the records of one set.

    Raises:
        ValidatorError: there are none, or one is not a record.
    """
    folder = root / str(number)
    cases = []
    for path in sorted(folder.glob("*.json")):
        try:
            record = from_json(path.read_bytes(), Record)
        except (msgspec.DecodeError, MediacheckError, OSError) as error:
            raise ValidatorError(f"{path} is not a record of facts: {error}") from error
        cases.append(_case(record, folder))
    if not cases:
        raise ValidatorError(f"{folder} holds no recorded facts; name a folder that does with --records")
    return RecordSet(number=number, cases=tuple(cases))


def _case(record: Record, folder: Path) -> Case:
    contract: Contract | None = None
    if record.contract is not None:
        contract = load_contract(folder / record.contract)
    return Case(facts=record.facts, contract=contract, expect=record.expect or Expectation())


def behaviour_digest(pinned: PinnedCheck, records: RecordSet) -> str:
    """``"sha256:…"`` of all that a check, as a validator pins it, finds in the records."""
    findings = tuple(find(case, pinned) for case in records.cases)
    return "sha256:" + hashlib.sha256(to_compact_json(findings)).hexdigest()


def read_lock(path: Path) -> tuple[LockLine, ...]:
    """The lines of a LOCK file; none where it does not exist.

    Raises:
        ValidatorError: a line is not of the three forms.
    """
    if not path.is_file():
        return ()
    lines = []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        fields = text.split()
        if not fields or fields[0].startswith("#"):
            continue
        if not 2 <= len(fields) <= 4 or not fields[-1].startswith("sha256:"):
            raise ValidatorError(f"{path}, line {number} is not a line of a LOCK: {text!r}")
        if len(fields) == 4 and not fields[2].isdigit():
            raise ValidatorError(f"{path}, line {number}: {fields[2]!r} is not the number of a record set")
        lines.append(
            LockLine(
                validator=fields[0],
                what=fields[1] if len(fields) > 2 else "",
                record_set=int(fields[2]) if len(fields) == 4 else None,
                digest=fields[-1],
            )
        )
    return tuple(lines)


def lock_lines(validator: Validator, folder: Path, records: RecordSet) -> tuple[LockLine, ...]:
    """All that the LOCK holds of one validator."""
    lines = [LockLine(validator=validator.id, digest=validator.digest)]
    lines += [LockLine(validator=validator.id, what=path.name, digest=_file_digest(path)) for path in _files(folder)]
    lines += [
        LockLine(
            validator=validator.id,
            what=pinned.check,
            record_set=records.number,
            digest=behaviour_digest(pinned, records),
        )
        for pinned in validator.checks
    ]
    return tuple(lines)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))


def _file_digest(path: Path) -> str:
    return "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()


def freeze(folder: Path, records: Path | None = None) -> tuple[LockLine, ...]:
    """Make the validator in ``folder`` stable, and lock it in the LOCK beside the folder.

    Args:
        folder: holds ``validator.toml``.
        records: recorded facts, in numbered sets; those of the checkout by default. The newest set is used.

    Returns:
        The lines that were added.

    Raises:
        ValidatorError: it is locked already, its id is not the folder's name, or there are no recorded facts.
    """
    validator = load_validator(folder)
    lock = folder.parent / LOCK_NAME
    known = read_lock(lock)
    if any(line.validator == validator.id for line in known):
        raise ValidatorError(
            f"{validator.id} is frozen already; put a correction into a new version: "
            f"mediacheck validators new ID --from {validator.id}"
        )
    if folder.name != validator.id:
        raise ValidatorError(f"{folder} holds validator {validator.id}; the folder must bear the validator's id")
    root = records or records_root()
    if root is None or not root.is_dir() or not (sets := record_sets(root)):
        raise ValidatorError("there are no recorded facts to freeze over; name a folder of them with --records")
    record_set = load_record_set(root, sets[-1])
    path = folder / FILE_NAME
    try:
        text = path.read_text(encoding="utf-8")
        write_atomically(path, set_key(text, "status", "stable").encode())
        added = lock_lines(load_validator(folder), folder, record_set)
        before = lock.read_text(encoding="utf-8") if lock.is_file() else ""
        if before and not before.endswith("\n"):
            before += "\n"
        write_atomically(lock, (before + "".join(f"{line}\n" for line in added)).encode())
    except OSError as error:
        raise ValidatorError(f"{folder} cannot be frozen: {error}") from error
    return added


def verify(root: Path | None = None, records: Path | None = None) -> Verification:
    """Hold the validators under ``root`` against their LOCK, and replay what their checks found when frozen.

    Args:
        root: folder with the LOCK; the validators that come with mediacheck by default.
        records: recorded facts, in numbered sets; those of the checkout by default.
    """
    root = root or shipped_root()
    lines = read_lock(root / LOCK_NAME)
    frozen = tuple(dict.fromkeys(line.validator for line in lines))
    problems = [
        f"{folder.name} says it is stable, but the LOCK does not hold it"
        for folder in sorted(root.iterdir())
        if (folder / FILE_NAME).is_file() and folder.name not in frozen and load_validator(folder).status == "stable"
    ]
    records = records or records_root()
    replay = records is not None and records.is_dir()
    for id in frozen:
        mine = tuple(line for line in lines if line.validator == id)
        problems += _verify_one(id, root / id, mine, records if replay else None)
    return Verification(
        frozen=frozen,
        problems=tuple(problems),
        not_replayed="there are no recorded facts here; name a folder of them with --records"
        if frozen and not replay
        else None,
    )


def _verify_one(id: str, folder: Path, lines: tuple[LockLine, ...], records: Path | None) -> list[str]:
    if not (folder / FILE_NAME).is_file():
        return [f"{id} is frozen, but {folder.name}/{FILE_NAME} is missing"]
    try:
        validator = load_validator(folder)
    except ValidatorError as error:
        return [f"{id} is frozen, but cannot be loaded: {error}"]
    problems = []
    if validator.status != "stable":
        problems.append(f"{id} is frozen, but its status is {validator.status}")
    locked = {line.what: line for line in lines}
    if locked.get("") is None or validator.digest != locked[""].digest:
        problems.append(f"{id} is frozen, but what it says has changed: its digest is {validator.digest} now")
    files = {path.name: _file_digest(path) for path in _files(folder)}
    for name in sorted(set(files) | {what for what in locked if what and "@" not in what}):
        line = locked.get(name)
        if line is None or files.get(name) != line.digest:
            state = "was added" if line is None else "is missing" if name not in files else "has changed"
            problems.append(f"{id} is frozen, but {id}/{name} {state}")
    if records is not None:
        problems += _verify_behaviour(id, validator, locked, records)
    return problems


def _verify_behaviour(id: str, validator: Validator, locked: dict[str, LockLine], records: Path) -> list[str]:
    problems = []
    sets: dict[int, RecordSet] = {}
    for pinned in validator.checks:
        line = locked.get(pinned.check)
        if line is None or line.record_set is None:
            problems.append(f"{id} is frozen, but the LOCK holds no behaviour of {pinned.check}")
            continue
        try:
            if line.record_set not in sets:
                sets[line.record_set] = load_record_set(records, line.record_set)
            now = behaviour_digest(pinned, sets[line.record_set])
        except MediacheckError as error:
            problems.append(f"{id}: the behaviour of {pinned.check} cannot be replayed: {error}")
            continue
        if now != line.digest:
            problems.append(
                f"{pinned.check}, which the frozen {id} pins, finds something else in the recorded facts than when it "
                "was frozen; restore it and register the change as its next version"
            )
    return problems


def shipped_root() -> Path:
    """The folder of the validators that come with mediacheck, as a path.

    Raises:
        ValidatorError: mediacheck runs from an archive.
    """
    root = validators_root()
    if not isinstance(root, Path):
        raise ValidatorError("the validators of mediacheck do not lie in a folder; verify them in a source checkout")
    return root
