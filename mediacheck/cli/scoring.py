"""Options that say how to score: for one file, and for a whole run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from mediacheck import serialise
from mediacheck.scoring import ScoringOptions
from mediacheck.scoring.registry import require_language

Command = TypeVar("Command", bound=Callable[..., Any])


def scoring_options(command: Command) -> Command:
    """The models and the rules; ``--device`` is each command's own."""
    for option in (
        click.option("--download", is_flag=True, help="Fetch a model that is not here."),
        click.option(
            "--protocol", metavar="ID", help="How texts are normalised: whisper-en, whisper-basic, seed-tts, none."
        ),
        click.option(
            "--language", metavar="CODE", default="en", show_default=True, help="Of the text and the speech."
        ),
        click.option("--api-url", metavar="URL", help="Of an OpenAI-compatible endpoint, for --asr openai-api."),
        click.option("--speaker-model-sha256", metavar="HEX", help="What the digest of its weights must be."),
        click.option(
            "--speaker-model",
            metavar="NAME|PATH",
            help="resemblyzer, or one of speechbrain.  [default: ECAPA-TDNN]",
        ),
        click.option("--model-sha256", metavar="HEX", help="What the digest of its weights must be."),
        click.option("--model", metavar="NAME|PATH", help="Of the recogniser.  [default: small]"),
        click.option(
            "--asr",
            type=click.Choice(["openai-whisper", "faster-whisper", "openai-api"]),
            default="openai-whisper",
            show_default=True,
            help="The recogniser.",
        ),
    ):
        command = option(command)
    return command


def options_of(*, language: str, **given: str | bool | None) -> ScoringOptions:
    """The options as scorers take them, from the values of the command line by name.

    Raises:
        UsageError: the language is no code.
    """
    require_language(language.lower())
    return serialise.convert({"language": language.lower(), **given}, ScoringOptions)
