"""Configuration: command line over environment over file over what is built in."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Annotated, Any

import msgspec

from mediacheck import serialise
from mediacheck.errors import UsageError
from mediacheck.facts import Struct


class Choices(Struct, kw_only=True):
    """What one source sets; None where it sets nothing."""

    validator: Annotated[str, msgspec.Meta(min_length=1)] | None = None
    contract: Annotated[str, msgspec.Meta(min_length=1)] | None = None
    jobs: Annotated[int, msgspec.Meta(ge=1, le=1024)] | None = None
    """Files measured at once."""
    timeout: Annotated[float, msgspec.Meta(gt=0, le=1_000_000)] | None = None
    """Wall-clock seconds for one file."""
    memory_limit: Annotated[int, msgspec.Meta(ge=256, le=1_000_000_000)] | None = None
    """Megabytes (1,000,000 bytes) that measuring one file may take."""


_MEANT = {
    "validator": "write an id such as v2, or a path",
    "contract": "write an id such as minimax-h3-ref2va, or a path",
    "jobs": "write a whole number from 1 to 1024",
    "timeout": "write seconds, above 0 and at most 1000000",
    "memory_limit": "write whole megabytes, from 256 to 1000000000",
}


class Settings(Struct, kw_only=True):
    """What holds for this run."""

    validator: str
    contract: str | None
    jobs: int
    timeout: float
    memory_limit: int


def resolve(given: Choices | None = None, folder: Path | None = None) -> Settings:
    """The settings for a run.

    Args:
        given: what the command line sets.
        folder: where the configuration file is looked for; the working folder by default.

    Raises:
        UsageError: the command line, an environment variable or the file holds an unknown key or a wrong value.
    """
    # Nobody who only asks for help waits for it.
    from mediacheck.workers import processors

    given = given or Choices()
    for name in Choices.__struct_fields__:
        if (value := getattr(given, name)) is not None:
            _require(name, value, f"--{name.replace('_', '-')} {value!r}")
    built_in = Choices(validator="v2", jobs=processors(), timeout=600.0, memory_limit=4096)
    layers = [given, from_environment(), from_file(folder or Path())[0], built_in]
    chosen: dict[str, Any] = {}
    for name in Choices.__struct_fields__:
        values = [value for layer in layers if (value := getattr(layer, name)) is not None]
        chosen[name] = values[0] if values else None
    return Settings(**chosen)


def from_environment() -> Choices:
    """``MEDIACHECK_VALIDATOR``, ``MEDIACHECK_JOBS``, …; an empty variable counts as not set."""
    found: dict[str, str] = {}
    for name in Choices.__struct_fields__:
        text = os.environ.get(f"MEDIACHECK_{name.upper()}", "")
        if text:
            found[name] = text
    for name, text in found.items():
        _require(name, text, f"MEDIACHECK_{name.upper()}={text}", strict=False)
    return msgspec.convert(found, Choices, strict=False)


def from_file(folder: Path) -> tuple[Choices, Path | None]:
    """``mediacheck.toml``, or else ``[tool.mediacheck]`` in ``pyproject.toml``, with the file that was read."""
    own = folder / "mediacheck.toml"
    if _is_file(own):
        return _checked(_toml(own), own), own
    project = folder / "pyproject.toml"
    if _is_file(project):
        tool = _toml(project).get("tool", {})
        table = tool.get("mediacheck") if isinstance(tool, dict) else None
        if table is not None:
            return _checked(table, project), project
    return Choices(), None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError as error:
        raise UsageError(
            f"cannot look for {path} in the working folder: {error.strerror}; run mediacheck in another folder"
        ) from error


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path} is not TOML: {error}") from error
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def _checked(table: Any, path: Path) -> Choices:
    known = ", ".join(Choices.__struct_fields__)
    if not isinstance(table, dict):
        raise UsageError(f"{path}: [tool.mediacheck] must be a table; its keys are {known}")
    for name, value in table.items():
        if name not in Choices.__struct_fields__:
            raise UsageError(f"{path}: the key {name!r} is unknown; the keys are {known}")
        _require(name, value, f"{path}: {name} = {value!r}")
    return serialise.convert(table, Choices)


def _require(name: str, value: object, shown: str, *, strict: bool = True) -> None:
    """Raise where ``value`` is none for the setting ``name``.

    Raises:
        UsageError: naming it as ``shown``.
    """
    try:
        msgspec.convert({name: value}, Choices, strict=strict)
    except msgspec.ValidationError as error:
        raise UsageError(f"{shown}: {_MEANT[name]}") from error
