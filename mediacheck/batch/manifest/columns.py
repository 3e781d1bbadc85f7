"""By which key of a manifest each of ours is read."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from mediacheck.batch.errors import ManifestError
from mediacheck.batch.manifest.options import EXPECT_KEYS, KEYS, ManifestOptions

MEDIA_KEYS: Final = ("media", "audio_filepath", "file_name", "audio")
"""Ours, NeMo's, AudioFolder's, and that of ``datasets`` and of our reference sets."""
ALWAYS_GROUPS: Final = ("language", "speaker", "model")
_TRANSCRIPTION = "transcription"


@dataclass(frozen=True)
class Columns:
    """Their keys; None: not read."""

    id: str
    media: str | None
    text: str
    reference: str
    speaker: str
    language: str
    contract: str
    expect: str
    model: str
    expected: tuple[tuple[str, str], ...]
    """``duration`` and the key that holds it."""
    groups: tuple[str, ...]
    named: frozenset[str]
    """By the user: each must be there in a line at least."""
    required: frozenset[str]
    """Of those, the id and the media that the user named: each must be there in every line."""

    @property
    def all(self) -> frozenset[str]:
        """All keys that are read, but for the user's own ``expect.…``."""
        own = {self.id, self.text, self.reference, self.speaker, self.language, self.contract, self.expect, self.model}
        media = set() if self.media is None else {self.media}
        return frozenset(own | media | set(self.groups) | {column for _, column in self.expected})


def choose_columns(
    options: ManifestOptions, there: Collection[str], media_keys: Collection[str] = MEDIA_KEYS
) -> Columns:
    """
    Args:
        options: of the user.
        there: the header, or the keys of the first lines.
        media_keys: under which the format names media.
    """
    given = dict(options.columns)
    free = set(there) - set(given.values())

    def named(key: str) -> str:
        # What the user gave another meaning has its usual one no more.
        default = key if key not in given.values() else ""
        return given.get(key, default)

    media = given.get("media") or next((key for key in media_keys if key in free), None)
    text = named("text")
    if media == "file_name" and "text" not in given and "text" not in free and _TRANSCRIPTION in free:
        text = _TRANSCRIPTION
    columns = {key: named(key) for key in KEYS if key not in ("media", "text")}
    expected = {key: named(key) for key in EXPECT_KEYS}
    groups = tuple(dict.fromkeys(name for name in options.groups if name not in ALWAYS_GROUPS))
    return Columns(
        **columns,
        media=media,
        text=text,
        expected=tuple((key.removeprefix("expect."), column) for key, column in expected.items() if column),
        groups=groups,
        named=frozenset(given.values()) | frozenset(columns.get(name) or name for name in options.groups),
        required=frozenset(given[key] for key in ("id", "media") if key in given),
    )


def refuse_unknown(columns: Columns, there: Collection[str], name: str) -> None:
    """Raise where a column that the user named is not in a header.

    Raises:
        ManifestError: naming those that are there.
    """
    missing = sorted(columns.named - set(there))
    if missing:
        raise ManifestError(
            f"{name} has no column {missing[0]!r}, which --column or --group names; it has: {shown(there)}"
        )


def shown(names: Collection[str]) -> str:
    """For a sentence, the first twenty."""
    listed = ", ".join(repr(name)[:60] for name in list(names)[:20])
    return listed + (", …" if len(names) > 20 else "") if names else "none"
