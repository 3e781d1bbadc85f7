"""Validators: frozen lists of checks at versions, with severities and parameters. Data, read from TOML.

The digest of a validator is the SHA-256 of its canonical content: every check in order, with its version, its severity
and all parameters, the defaults filled in. Id, title and status are not part of it: freezing a validator, or copying
it under another name, changes nothing of what it says.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

import msgspec

from mediacheck.checks import Check, Parameters, get_check
from mediacheck.errors import MediacheckError, ValidatorError
from mediacheck.facts import Struct
from mediacheck.resources import validators_root
from mediacheck.serialise import convert, fraction_text, to_compact_json
from mediacheck.verdict import Severity

FILE_NAME = "validator.toml"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

Status = Literal["preview", "stable"]


class Setting(Struct, frozen=True, kw_only=True):
    """One parameter, as text: fractions as ``"num/den"``, levels as decimals."""

    name: str
    value: str


class PinnedCheck(Struct, frozen=True, kw_only=True):
    """A check at a version, as a validator uses it."""

    check: str
    """``audio.finite@1``."""
    severity: Severity
    """The gravest that a finding of this check may have."""
    parameters: Parameters
    """Of the check's own type, defaults filled in."""

    @property
    def definition(self) -> Check[Parameters]:
        return get_check(self.check)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The parameters in their canonical form."""
        return tuple(
            Setting(name=name, value=setting_text(getattr(self.parameters, name)))
            for name in self.parameters.__struct_fields__
        )


class _Canonical(Struct, frozen=True, kw_only=True):
    check: str
    severity: Severity
    parameters: tuple[Setting, ...]


# With a dict, which keeps what was computed: each report names the digest.
class Validator(Struct, frozen=True, kw_only=True, dict=True):
    """What is checked, and how gravely each fault counts."""

    id: str
    status: Status
    title: str
    checks: tuple[PinnedCheck, ...]

    @cached_property
    def digest(self) -> str:
        """``"sha256:…"`` of the content; see the module's words."""
        content = tuple(
            _Canonical(check=pinned.check, severity=pinned.severity, parameters=pinned.settings)
            for pinned in self.checks
        )
        return "sha256:" + hashlib.sha256(to_compact_json(content)).hexdigest()


class _CheckTable(Struct, frozen=True, kw_only=True):
    check: str
    severity: Severity
    parameters: dict[str, Any] = msgspec.field(default_factory=dict)


class _ValidatorFile(Struct, frozen=True, kw_only=True):
    schema: Literal["mediacheck.validator/1"]
    id: str
    title: str = ""
    status: Status = "preview"
    checks: tuple[_CheckTable, ...]


def load_validator(name_or_path: str | Path) -> Validator:
    """A validator by its id, or from a file or folder of your own.

    Raises:
        ValidatorError: there is none of that name (the known ones are named), or it is malformed.
    """
    name = str(name_or_path)
    if isinstance(name_or_path, str) and _ID.fullmatch(name):
        shipped = validators_root() / name / FILE_NAME
        if shipped.is_file():
            return parse_validator(shipped.read_bytes(), f"validator {name}")
    path = Path(name_or_path)
    if path.is_dir():
        path = path / FILE_NAME
    if path.is_file():
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ValidatorError(f"{path} cannot be read: {error.strerror}") from error
        return _own(parse_validator(data, str(path)), path)
    known = validator_ids()
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise ValidatorError(
        f"there is no validator {name!r}, neither of that name (known: {', '.join(known)}) nor as a file{hint}"
    )


def _own(validator: Validator, path: Path) -> Validator:
    """A validator of the user's own must not go by the name of one that says something else."""
    if validator.id in validator_ids() and validator.digest != load_validator(validator.id).digest:
        raise ValidatorError(f"{path} calls itself {validator.id}, but differs from it; give it an id of its own")
    return validator


def validator_ids() -> tuple[str, ...]:
    """The ids of the validators that come with mediacheck."""
    return tuple(sorted((folder.name for folder in _folders()), key=_natural))


def list_validators() -> tuple[Validator, ...]:
    """Every validator that comes with mediacheck."""
    return tuple(load_validator(id) for id in validator_ids())


def _folders() -> Iterator[Traversable]:
    for folder in validators_root().iterdir():
        if folder.is_dir() and (folder / FILE_NAME).is_file():
            yield folder


def _natural(name: str) -> list[tuple[int, int | str]]:
    # Numbers by value, so that v10 comes after v9.
    return [(0, int(part)) if part.isdigit() else (1, part) for part in re.split(r"(\d+)", name) if part]


def parse_validator(data: bytes, where: str) -> Validator:
    """Read the bytes of a ``validator.toml``.

    Args:
        data: TOML.
        where: what error messages call it.

    Raises:
        ValidatorError: it is not TOML, a key or check is unknown, a value does not fit, a check stands twice.
    """
    try:
        file = convert(tomllib.loads(data.decode()), _ValidatorFile)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError, MediacheckError) as error:
        raise ValidatorError(f"{where} is malformed: {error}") from error
    except RecursionError as error:
        raise ValidatorError(f"{where} is malformed: it is nested too deep") from error
    if not _ID.fullmatch(file.id):
        raise ValidatorError(f"{where} is malformed: id {file.id!r} may hold letters, digits, '.', '_' and '-' only")
    if not file.checks:
        raise ValidatorError(f"{where} is malformed: it lists no checks")
    pinned = tuple(_pin(table, where) for table in file.checks)
    ids = [check.definition.id for check in pinned]
    for id in ids:
        if ids.count(id) > 1:
            raise ValidatorError(f"{where} is malformed: {id} stands in it twice")
    return Validator(id=file.id, status=file.status, title=file.title, checks=pinned)


def _pin(table: _CheckTable, where: str) -> PinnedCheck:
    try:
        definition = get_check(table.check)
    except ValidatorError as error:
        raise ValidatorError(f"{where}: {error}") from error
    known = definition.parameters.__struct_fields__
    for name in table.parameters:
        if name not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise ValidatorError(f"{where}: {table.check} has no parameter {name!r}; {has}")
    try:
        parameters = convert(_exact(definition.parameters, table.parameters), definition.parameters)
    except (msgspec.ValidationError, MediacheckError, ValueError) as error:
        raise ValidatorError(f"{where}: a parameter of {table.check} does not fit: {error}") from error
    return PinnedCheck(check=table.check, severity=table.severity, parameters=parameters)


def _exact(kind: type[Parameters], values: dict[str, Any]) -> dict[str, Any]:
    """Numbers for fractions as text: 0.001 means one thousandth, not the double nearest to it."""
    if not values:
        return {}
    hints = get_type_hints(kind)
    exact = {}
    for name, value in values.items():
        fraction = hints[name] is Fraction or Fraction in get_args(hints[name])
        number = isinstance(value, int | float) and not isinstance(value, bool)
        exact[name] = str(value) if fraction and number else value
    return exact


def setting_text(value: object) -> str:
    """The value of a parameter in its canonical form."""
    if isinstance(value, Fraction):
        return fraction_text(value)
    return "unset" if value is None else repr(value)


def plain(value: str) -> str:
    """A setting for people: ``1/1000`` as ``0.001`` where that is exact and short."""
    numerator, slash, denominator = value.partition("/")
    if not slash or not numerator.isdigit() or not denominator.isdigit():
        return value
    decimal = f"{int(numerator) / int(denominator):g}"
    return decimal if Fraction(decimal) == Fraction(value) else value


class Difference(Struct, frozen=True, kw_only=True):
    """One thing in which two validators differ."""

    check: str
    """The check's id, without a version."""
    what: str
    """``check``, ``severity`` or the name of a parameter."""
    before: str
    after: str


def diff(before: Validator, after: Validator) -> tuple[Difference, ...]:
    """What changes from ``before`` to ``after``, in the order of the checks."""
    left = {pinned.definition.id: pinned for pinned in before.checks}
    right = {pinned.definition.id: pinned for pinned in after.checks}
    found: list[Difference] = []
    for id in [*left, *(id for id in right if id not in left)]:
        old, new = left.get(id), right.get(id)
        if old is None or new is None:
            found.append(Difference(check=id, what="check", before=_name(old), after=_name(new)))
            continue
        rows = [("check", old.check, new.check), ("severity", old.severity, new.severity)]
        one = {setting.name: setting.value for setting in old.settings}
        two = {setting.name: setting.value for setting in new.settings}
        rows += [(name, one.get(name, "none"), two.get(name, "none")) for name in dict.fromkeys([*one, *two])]
        found += [Difference(check=id, what=what, before=a, after=b) for what, a, b in rows if a != b]
    shared = [id for id in left if id in right]
    if not found and shared != [id for id in right if id in left]:
        found.append(Difference(check="", what="order", before=", ".join(left), after=", ".join(right)))
    return tuple(found)


def _name(pinned: PinnedCheck | None) -> str:
    return "none" if pinned is None else f"{pinned.check} ({pinned.severity})"


def new_validator(id: str, source: str | Path, target: Path) -> Path:
    """Copy a validator under a new id, as a preview, into the folder ``target`` of your own.

    Comments and layout of the source's file are kept.

    Returns:
        The path of the new ``validator.toml``.

    Raises:
        ValidatorError: the id is not one, the source is unknown, or the folder holds a validator already.
    """
    if not _ID.fullmatch(id):
        raise ValidatorError(f"validator id {id!r} may hold letters, digits, '.', '_' and '-' only")
    if id in validator_ids():
        raise ValidatorError(f"{id} is a validator that comes with mediacheck; choose another id")
    load_validator(source)
    text = _source_text(source)
    path = target / FILE_NAME
    if path.exists():
        raise ValidatorError(f"{path} is there already; choose another folder, or delete it first")
    text = set_key(set_key(text, "id", id), "status", "preview")
    parse_validator(text.encode(), str(path))
    try:
        target.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ValidatorError(f"{path} cannot be written: {error.strerror}") from error
    return path


def _source_text(source: str | Path) -> str:
    if isinstance(source, str) and source in validator_ids():
        return (validators_root() / source / FILE_NAME).read_text(encoding="utf-8")
    path = Path(source)
    return (path / FILE_NAME if path.is_dir() else path).read_text(encoding="utf-8")


def set_key(text: str, key: str, value: str) -> str:
    """``key = "value"`` at the top of a validator's TOML, all else as it stands."""
    head, separator, rest = text.partition("[[checks]]")
    line = f'{key} = "{value}"'
    changed, count = re.subn(rf"(?m)^{key}\s*=.*$", line, head, count=1)
    if not count:
        changed = re.sub(r"(?m)^(id\s*=.*)$", rf"\1\n{line}", head, count=1)
    return changed + separator + rest
