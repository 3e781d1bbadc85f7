"""Text that can steer neither a terminal nor the CI server that reads the log: names and tags come from strangers."""

from __future__ import annotations

import re
import unicodedata

# Cc: control characters (escape sequences start with one). Cf: invisible, among them those that turn the direction of
# writing. Cs: halves of surrogate pairs. Zl, Zp: line and paragraph separators.
_UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
# Commands to whoever reads the log: of GitHub ::error:: where a line begins and ##[error] anywhere in it, of Azure
# ##vso[…], of TeamCity ##teamcity[…]. They can mask words, set outputs, or switch off the commands that follow.
_COMMAND = re.compile(r"(?P<before>^\s*):(?=:)|#(?=#\w*\[)")


def printable(text: str) -> str:
    """The text, with whatever is invisible or could steer its reader written as ``\\x1b`` or ``\\u202e``."""
    if not text.isprintable():
        text = "".join(
            _escaped(character) if unicodedata.category(character) in _UNSAFE else character for character in text
        )
    return _COMMAND.sub(_spelled, text)


def _spelled(found: re.Match[str]) -> str:
    return f"{found['before'] or ''}\\x{ord(found[0][-1]):02x}"


def _escaped(character: str) -> str:
    code = ord(character)
    # How Python holds a byte of a file name that is not UTF-8.
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")
