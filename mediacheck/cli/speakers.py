"""Whose voice each file is, from manifests."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mediacheck.cli.texts import LARGEST
from mediacheck.errors import UsageError
from mediacheck.references import AUDIO_KEYS


class Speakers:
    """The speaker of each file that a manifest names."""

    def __init__(self, by_path: dict[str, str]) -> None:
        self._by_path = by_path

    def of(self, path: Path) -> str | None:
        """None where no manifest names a speaker for this file."""
        return self._by_path.get(os.path.realpath(path))


def read_speakers(manifests: Sequence[str]) -> Speakers:
    """From ``--speakers``.

    Args:
        manifests: ``.jsonl``, a line for each file with one of ``audio``, ``audio_filepath`` and ``file_name`` (a path,
            counted from the manifest's folder) and ``speaker``; lines without a speaker say nothing.

    Raises:
        UsageError: a file cannot be read, a line is not of that form, or two lines name two speakers for one file.
    """
    found: dict[str, str] = {}
    for manifest in manifests:
        path = Path(manifest)
        for number, line in enumerate(_lines(path, manifest), 1):
            where = f"{manifest}, line {number}"
            entry = _entry(line, where) if line.strip() else None
            if entry is None:
                continue
            audio, speaker = os.path.realpath(path.parent / entry[0]), entry[1]
            if found.setdefault(audio, speaker) != speaker:
                raise UsageError(f"{where}: {entry[0]} is {speaker} here and {found[audio]} elsewhere; leave one")
    if manifests and not found:
        raise UsageError(f"--speakers {manifests[0]} names no speaker; write speaker and audio into its lines")
    return Speakers(found)


def _lines(path: Path, shown: str) -> list[str]:
    try:
        if path.stat().st_size > LARGEST:
            raise UsageError(f"--speakers {shown}: {path.stat().st_size} bytes are no manifest; name another file")
        return path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UsageError(f"cannot read --speakers {shown}: {reason}") from error


def _entry(line: str, where: str) -> tuple[str, str] | None:
    try:
        entry: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where} is not JSON: {error}") from error
    if isinstance(entry, dict) and entry.get("speaker") is None:
        return None
    if isinstance(entry, dict) and isinstance(entry["speaker"], str) and entry["speaker"]:
        for key in AUDIO_KEYS:
            if isinstance(entry.get(key), str):
                return entry[key], entry["speaker"]
    raise UsageError(f"{where}: write an object with speaker and one of {', '.join(AUDIO_KEYS)}, all strings")
