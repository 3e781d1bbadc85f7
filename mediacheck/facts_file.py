"""Saved facts: one file's facts as ``NAME.facts.json``, or those of several in one list."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import msgspec

from mediacheck import serialise
from mediacheck.errors import FactsError, PathError
from mediacheck.facts import FACTS_SCHEMA, AudioStream, MediaFacts, OtherStream, Series, Stream, Struct, VideoStream

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
            return (_possible(serialise.from_json(data, MediaFacts)),)
        if schema == FACTS_LIST_SCHEMA:
            return tuple(_possible(facts) for facts in serialise.from_json(data, FactsList).facts)
    # RecursionError: brackets nested a thousand deep.
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
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


def _possible(facts: MediaFacts) -> MediaFacts:
    """The facts, where their counts can be those of a file: a slip of an editor must not become a verdict.

    Raises:
        ValueError: naming what cannot be.
    """
    if facts.file.bytes < 0:
        raise ValueError(f"a file of {facts.file.bytes} bytes cannot be")
    for stream in facts.streams:
        where = f"stream {stream.index}"
        if any(4 * series.count != len(series.data) for series in _series(stream)):
            raise ValueError(f"{where}: a series does not have as many values as it says")
        if isinstance(stream, AudioStream):
            if stream.samples < 0 or stream.channels < 0 or stream.sample_rate < 0:
                raise ValueError(f"{where} has a count below zero")
            if stream.duration * stream.sample_rate != stream.samples:
                raise ValueError(f"{where}: samples, sample_rate and duration contradict each other")
        elif isinstance(stream, VideoStream) and (stream.frames < 0 or stream.duration < 0):
            raise ValueError(f"{where} has a count below zero")
    return facts


def _series(stream: Stream) -> tuple[Series, ...]:
    match stream:
        case AudioStream():
            return stream.envelope or ()
        case VideoStream():
            own = (stream.black_share, stream.change, stream.local_change, stream.frame_times)
            return tuple(series for series in own if series is not None)
        case OtherStream():
            return ()


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
    try:
        # A FIFO would block for ever.
        if path.exists() and not path.is_file():
            raise PathError(f"{path} is not a file; name a file of saved facts")
        return path.read_bytes()
    except PathError:
        raise
    except (OSError, ValueError) as error:
        raise PathError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}; check the path") from error
