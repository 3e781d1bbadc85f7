"""What a speaker model is to the scorer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from mediacheck.facts import Struct, Tag
from mediacheck.scoring.score import ModelIdentity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mediacheck.scoring.sound import Mono


class EncoderIdentity(Struct, frozen=True, kw_only=True):
    """By what an embedding was made."""

    backend: str
    model: ModelIdentity
    options: tuple[Tag, ...]
    libraries: tuple[str, ...]
    """Names of the distributions that do the work."""


class SpeakerEncoder(Protocol):
    """Turns a voice into a vector. One clip at a time: padding, which a batch needs, changes embeddings."""

    def load(self) -> None:
        """Import libraries and load the model.

        Raises:
            ModelError: a library or the model is missing.
            UsageError: the options do not fit it.
        """

    @property
    def identity(self) -> EncoderIdentity:
        """Known once it is loaded."""

    def embed(self, samples: Mono) -> NDArray[np.float64]:
        """The embedding of ``samples`` (n,), 16 kHz mono: shape (d,), of length 1.

        Raises:
            Unmeasurable: the model finds too little speech by its own rule.
        """
