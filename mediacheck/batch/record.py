"""``run.toml``: by what a run was made. Results of two identities never stand in one run."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from mediacheck import serialise
from mediacheck.batch.errors import RunError
from mediacheck.facts import Struct, Tag
from mediacheck.scoring.score import Identity
from mediacheck.scoring.scorer import library_version
from mediacheck.verdict import ContractIdentity, ValidatorIdentity

RUN_SCHEMA: Final = "mediacheck.run/1"
RECORD: Final = "run.toml"
LIBRARIES: Final = ("av", "soundfile", "xxhash")
"""Distributions that decode and measure: their versions decide what is found."""


class ManifestFile(Struct, frozen=True, kw_only=True):
    name: str
    """File name, without its folder."""
    sha256: str


class ManifestIdentity(Struct, frozen=True, kw_only=True):
    format: str
    """As it was recognised: ``jsonl``, ``nemo``, ``audiofolder``, ``csv``, ``kaldi``, ``seed-tts``, ``folder``, …"""
    files: tuple[ManifestFile, ...] = ()
    """None for a plain folder."""
    items: int
    """Of the whole manifest, whatever the shard."""
    digest: str
    """``sha256:`` over all that it says, line by line as mediacheck reads it."""
    asked: str
    """``sha256:`` over what it asks: ids, texts, references, speakers, languages, contracts, expectations. Runs of two
    models are comparable where this is the same, though their outputs have different names."""


class Shard(Struct, frozen=True, kw_only=True):
    """The part of a manifest whose ids hash to it."""

    number: int
    """From 1."""
    of: int


class RunRecord(Struct, frozen=True, kw_only=True):
    """All that decides what the results are."""

    schema: Literal["mediacheck.run/1"] = RUN_SCHEMA
    tool: str
    """Version of mediacheck."""
    libraries: tuple[Tag, ...] = ()
    """Name and version of what decodes and measures, sorted by name."""
    validator: ValidatorIdentity
    contract: ContractIdentity | None = None
    """Of items that name none."""
    contracts: tuple[ContractIdentity, ...] = ()
    """That items name, sorted by id."""
    scorers: tuple[Identity, ...] = ()
    """One for each scorer and language, models with their digests."""
    options: tuple[Tag, ...] = ()
    """How to score, as it was asked, sorted by key."""
    source_revision: str | None = None
    """Of the code that made the outputs, as the user states it."""
    model_revision: str | None = None
    """Of the model that made the outputs, as the user states it."""
    manifest: ManifestIdentity
    shard: Shard | None = None


def libraries() -> tuple[Tag, ...]:
    """Of this machine, looked up without importing them."""
    return tuple(Tag(key=name, value=library_version(name)) for name in LIBRARIES)


def to_toml(record: RunRecord) -> bytes:
    """TOML, the same bytes for the same record; what is None is left out."""
    import tomli_w

    table: dict[str, Any] = _without_none(msgspec.to_builtins(record))
    return tomli_w.dumps(table).encode()


def read_record(run: Path) -> RunRecord:
    """The record of a run folder.

    Raises:
        RunError: the folder holds none, or it is malformed.
    """
    path = run / RECORD
    try:
        return serialise.convert(tomllib.loads(path.read_text(encoding="utf-8")), RunRecord)
    except OSError as error:
        raise RunError(f"{run} is no run folder: cannot read {RECORD}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise RunError(f"{path} is not the record of a run: {error}") from error


def differences(old: RunRecord, new: RunRecord) -> tuple[str, ...]:
    """What differs, one clause each: ``validator: v1 then, v2 now``."""
    found = []
    for name in RunRecord.__struct_fields__:
        then, now = getattr(old, name), getattr(new, name)
        if then != now:
            found.append(f"{name.replace('_', ' ')}: {_shown(then)} then, {_shown(now)} now")
    return tuple(found)


def _shown(value: object) -> str:
    """Short, for a sentence."""
    if value is None or value == ():
        return "none"
    if isinstance(value, ValidatorIdentity | ContractIdentity):
        return f"{value.id} ({value.digest[:15]}…)"
    if isinstance(value, ManifestIdentity):
        return f"{value.items} items ({value.digest[:15]}…)"
    if isinstance(value, Shard):
        return f"{value.number}/{value.of}"
    if isinstance(value, Identity):
        model = "" if value.model is None else f" with {value.model.id}"
        language = "" if value.language is None else f" in {value.language}"
        return f"{value.scorer}@{value.version}{model}{language} ({value.digest[:15]}…)"
    if isinstance(value, Tag):
        return f"{value.key}={value.value}"
    if isinstance(value, tuple):
        return ", ".join(map(_shown, value))
    return str(value)


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_none(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list | tuple):
        return [_without_none(inner) for inner in value]
    return value
