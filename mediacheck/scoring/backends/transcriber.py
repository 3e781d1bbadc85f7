"""What a recogniser is to the scorers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from mediacheck.facts import Struct, Tag
from mediacheck.scoring.score import ModelIdentity

if TYPE_CHECKING:
    from mediacheck.scoring.sound import Mono

RATE: Final = 16000
"""Hz, of the samples that every recogniser is given."""


class TranscriberIdentity(Struct, frozen=True, kw_only=True):
    """By what a text was heard."""

    backend: str
    model: ModelIdentity
    options: tuple[Tag, ...]
    """Decode options and precision."""
    libraries: tuple[str, ...]
    """Names of the distributions that do the work."""


class Transcriber(Protocol):
    """Turns sound into text. One file at a time: a batch must not change a transcript, so none is made."""

    def load(self) -> None:
        """Import libraries and load the model.

        Raises:
            ModelError: a library or the model is missing.
            UsageError: the options do not fit it.
        """

    @property
    def identity(self) -> TranscriberIdentity:
        """Known once it is loaded."""

    def transcribe(self, samples: Mono) -> str:
        """The text of the whole of ``samples`` (n,), 16 kHz mono, whatever its length; the same for the same samples.

        Raises:
            Unmeasurable: no text was to be had for these samples.
        """
