"""Saved facts: one file's facts as ``NAME.facts.json``, or those of several in one list."""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Written:
    """Facts as they are handed to whoever writes them: JSON, but for the series, which an hour's consist of.

    As base64 in one text, and that indented, the series of an hour would take four times what they do.
    """

    text: bytes
    """Compact JSON, with an empty text in place of each series."""
    series: tuple[bytes, ...]
    """The data of each, in the order of the text."""

    @classmethod
    def of(cls, facts: MediaFacts) -> Written:
        series = tuple(one.data for stream in facts.streams for one in _series(stream))
        streams = tuple(_without_series(stream) for stream in facts.streams)
        return cls(serialise.to_compact_json(msgspec.structs.replace(facts, streams=streams)), series)


class _List(Struct, kw_only=True):
    """A ``FactsList`` of what is JSON already."""

    schema: Literal["mediacheck.facts-list/1"] = FACTS_LIST_SCHEMA
    facts: tuple[msgspec.Raw, ...]


def document(facts: Written) -> Iterator[bytes]:
    """The JSON that is saved of one file, piece by piece: that of ``serialise.to_json``, byte for byte."""
    return _filled(msgspec.Raw(facts.text), facts.series)


def list_document(facts: Sequence[Written]) -> Iterator[bytes]:
    """The JSON that is saved of several files, a ``FactsList``, piece by piece."""
    texts = tuple(msgspec.Raw(one.text) for one in facts)
    return _filled(_List(facts=texts), (data for one in facts for data in one.series))


_HOLE = b'"data": "'
"""No other field has this name, and within a text JSON escapes the quotes."""
_BASE64_BYTES = 3 << 14
"""As many at once; a multiple of three, so that no padding stands between."""


def _filled(value: Struct | msgspec.Raw, series: Iterable[bytes]) -> Iterator[bytes]:
    first, *rest = serialise.to_json(value).split(_HOLE)
    yield first
    for data, piece in zip(series, rest, strict=True):
        yield _HOLE
        for start in range(0, len(data), _BASE64_BYTES):
            yield b2a_base64(data[start : start + _BASE64_BYTES], newline=False)
        yield piece


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


def _without_series(stream: Stream) -> Stream:
    """With the data of each left out."""
    match stream:
        case AudioStream():
            kept = stream.envelope and tuple(_emptied(series) for series in stream.envelope)
            return msgspec.structs.replace(stream, envelope=kept)
        case VideoStream():
            return msgspec.structs.replace(
                stream,
                black_share=stream.black_share and _emptied(stream.black_share),
                change=stream.change and _emptied(stream.change),
                local_change=stream.local_change and _emptied(stream.local_change),
                frame_times=stream.frame_times and _emptied(stream.frame_times),
            )
        case OtherStream():
            return stream


def _emptied(series: Series) -> Series:
    return msgspec.structs.replace(series, data=b"")


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
