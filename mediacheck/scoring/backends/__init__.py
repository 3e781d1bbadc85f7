"""Recognisers behind one protocol. Each file holds one; nothing heavy is imported before ``load``."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from mediacheck.errors import UsageError
from mediacheck.scoring.backends.transcriber import Transcriber
from mediacheck.scoring.scorer import ScoringOptions

BACKENDS = {
    "openai-whisper": "mediacheck.scoring.backends.openai_whisper:OpenaiWhisper",
    "faster-whisper": "mediacheck.scoring.backends.faster_whisper:FasterWhisper",
    "openai-api": "mediacheck.scoring.backends.openai_api:OpenaiApi",
}


def make_transcriber(options: ScoringOptions) -> Transcriber:
    """The recogniser that the options name, not loaded yet.

    Raises:
        UsageError: there is none of this name.
    """
    if options.asr not in BACKENDS:
        raise UsageError(f"there is no recogniser {options.asr!r}; known: {', '.join(BACKENDS)}")
    module, _, name = BACKENDS[options.asr].partition(":")
    kind: Any = getattr(import_module(module), name)
    made: Transcriber = kind(options)
    return made
