"""What the kinds of a gate share: one text may explain several names, a family of them or other words for one thing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mediacheck.explain import text
from mediacheck.explain.explanation import Explanation, Property

_PACKAGE: Final = "mediacheck.gate"

Words = Mapping[str, str]
"""What stands for each placeholder of a text: ``CHECK`` -> ``audio.silent``."""


def _no_words(name: str) -> Words:
    return {}


def _no_properties(name: str) -> tuple[Property, ...]:
    return ()


@dataclass(frozen=True)
class Entry:
    """A text, and the names that it explains."""

    file: str
    """Below ``mediacheck/gate/explained``, without ``.md``."""
    name: str
    """As it is listed; of a family, its pattern."""
    members: tuple[str, ...] = ()
    """Of a family: names that are explained each by its own words."""
    aliases: tuple[str, ...] = ()
    """Other names of the same thing."""
    sample: str | None = None
    """Of a family: the member of which its example speaks."""
    words: Callable[[str], Words] = _no_words
    properties: Callable[[str], tuple[Property, ...]] = _no_properties
    """Of a name; of a family's pattern too."""


@dataclass(frozen=True)
class EntryKind:
    """A kind of thing (``catalogue.Kind``) that is explained by entries."""

    title: str
    entries: Callable[[], tuple[Entry, ...]]
    """Asked anew each time: scorers of other packages come and go."""
    called: Callable[[str], str]
    """Of a name: what its explanation calls it."""

    def names(self) -> tuple[str, ...]:
        """As they are listed: of a family its pattern, ``findings:CHECK``."""
        return tuple(entry.name for entry in self.entries())

    def more_names(self) -> tuple[str, ...]:
        """What is explained and not listed: members of families, ``findings:audio.silent``, and aliases."""
        return tuple(name for entry in self.entries() for name in (*entry.aliases, *entry.members))

    def explain(self, name: str) -> Explanation:
        """The explanation of one of ``names`` or ``more_names``.

        Raises:
            InstallationError: its text is missing or malformed.
            UsageError: it is a scorer of another package, which is broken.
        """
        return explained(name, self.called(name), self.entries())


def entry_of(name: str, entries: Sequence[Entry]) -> Entry:
    """The entry that explains a name.

    Raises:
        KeyError: none does.
    """
    for entry in entries:
        if name == entry.name or name in entry.members or name in entry.aliases:
            return entry
    raise KeyError(name)


def explained(name: str, kind: str, entries: Sequence[Entry]) -> Explanation:
    """The explanation of a name.

    Args:
        name: of one of the entries.
        kind: what the explanation calls it.
        entries: of that kind.

    Raises:
        InstallationError: its text is missing or malformed.
    """
    entry = entry_of(name, entries)
    shown = name if name in entry.members else entry.name
    # A family in general keeps its placeholders; only its example must be of something.
    concrete = entry.sample if entry.sample is not None and shown == entry.name else shown
    written, where = text.load(_PACKAGE, f"{entry.file}.md"), f"the text of {name}"
    of_example = text.parse(filled(written, entry.words(concrete)), where)
    told = of_example if concrete == shown else text.parse(written, where)
    return Explanation(
        name=shown,
        kind=kind,
        title=told.title,
        properties=entry.properties(shown),
        what=told.sections[text.WHAT],
        why=told.sections[text.WHY],
        how=told.sections[text.HOW],
        example=of_example.example,
        fix=told.sections[text.FIX],
        source=told.sections[text.SOURCE],
    )


def filled(written: str, words: Words) -> str:
    """A text with words for its placeholders."""
    if not words:
        return written
    return re.sub(rf"\b(?:{'|'.join(words)})\b", lambda found: words[found[0]], written)
