"""``cer``: the character error rate of a candidate against its text."""

from __future__ import annotations

from typing import ClassVar

from mediacheck.scoring.counting import Unit
from mediacheck.scoring.score import ScorerInfo
from mediacheck.scoring.text_errors import TextErrors


class CharacterErrors(TextErrors):
    """(substitutions + deletions + insertions) / characters of the reference, of the normalised texts.

    Characters are Unicode code points. A space is one of them, but for languages that put none between words.
    """

    unit: ClassVar[Unit] = "character"
    info: ClassVar[ScorerInfo] = ScorerInfo(
        id="cer",
        version=1,
        unit="errors/character",
        lowest=0.0,
        highest=None,
        higher_is_better=False,
        needs=("text", "model"),
        licence="MIT (openai-whisper, faster-whisper), Apache-2.0 (jiwer)",
        extra="whisper",
        modules=("jiwer", "soxr"),
        default=True,
        summary="Characters that a recogniser hears otherwise than the text has them.",
    )
