"""Protocols that need no library: ``none`` and ``whisper-basic``."""

from __future__ import annotations

import re
import unicodedata

_BRACKETED = re.compile(r"[<\[][^>\]]*[>\]]")
_PARENTHESISED = re.compile(r"\([^)]+?\)")


def none(text: str) -> str:
    """The text as it is; runs of white space count as one space.

    >>> none("Don't  pay £5 [laughs].")
    "Don't pay £5 [laughs]."
    """
    return " ".join(text.split())


def whisper_basic(text: str) -> str:
    """What Whisper's evaluation does for languages other than English.

    Lower case; what stands in brackets or parentheses goes; marks, symbols and punctuation (Unicode categories M, S, P)
    of the NFKC form become spaces. Letters of scripts that write vowels as marks (Thai, Devanagari) lose these vowels:
    so it is published, and so figures compare.

    Source: A. Radford et al., Robust Speech Recognition via Large-Scale Weak Supervision (2022), appendix C.

    >>> whisper_basic("Don't  pay £5 [laughs].")
    'don t pay 5'
    >>> whisper_basic("¿Qué hora es?")
    'qué hora es'
    """
    kept = _PARENTHESISED.sub("", _BRACKETED.sub("", text.lower()))
    spaced = (
        " " if unicodedata.category(character)[0] in "MSP" else character
        for character in unicodedata.normalize("NFKC", kept)
    )
    return " ".join("".join(spaced).lower().split())
