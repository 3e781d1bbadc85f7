"""``cer``: the character error rate of a candidate against its text."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from mediacheck.scoring.counting import Unit
from mediacheck.scoring.score import ScorerInfo
from mediacheck.scoring.text_errors import TextErrors
from mediacheck.scoring.wer import WordErrors


class CharacterErrors(TextErrors):
    """(substitutions + deletions + insertions) / characters of the reference, of the normalised texts.

    Characters are Unicode code points. A space is one of them, but for languages that put none between words.
    """

    unit: ClassVar[Unit] = "character"
    info: ClassVar[ScorerInfo] = replace(
        WordErrors.info,
        id="cer",
        unit="errors/character",
        summary="Characters that a recogniser hears otherwise than the text has them.",
    )
