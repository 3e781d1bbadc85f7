"""How a user says to read a manifest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mediacheck.batch.errors import ManifestError
from mediacheck.expectation import Expectation

FORMATS: Final = ("jsonl", "nemo", "audiofolder", "csv", "tsv", "parquet", "kaldi", "seed-tts", "folder")
KEYS: Final = ("id", "media", "text", "reference", "speaker", "language", "contract", "expect", "model")
EXPECT_KEYS: Final = tuple(f"expect.{name}" for name in Expectation.__struct_fields__)


@dataclass(frozen=True)
class ManifestOptions:
    format: str | None = None
    """One of ``FORMATS``; None: detected."""
    roots: tuple[str, ...] = ()
    """Folders or URL prefixes that the manifest may lead to, besides its own and ``outputs``."""
    outputs: str | None = None
    """Folder or URL where ``ID.SUFFIX`` lies, for manifests that name no media."""
    columns: tuple[tuple[str, str], ...] = ()
    """Our key, and the key or column that holds it: ``("id", "utt")``, ``("expect.duration", "dur")``."""
    groups: tuple[str, ...] = ()
    """Keys or columns that the summary is made by, besides language, speaker and model where they are there."""


def check_options(options: ManifestOptions) -> None:
    """Raise where options can be right for no manifest.

    Raises:
        ManifestError: an unknown format or key, or a key that is mapped twice.
    """
    if options.format is not None and options.format not in FORMATS:
        raise ManifestError(f"--format {options.format!r} is unknown; known: {', '.join(FORMATS)}")
    if options.outputs == "":
        raise ManifestError("--outputs is empty; name a folder or a URL")
    taken = set()
    for key, column in options.columns:
        if key not in KEYS and key not in EXPECT_KEYS:
            raise ManifestError(
                f"--column {key}={column}: there is no key {key!r}; known: {', '.join(KEYS)}, and expect.KEY with one "
                f"of {', '.join(Expectation.__struct_fields__)}"
            )
        if key in taken:
            raise ManifestError(f"--column {key} is given twice")
        if not column:
            raise ManifestError(f"--column {key}= names no column; write {key}=COLUMN")
        taken.add(key)
    if "" in options.groups:
        raise ManifestError("--group is empty; name a column")
