"""The text of each candidate: one for all, or a manifest of them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mediacheck.cli.manifests import Line, read_manifest, read_text, require_text
from mediacheck.errors import UsageError


@dataclass(frozen=True)
class Candidate:
    """A file whose text is looked for."""

    path: Path
    name: str
    """As reports call it."""


class Texts:
    """What each candidate should say."""

    def __init__(self, common: str | None, lines: Sequence[Line] = ()) -> None:
        self._common = common
        self._by_path = {line.path: line for line in lines}
        # A manifest that lies elsewhere than its files: by name, and only lines whose own file is not there.
        loose = [line for line in lines if not os.path.exists(line.path)]
        self._by_name = {line.audio: line for line in loose}
        bases = Counter(PurePosixPath(line.audio).name for line in loose)
        self._by_base = {base: line for line in loose if bases[base := PurePosixPath(line.audio).name] == 1}

    @property
    def given(self) -> bool:
        return self._common is not None or bool(self._by_path)

    def all_of(self, candidates: Sequence[Candidate]) -> list[str | None]:
        """The text of each candidate; None where the manifest has none.

        A line belongs to the file that it names, counted from the manifest's folder. Where that file is not there, to
        the candidate of the same name; by its file name only where no other line and no other candidate has it.
        """
        if self._common is not None:
            return [self._common] * len(candidates)
        lines = self._lines_of(candidates)
        return [None if line is None else line.value for line in lines]

    def missing(self, candidates: Sequence[Candidate]) -> list[Line]:
        """Lines whose file is not there and that no candidate stands for."""
        used = {line.path for line in self._lines_of(candidates) if line is not None}
        return [line for line in self._by_path.values() if line.path not in used and not os.path.exists(line.path)]

    def _lines_of(self, candidates: Sequence[Candidate]) -> list[Line | None]:
        bases = Counter(PurePosixPath(candidate.name).name for candidate in candidates)
        found = []
        for candidate in candidates:
            base = PurePosixPath(candidate.name).name
            line = self._by_path.get(os.path.realpath(candidate.path)) or self._by_name.get(candidate.name)
            found.append(line or (self._by_base.get(base) if bases[base] == 1 else None))
        return found


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
        return Texts(None if text is None else require_text(text, "--text"))
    if Path(text_file).suffix.lower() != ".jsonl":
        return Texts(read_text("--text-file", text_file).strip())
    found: dict[str, Line] = {}
    for line in read_manifest("--text-file", text_file, "text"):
        if line.value is None:
            raise UsageError(f"{line.where}: write an object with text and the audio, both strings")
        if line.path in found:
            raise UsageError(f"{line.where}: {line.audio} has a text already; leave one")
        found[line.path] = line
    if not found:
        raise UsageError(f"{text_file} holds no line; write one for each candidate")
    return Texts(None, tuple(found.values()))
