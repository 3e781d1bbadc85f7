"""Protocols: by which rules texts are made alike before errors are counted. Each is a pure function with a version."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from mediacheck.errors import UsageError
from mediacheck.scoring.protocols.openai_english import require_whisper_en, whisper_en
from mediacheck.scoring.protocols.plain import none, whisper_basic
from mediacheck.scoring.protocols.seed_tts_eval import require_zhconv, seed_tts, seed_tts_hypothesis
from mediacheck.scoring.score import NormaliserIdentity
from mediacheck.scoring.scorer import library_version


@dataclass(frozen=True)
class Protocol:
    """A named, versioned pair of functions from text to text."""

    id: str
    version: int
    languages: frozenset[str] | None
    """None: any."""
    headline: Literal["corpus", "mean of utterances"]
    """Which rate of a run the protocol's published figures state."""
    reference: Callable[[str, str], str]
    """From text and language; idempotent."""
    hypothesis: Callable[[str, str], str]
    require: Callable[[str], None]
    """Raises ``ModelError`` where a library is missing for the language."""
    library: Callable[[str], str | None]
    """The distribution that does the work for the language; None: mediacheck."""

    def identity(self, language: str) -> NormaliserIdentity:
        name = self.library(language)
        library = None if name is None else f"{name} {library_version(name)}"
        return NormaliserIdentity(id=self.id, version=self.version, library=library)


def _always(text: str, language: str) -> str:
    return none(text)


def _basic(text: str, language: str) -> str:
    return whisper_basic(text)


def _english(text: str, language: str) -> str:
    return whisper_en(text)


def _nothing(language: str) -> None:
    return None


PROTOCOLS = {
    protocol.id: protocol
    for protocol in (
        Protocol(
            "whisper-en", 1, frozenset({"en"}), "corpus", _english, _english, lambda language: require_whisper_en(),
            lambda language: "openai-whisper",
        ),
        Protocol("whisper-basic", 1, None, "corpus", _basic, _basic, _nothing, _nothing),
        Protocol(
            "seed-tts", 1, frozenset({"en", "zh"}), "mean of utterances", seed_tts, seed_tts_hypothesis,
            lambda language: require_zhconv() if language == "zh" else None,
            lambda language: "zhconv" if language == "zh" else None,
        ),
        Protocol("none", 1, None, "corpus", _always, _always, _nothing, _nothing),
    )
}  # fmt: skip


def get_protocol(id: str | None, language: str) -> Protocol:
    """The protocol of this name; by default ``whisper-en`` for English and ``whisper-basic`` for all else.

    Raises:
        UsageError: there is none, or it has no rules for the language.
    """
    name = id or ("whisper-en" if language == "en" else "whisper-basic")
    if name not in PROTOCOLS:
        raise UsageError(f"there is no protocol {name!r}; known: {', '.join(PROTOCOLS)}")
    protocol = PROTOCOLS[name]
    if protocol.languages is not None and language not in protocol.languages:
        known = " and ".join(sorted(protocol.languages))
        raise UsageError(f"the protocol {name} has rules for {known}, not for {language!r}; choose whisper-basic")
    return protocol
