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

    validator: str | None = None
    contract: str | None = None
    jobs: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """Files measured at once."""
    timeout: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """Wall-clock seconds for one file."""
    memory_limit: Annotated[int, msgspec.Meta(ge=256)] | None = None
    """Megabytes (1,000,000 bytes) that measuring one file may take."""


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
        UsageError: the file or an environment variable holds an unknown key or a wrong value.
    """
    built_in = Choices(validator="v2", jobs=_processors(), timeout=600.0, memory_limit=4096)
    layers = [given or Choices(), from_environment(), from_file(folder or Path())[0], built_in]
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
        try:
            msgspec.convert({name: text}, Choices, strict=False)
        except msgspec.ValidationError as error:
            raise UsageError(f"MEDIACHECK_{name.upper()}={text}: {_reason(error)}") from error
    return msgspec.convert(found, Choices, strict=False)


def from_file(folder: Path) -> tuple[Choices, Path | None]:
    """``mediacheck.toml``, or else ``[tool.mediacheck]`` in ``pyproject.toml``, with the file that was read."""
    own = folder / "mediacheck.toml"
    if own.is_file():
        return _checked(_toml(own), own), own
    project = folder / "pyproject.toml"
    if project.is_file():
        table = _toml(project).get("tool", {}).get("mediacheck")
        if table is not None:
            return _checked(table, project), project
    return Choices(), None


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not TOML: {error}") from error
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def _checked(table: Any, path: Path) -> Choices:
    try:
        return serialise.convert(table, Choices)
    except msgspec.ValidationError as error:
        known = ", ".join(Choices.__struct_fields__)
        raise UsageError(f"{path}: {_reason(error)}; the keys are {known}") from error


def _reason(error: msgspec.ValidationError) -> str:
    return str(error).replace("Object", "the table", 1)


def _processors() -> int:
    """Processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
