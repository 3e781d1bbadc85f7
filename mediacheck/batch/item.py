"""What a manifest asks of one output."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from msgspec.structs import replace as changed

from mediacheck import serialise
from mediacheck.expectation import Expectation
from mediacheck.facts import Struct, Tag


class Entry(Struct, frozen=True, kw_only=True):
    """One line of a manifest, as it was written: the same wherever the files lie."""

    id: str
    media: str
    """The output as the manifest names it; bytes that are not UTF-8 as ``\\xff``. Empty where a line names none."""
    text: str | None = None
    """What should be said; ``""``: nothing."""
    references: tuple[str, ...] = ()
    """Reference audio, as the manifest names it."""
    speaker: str | None = None
    language: str | None = None
    """ISO 639-1; None: that of the run."""
    contract: str | None = None
    """Id or path of what the model can produce; None: that of the run."""
    expect: Expectation | None = None
    """What was asked for: duration, samples, …"""
    groups: tuple[Tag, ...] = ()
    """Columns that the summary is made by, sorted by key."""
    problem: str | None = None
    """What is wrong with the line, where it cannot be used: one clause that begins with where it stands."""


class ExtraFiles(Struct, frozen=True, kw_only=True):
    """Media beside the outputs that no item names."""

    count: int = 0
    first: tuple[str, ...] = ()


@dataclass(frozen=True)
class Item:
    """An entry, and where its files lie."""

    position: int
    """In the manifest, from 0: over all shards."""
    where: str
    """``line 12``, ``row 3``; empty for a folder."""
    entry: Entry
    place: str
    """Of the output: an absolute path (``os.fsdecode``: it may hold half surrogates), or a URL. Empty: none."""
    reference_places: tuple[str, ...] = ()
    named: bool = True
    """Whether the line names its media; False: it was looked for by its id among the outputs."""

    @property
    def stated(self) -> Entry:
        """What the manifest itself says: it stays the same while outputs come to lie in their folder."""
        return self.entry if self.named else changed(self.entry, media="")


class Digests:
    """Over the items of a manifest in their order: of all that it says, and of what it asks."""

    def __init__(self) -> None:
        self._all = hashlib.sha256()
        self._asked = hashlib.sha256()
        self.items = 0

    def add(self, entry: Entry) -> None:
        self.items += 1
        # By which columns a summary is made can be chosen anew.
        self._all.update(serialise.to_compact_json(changed(entry, groups=())) + b"\n")
        asked = Entry(
            id=entry.id,
            media="",
            text=entry.text,
            references=entry.references,
            speaker=entry.speaker,
            language=entry.language,
            contract=entry.contract,
            expect=entry.expect,
            problem=entry.problem,
        )
        self._asked.update(serialise.to_compact_json(asked) + b"\n")

    @property
    def all(self) -> str:
        return f"sha256:{self._all.hexdigest()}"

    @property
    def asked(self) -> str:
        """Two models that were asked the same have it in common, though their outputs lie in different places."""
        return f"sha256:{self._asked.hexdigest()}"


def digests(entries: Iterable[Entry]) -> Digests:
    made = Digests()
    for entry in entries:
        made.add(entry)
    return made
