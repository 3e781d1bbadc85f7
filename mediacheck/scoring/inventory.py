"""What this machine could score with: which libraries are installed, and which models lie in the usual places."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from mediacheck.facts import Struct
from mediacheck.scoring.registry import scorer_ids, scorer_type


class ScorerStatus(Struct, frozen=True, kw_only=True):
    id: str
    available: bool
    """Whether its libraries are installed; a model may still be missing."""
    missing: tuple[str, ...] = ()
    """Modules that are not."""
    extra: str | None = None
    """What installs them: ``pip install 'mediacheck[EXTRA]'``."""


class RecogniserStatus(Struct, frozen=True, kw_only=True):
    id: str
    available: bool
    extra: str | None = None
    models: tuple[str, ...] = ()
    """Names for ``--model`` that are on this machine; a path does as well."""


class SpeakerModelStatus(Struct, frozen=True, kw_only=True):
    id: str
    """The library."""
    available: bool
    extra: str
    models: tuple[str, ...] = ()
    """Names for ``--speaker-model`` that are on this machine; a folder does as well."""


def scorers() -> tuple[ScorerStatus, ...]:
    """Every scorer, in the order of the registry."""
    return tuple(_scorer(id) for id in scorer_ids())


def recognisers() -> tuple[RecogniserStatus, ...]:
    """What can transcribe, with the models that are here."""
    return (
        RecogniserStatus(
            id="openai-whisper",
            available=find_spec("whisper") is not None,
            extra="whisper",
            models=tuple(sorted(path.stem for path in _entries(whisper_cache(), "*.pt"))),
        ),
        RecogniserStatus(
            id="faster-whisper",
            available=find_spec("faster_whisper") is not None,
            extra="faster-whisper",
            models=_hub_models(),
        ),
        RecogniserStatus(id="openai-api", available=True),
    )


def speaker_models() -> tuple[SpeakerModelStatus, ...]:
    """What can tell voices apart, with the models that are here."""
    has_resemblyzer = find_spec("resemblyzer") is not None
    return (
        SpeakerModelStatus(
            id="speechbrain",
            available=find_spec("speechbrain") is not None,
            extra="speaker",
            models=_hub_repositories("embedding_model.ckpt"),
        ),
        SpeakerModelStatus(
            id="resemblyzer",
            available=has_resemblyzer,
            extra="resemblyzer",
            # The weights come with the package.
            models=("resemblyzer",) if has_resemblyzer else (),
        ),
    )


def whisper_cache() -> Path:
    """Where openai-whisper keeps what it fetched: ``$XDG_CACHE_HOME/whisper``, ``~/.cache/whisper`` by default."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "whisper"


def hub_cache() -> Path:
    """The cache of the Hugging Face Hub: ``HF_HUB_CACHE``, else ``HF_HOME/hub``, else below the user's cache."""
    if named := os.environ.get("HF_HUB_CACHE"):
        return Path(named)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("HF_HOME") or cache / "huggingface") / "hub"


def _scorer(id: str) -> ScorerStatus:
    info = scorer_type(id).info
    missing = tuple(module for module in info.modules if find_spec(module) is None)
    return ScorerStatus(id=id, available=not missing, missing=missing, extra=info.extra)


def _hub_models() -> tuple[str, ...]:
    return tuple(sorted(name.removeprefix("Systran/faster-whisper-") for name in _hub_repositories("model.bin")))


def _hub_repositories(file: str) -> tuple[str, ...]:
    """``owner/name`` of every repository in the Hub's cache that holds this file."""
    found = {path.parents[2].name for path in _entries(hub_cache(), f"models--*/snapshots/*/{file}")}
    return tuple(sorted(name.removeprefix("models--").replace("--", "/", 1) for name in found))


def _entries(folder: Path, pattern: str) -> list[Path]:
    try:
        return list(folder.glob(pattern))
    except OSError:
        return []
