"""Text that cannot steer a terminal: names and tags come from strangers."""

from __future__ import annotations

import unicodedata

# Cc: control characters (escape sequences start with one). Cf: invisible, among them those that turn the direction of
# writing. Cs: halves of surrogate pairs. Zl, Zp: line and paragraph separators.
_UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def printable(text: str) -> str:
    """The text, with whatever is invisible or could steer a terminal written as ``\\x1b`` or ``\\u202e``."""
    if text.isprintable():
        return text
    return "".join(
        _escaped(character) if unicodedata.category(character) in _UNSAFE else character for character in text
    )


def _escaped(character: str) -> str:
    code = ord(character)
    # How Python holds a byte of a file name that is not UTF-8.
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")
