"""What decoding gave, before it is held against what the bytes say."""

from __future__ import annotations

from dataclasses import dataclass

from mediacheck.facts import ContainerFacts, Stream, Tag


@dataclass(frozen=True)
class Decoded:
    container: ContainerFacts
    streams: tuple[Stream, ...] = ()
    libraries: tuple[Tag, ...] = ()
    """The decoders that were used, with their versions: others may decode lossy codecs to other samples."""
