"""The text of each candidate: one for all, or a manifest of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from mediacheck.errors import UsageError
from mediacheck.references import AUDIO_KEYS

LARGEST = 1_000_000_000
"""Bytes of a text file."""


class Texts:
    """What each candidate should say."""

    def __init__(self, common: str | None, by_name: Mapping[str, str] | None = None) -> None:
        self._common = common
        self._by_name = by_name or {}
        names = [PurePosixPath(name).name for name in self._by_name]
        # By its bare name only where that is one entry's alone.
        self._by_base = {
            PurePosixPath(name).name: text
            for name, text in self._by_name.items()
            if names.count(PurePosixPath(name).name) == 1
        }

    @property
    def given(self) -> bool:
        return self._common is not None or bool(self._by_name)

    def all_of(self, names: Sequence[str]) -> list[str | None]:
        """The text of each candidate, by the names that reports give them; None where the manifest has none.

        An entry counts by its whole name; by its file name only where no other entry and no other candidate has it.
        """
        if self._common is not None:
            return [self._common] * len(names)
        bases = Counter(PurePosixPath(name).name for name in names)
        return [self._by_name.get(name, self._by_file_name(name, bases)) for name in names]

    def _by_file_name(self, name: str, bases: Counter[str]) -> str | None:
        base = PurePosixPath(name).name
        return self._by_base.get(base) if bases[base] == 1 else None


def read_texts(text: str | None, text_file: str | None) -> Texts:
    """From ``--text`` and ``--text-file``.

    Args:
        text: of every candidate.
        text_file: a file that holds it, in UTF-8; or a manifest ``.jsonl``, a line for each candidate with ``text`` and
            one of ``audio``, ``audio_filepath`` and ``file_name``.

    Raises:
        UsageError: both are given, the file cannot be read, or a line is not of that form.
    """
    if text is not None and text_file is not None:
        raise UsageError("--text and --text-file were both given; give one")
    if text_file is None:
        return Texts(text)
    path = Path(text_file)
    try:
        if path.stat().st_size > LARGEST:
            raise UsageError(f"--text-file {text_file}: {path.stat().st_size} bytes are no text; name another file")
        content = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        if isinstance(error, UsageError):
            raise
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UsageError(f"cannot read --text-file {text_file}: {reason}") from error
    if path.suffix.lower() != ".jsonl":
        return Texts(content.strip())
    found: dict[str, str] = {}
    for number, line in enumerate(content.splitlines(), 1):
        if line.strip():
            name, said = _entry(line, f"{text_file}, line {number}")
            if name in found:
                raise UsageError(f"{text_file}, line {number}: {name} has a text already; leave one")
            found[name] = said
    if not found:
        raise UsageError(f"{text_file} holds no line; write one for each candidate")
    return Texts(None, found)


def _entry(line: str, where: str) -> tuple[str, str]:
    try:
        entry: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where} is not JSON: {error}") from error
    if isinstance(entry, dict) and isinstance(entry.get("text"), str):
        for key in AUDIO_KEYS:
            if isinstance(entry.get(key), str):
                return entry[key], entry["text"]
    raise UsageError(f"{where}: write an object with text and one of {', '.join(AUDIO_KEYS)}, all strings")
