"""What a scorer is, and what it is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol

from mediacheck.errors import MediacheckError
from mediacheck.facts import Struct, Tag
from mediacheck.scoring.score import Identity, ModelIdentity, NormaliserIdentity, Score, ScorerInfo

if TYPE_CHECKING:
    from mediacheck.scoring.sound import Sound

AsrBackend = Literal["openai-whisper", "faster-whisper", "openai-api"]


class ModelError(MediacheckError):
    """A model or library that a scorer needs is not on this machine: the message says how to get it."""


class Unmeasurable(Exception):
    """Raised inside a scorer where there is no value: one clause that says why. It never leaves this package."""

    def __init__(self, reason: str, *, transient: bool = False) -> None:
        """
        Args:
            reason: one clause.
            transient: whether trying again may give a value.
        """
        super().__init__(reason)
        self.transient = transient


class ScoringOptions(Struct, frozen=True, kw_only=True):
    """How to score: the same for every file of a run. Each scorer takes what concerns it."""

    language: str = "en"
    """ISO 639-1, of the text and of the speech."""
    protocol: str | None = None
    """Name of the text normalisation; None: the language's own (see ``mediacheck.scoring.protocols``)."""
    asr: AsrBackend = "openai-whisper"
    model: str | None = None
    """Of the recogniser: a name (``small.en``) or a path; None: the backend's own default."""
    model_sha256: str | None = None
    """What the digest of the recogniser's weights must be; None: not pinned."""
    api_url: str | None = None
    """Of an OpenAI-compatible endpoint: ``http://localhost:8000/v1``."""
    speaker_model: str | None = None
    """``resemblyzer``, or a model of speechbrain: a folder, or a name on the Hugging Face Hub; None: its ECAPA-TDNN."""
    speaker_model_sha256: str | None = None
    """What the digest of the speaker model's weights must be; None: not pinned."""
    device: str = "auto"
    """``auto``, ``cpu``, ``cuda`` or ``cuda:1``."""
    download: bool = False
    """Whether a missing model may be fetched."""


@dataclass(frozen=True, eq=False)
class Recording:
    """A file with sound, decoded when it is first asked for."""

    path: Path
    name: str
    sha256: str | None = None
    speaker: str | None = None
    """Whose voice it is, or should be; None: not known."""

    @cached_property
    def sound(self) -> Sound:
        """Its first audio stream.

        Raises:
            Unmeasurable: it cannot be decoded, or changed since it was validated.
        """
        from mediacheck.scoring.sound import load_sound

        return load_sound(self.path, self.name, self.sha256)


@dataclass(frozen=True, eq=False)
class Item:
    """One candidate, with what it is held against."""

    candidate: Recording
    text: str | None = None
    """What should be said; ``""`` is a text: nothing should be said."""
    references: tuple[Recording, ...] = field(default=())
    silent: bool = False
    """The validator found the candidate silent, and nothing else wrong. Only word and character errors are counted."""


class Scorer(Protocol):
    """Computes one quality number.

    A scorer is made once for a run and called for every file. Heavy imports stand inside ``prepare`` and ``score``.
    """

    info: ClassVar[ScorerInfo]
    identity: Identity | None
    """By what its values are computed; known when it is prepared, so that a run can state it before its first value."""

    def __init__(self, options: ScoringOptions) -> None:
        """Remember what concerns it; load nothing."""

    def prepare(self) -> None:
        """Import libraries and load models, before any file is processed.

        Raises:
            ModelError: a library or a model is missing.
            UsageError: the options do not fit: an unknown device, a protocol that does not know the language.
        """

    def score(self, item: Item) -> Score:
        """The value for one candidate, or the reason why there is none.

        What ``info.needs`` names is there, and the candidate passed validation: ``mediacheck.scoring.run`` sees to
        both. ``Unmeasurable`` may be raised instead of returning ``NotMeasured``.
        """


def identity(
    info: ScorerInfo,
    *,
    libraries: tuple[str, ...] = (),
    options: dict[str, str | int | float | bool | None] | None = None,
    backend: str | None = None,
    model: ModelIdentity | None = None,
    normaliser: NormaliserIdentity | None = None,
    language: str | None = None,
) -> Identity:
    """The identity of a scorer's values.

    Args:
        info: of the scorer.
        libraries: names of the distributions that compute the value (``jiwer``); their versions are looked up.
        options: whatever changes the value: the sample rate, the downmix rule, beam size, precision. None is written
            as ``none``.
        backend: which of several implementations.
        model: with the digest of its weights.
        normaliser: of texts.
        language: ISO 639-1, where the value depends on it.
    """
    return Identity(
        scorer=info.id,
        version=info.version,
        unit=info.unit,
        backend=backend,
        model=model,
        options=tuple(Tag(key=key, value=_option(value)) for key, value in sorted((options or {}).items())),
        normaliser=normaliser,
        language=language,
        libraries=tuple(Tag(key=name, value=library_version(name)) for name in sorted(libraries)),
    )


def library_version(distribution: str) -> str:
    """The installed version of a distribution, looked up without importing it; ``unknown`` where it is not one."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "unknown"


def _option(value: str | float | bool | None) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
