"""What decoding gave, before it is held against what the bytes say."""

from __future__ import annotations

from dataclasses import dataclass, field

from mediacheck.facts import ContainerFacts, Libraries, Stream


@dataclass(frozen=True)
class Decoded:
    container: ContainerFacts
    streams: tuple[Stream, ...] = ()
    libraries: Libraries = field(default_factory=Libraries)
    """What decoded it."""
