"""Saved facts: one file's facts as ``NAME.facts.json``, or those of several in one list."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import msgspec

from mediacheck import serialise
from mediacheck.errors import FactsError, PathError
from mediacheck.facts import FACTS_SCHEMA, MediaFacts, Struct

FACTS_LIST_SCHEMA: Final = "mediacheck.facts-list/1"


class FactsList(Struct, kw_only=True):
    """The facts of several files."""

    schema: Literal["mediacheck.facts-list/1"] = FACTS_LIST_SCHEMA
    facts: tuple[MediaFacts, ...]


class _Envelope(msgspec.Struct):
    """Enough of a document to tell what it is."""

    schema: str


def parse_facts(data: bytes, origin: str) -> tuple[MediaFacts, ...]:
    """The facts in a saved document, one or several.

    Args:
        data: its bytes.
        origin: what error messages call it.

    Raises:
        FactsError: it is not saved facts, or not of this schema.
    """
    try:
        schema = serialise.from_json(data, _Envelope).schema
        if schema == FACTS_SCHEMA:
            return (serialise.from_json(data, MediaFacts),)
        if schema == FACTS_LIST_SCHEMA:
            return serialise.from_json(data, FactsList).facts
    except (msgspec.DecodeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise FactsError(
            f"{origin} does not hold saved facts: {reason}; make some with 'mediacheck measure'"
        ) from error
    hint = (
        "; a report leaves out what other limits need, judge the facts of --facts DIR instead"
        if schema.startswith("mediacheck.report")
        else ""
    )
    raise FactsError(f"{origin} has schema {schema!r}, not {FACTS_SCHEMA}{hint}")


def read_facts(path: Path) -> MediaFacts:
    """The facts of one file.

    Raises:
        PathError: the path cannot be read.
        FactsError: it does not hold the facts of exactly one file.
    """
    facts = parse_facts(read_document(path), str(path))
    if len(facts) != 1:
        raise FactsError(f"{path} holds the facts of {len(facts)} files, not of one")
    return facts[0]


def read_document(path: Path) -> bytes:
    """The bytes of a regular file.

    Raises:
        PathError: the path cannot be read.
    """
    # A FIFO would block for ever.
    if path.exists() and not path.is_file():
        raise PathError(f"{path} is not a file")
    try:
        return path.read_bytes()
    except OSError as error:
        raise PathError(f"cannot read {path}: {error.strerror}") from error
