"""Whose voice each file is, from manifests."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from mediacheck.cli.manifests import read_manifest
from mediacheck.errors import UsageError


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
        for line in read_manifest("--speakers", manifest, "speaker"):
            if line.value is None:
                continue
            if not line.value:
                raise UsageError(f"{line.where}: write an object with speaker and the audio, neither of them empty")
            if found.setdefault(line.path, line.value) != line.value:
                raise UsageError(
                    f"{line.where}: {line.audio} is {line.value} here and {found[line.path]} elsewhere; leave one"
                )
    if manifests and not found:
        raise UsageError(f"--speakers {manifests[0]} names no speaker; write speaker and audio into its lines")
    return Speakers(found)
