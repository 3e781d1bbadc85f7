"""What ``wer`` and ``cer`` share: hear, normalise, count."""

from __future__ import annotations

from typing import ClassVar

from mediacheck.scoring.counting import Unit, count_errors
from mediacheck.scoring.protocols import Protocol, get_protocol
from mediacheck.scoring.registry import WITHOUT_SPACES, require_language, require_library
from mediacheck.scoring.rules import DOWNMIX, RESAMPLER, SILENCE_DBFS
from mediacheck.scoring.score import Identity, Measured, NotMeasured, Score, ScorerInfo
from mediacheck.scoring.scorer import AsrBackend, Item, ScoringOptions, identity
from mediacheck.scoring.transcripts import Listener, listener

EXTRAS: dict[AsrBackend, str] = {
    "openai-whisper": "whisper",
    "faster-whisper": "faster-whisper",
    "openai-api": "openai-api",
}
"""What installs all that each recogniser needs, besides OpenAI's normaliser."""
ONE_BY_RULE = "the candidate is silent: the hypothesis is empty by rule, no recogniser was asked"
ZERO_BY_RULE = "nothing was to be said, and nothing was heard: no error, by rule"


class TextErrors:
    """Errors of what a recogniser hears against what should be said."""

    info: ClassVar[ScorerInfo]
    unit: ClassVar[Unit]

    def __init__(self, options: ScoringOptions) -> None:
        self._options = options
        self._protocol: Protocol | None = None
        self._listener: Listener | None = None
        self.identity: Identity | None = None

    def prepare(self) -> None:
        """Load the recogniser.

        Raises:
            ModelError: a library or the model is missing.
            UsageError: the protocol does not know the language, or the options do not fit the recogniser.
        """
        language = self._options.language
        require_language(language)
        self._protocol = get_protocol(self._options.protocol, language)
        self._protocol.require(language)
        for module in self.info.modules:
            require_library(module, extra=EXTRAS[self._options.asr], wanted_by=f"the scorer {self.info.id}")
        self._listener = listener(self._options)
        by = self._listener.transcriber.identity
        options: dict[str, str | int | float | bool | None] = {tag.key: tag.value for tag in by.options}
        options |= {"downmix": DOWNMIX, "resampler": RESAMPLER, "silence_dbfs": SILENCE_DBFS}
        if self.unit == "character":
            options["spaces"] = "counted" if self._spaced else "left out"
        self.identity = identity(
            self.info,
            libraries=("jiwer", "soxr", *by.libraries),
            options=options,
            backend=by.backend,
            model=by.model,
            normaliser=self._protocol.identity(language),
            language=language,
        )

    @property
    def _spaced(self) -> bool:
        """Whether the language puts spaces between words."""
        return self._options.language not in WITHOUT_SPACES

    def score(self, item: Item) -> Score:
        if self._protocol is None or self._listener is None or self.identity is None or item.text is None:
            raise RuntimeError("prepare comes before score, and the runner sees to the text")
        if self.unit == "word" and not self._spaced:
            return self._none(f"{self._options.language} is written without spaces between words; see cer")
        language = self._options.language
        reference = self._split(self._protocol.reference(item.text, language))
        transcript = self._listener.hear(item)
        hypothesis = self._split(self._protocol.hypothesis(transcript.text, language))
        counted = count_errors(reference, hypothesis, self.unit)
        rate, remark = counted.counts.rate, ONE_BY_RULE if transcript.silent else None
        if rate is None:
            heard = counted.counts.insertions
            if heard:
                return self._none(f"the normalised text is empty, so there is no rate; {self.unit}s heard: {heard}")
            rate, remark = 0.0, ZERO_BY_RULE
        return Measured(
            scorer=self.info.id,
            value=rate,
            unit=self.info.unit,
            counts=counted.counts,
            text=item.text,
            hypothesis=transcript.text,
            alignment=counted.alignment,
            remark=remark,
            identity=self.identity,
        )

    def _split(self, text: str) -> str:
        """Characters of languages without spaces: a space that someone wrote all the same is none of them."""
        return text if self.unit == "word" or self._spaced else "".join(text.split())

    def _none(self, reason: str) -> NotMeasured:
        return NotMeasured(scorer=self.info.id, reason=reason)
