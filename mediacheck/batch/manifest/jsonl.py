"""JSON lines: ours, NeMo's, AudioFolder's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from mediacheck.batch.manifest.rows import Row
from mediacheck.batch.manifest.source import Source


class _TwiceError(ValueError):
    """A key stands twice in an object: which one counts differs between readers."""


def rows(source: Source) -> Iterator[Row]:
    """An object a line; empty lines are left out."""
    for number, line in source.lines():
        if line is None:
            yield Row(f"line {number}", problem="it is longer than 16 MiB; put one object into each line")
        elif line.strip():
            yield _row(f"line {number}", line)


def _row(where: str, line: bytes) -> Row:
    # No words of the parser: they change with its version, and what a manifest says must not.
    try:
        values: Any = _DECODER.decode(line.decode())
    except UnicodeDecodeError:
        return Row(where, problem="it is not UTF-8; save the manifest as UTF-8")
    except _TwiceError as error:
        return Row(where, problem=f"the key {error.args[0]!r} stands twice in one object; leave one")
    except (ValueError, RecursionError):
        return Row(where, problem="it is not JSON; write one whole object into the line")
    if not isinstance(values, dict):
        return Row(where, problem="it is no JSON object; write one, such as {\"media\": \"a.wav\"}")
    return Row(where, values)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen = set()
        for key, _ in pairs:
            if key in seen:
                raise _TwiceError(key)
            seen.add(key)
    return made


_DECODER = json.JSONDecoder(object_pairs_hook=_object)
