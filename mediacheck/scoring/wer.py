"""``wer``: the word error rate of a candidate against its text."""

from __future__ import annotations

from typing import ClassVar

from mediacheck.scoring.counting import Unit
from mediacheck.scoring.score import ScorerInfo
from mediacheck.scoring.text_errors import TextErrors


class WordErrors(TextErrors):
    """(substitutions + deletions + insertions) / words of the reference, of the normalised texts."""

    unit: ClassVar[Unit] = "word"
    info: ClassVar[ScorerInfo] = ScorerInfo(
        id="wer",
        version=1,
        unit="errors/word",
        lowest=0.0,
        highest=None,
        higher_is_better=False,
        needs=("text", "model"),
        licence="MIT (openai-whisper, faster-whisper), Apache-2.0 (jiwer)",
        extra="whisper",
        modules=("jiwer", "soxr"),
        default=True,
        summary="Words that a recogniser hears otherwise than the text has them.",
    )
