"""Text files and manifests that options name."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mediacheck.errors import UsageError
from mediacheck.references import AUDIO_KEYS
from mediacheck.serialise import is_text

LARGEST = 1_000_000_000
"""Bytes of a text file."""


@dataclass(frozen=True)
class Line:
    """One line of a manifest."""

    where: str
    """``FILE, line N``: for messages."""
    audio: str
    """As it was written."""
    path: str
    """Of the audio, counted from the manifest's folder, links resolved."""
    value: str | None
    """Of the key that was asked for; None where it is not there."""


def read_text(option: str, name: str) -> str:
    """A text file in UTF-8.

    Raises:
        UsageError: it is no regular file, too large, or not UTF-8.
    """
    path = Path(name)
    try:
        # A pipe without a writer would hang, and a device has no end.
        if path.exists() and not path.is_file():
            raise UsageError(f"cannot read {option} {name}: it is no regular file")
        if path.stat().st_size > LARGEST:
            raise UsageError(f"{option} {name}: {path.stat().st_size} bytes are no text; name another file")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UsageError(f"cannot read {option} {name}: {reason}") from error


def read_manifest(option: str, name: str, key: str) -> Iterator[Line]:
    """The lines of a manifest ``.jsonl``: objects with one of ``AUDIO_KEYS``, and with ``key`` or without.

    Raises:
        UsageError: the file cannot be read, or a line is not of that form.
    """
    folder = Path(name).parent
    # Not splitlines: JSON strings may hold the other characters that it takes for the end of a line.
    for number, line in enumerate(read_text(option, name).split("\n"), 1):
        if line.strip():
            yield _line(line, f"{name}, line {number}", folder, key)


def require_text(value: str, where: str) -> str:
    """``value``, which JSON can hold.

    Raises:
        UsageError: it has halves of surrogate pairs: bytes that are not UTF-8, or a broken escape.
    """
    if not is_text(value):
        raise UsageError(f"{where}: a text holds bytes that are not UTF-8, or half a character")
    return value


def _line(line: str, where: str, folder: Path, key: str) -> Line:
    try:
        entry: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where} is not JSON: {error}") from error
    if isinstance(entry, dict) and (entry.get(key) is None or isinstance(entry[key], str)):
        audio = next((entry[name] for name in AUDIO_KEYS if isinstance(entry.get(name), str)), None)
        if audio and "\0" not in audio:
            value = None if entry.get(key) is None else require_text(entry[key], where)
            return Line(where, require_text(audio, where), os.path.realpath(folder / audio), value)
    raise UsageError(f"{where}: write an object with {key} and one of {', '.join(AUDIO_KEYS)}, all strings")
