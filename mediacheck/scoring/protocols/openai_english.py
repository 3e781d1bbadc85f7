"""Protocol ``whisper-en``: OpenAI's English normaliser, which ships with openai-whisper."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from mediacheck.scoring.registry import require_library

MOST_PASSES = 10


def whisper_en(text: str) -> str:
    """OpenAI's English normaliser, applied until it changes nothing more.

    It writes numbers as digits, British spellings as American ones, contractions out, and drops fillers, brackets and
    punctuation. One pass leaves a full stop that stands alone as a word ("exactly..." becomes "exactly ."), which
    would count as an error; a second one removes it.

    Raises:
        ModelError: openai-whisper is not installed.
        ValueError: the text has not settled after ten passes.

    >>> whisper_en("Don't  pay £5 [laughs].")
    'do not pay £5'
    >>> whisper_en("Mr. Gray's colour: twenty-two, exactly...")
    'mister gray is color 22 exactly'
    """
    normalise = _english()
    before = text
    for _ in range(MOST_PASSES):
        after = " ".join(normalise(before).split())
        if after == before:
            return after
        before = after
    raise ValueError(f"the text has not settled after {MOST_PASSES} passes of the normaliser: {text[:60]!r}")


def require_whisper_en() -> None:
    """Raise where the normaliser is missing.

    Raises:
        ModelError: openai-whisper is not installed.
    """
    require_library(
        "whisper",
        extra="whisper",
        wanted_by="the protocol whisper-en (choose another with --protocol, such as whisper-basic)",
    )


@lru_cache(maxsize=1)
def _english() -> Callable[[str], str]:
    # Not the package whisper-normalizer, which needs no torch: it adds contractions of its own (kinda, dunno, cause)
    # and so gives other figures than the ones that are published.
    require_whisper_en()
    from whisper.normalizers import EnglishTextNormalizer

    normaliser: Callable[[str], str] = EnglishTextNormalizer()
    return normaliser
