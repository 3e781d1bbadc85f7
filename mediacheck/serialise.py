"""JSON as mediacheck writes it: exact rationals as "num/den", keys in the order of the types, no bare NaN.

The same value always gives the same bytes: nothing here reads a clock, a host name or the environment.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

import msgspec

from mediacheck.errors import UsageError

T = TypeVar("T")


def fraction_text(value: Fraction) -> str:
    """A fraction as ``"num/den"``, the denominator always written: ``"2/1"``."""
    return f"{value.numerator}/{value.denominator}"


# Digits are bounded and powers of ten are not read: "1e999999999" would fill the memory with zeros.
_NUMBER = re.compile(r"[+-]?([0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40})(/[0-9]{1,40})?")


def parse_fraction(text: str) -> Fraction:
    """A fraction from ``"603/40"``, ``"15.075"`` or ``"15"``, exactly as written.

    Raises:
        UsageError: if the text is anything else.
    """
    number = text.strip()
    if not _NUMBER.fullmatch(number):
        raise UsageError(f"{text[:60]!r} is not a number; write it as 15, 15.075 or 603/40")
    numerator, _, denominator = number.partition("/")
    if denominator and int(denominator) == 0:
        raise UsageError(f"{text[:60]!r} divides by zero")
    return Fraction(numerator) / int(denominator or 1)


def _encode(value: Any) -> Any:
    if isinstance(value, Fraction):
        return fraction_text(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def _decode(kind: type, value: Any) -> Any:
    if kind is Fraction:
        if not isinstance(value, str):
            raise ValueError(f'expected a fraction such as "603/40", got {value!r}')
        return parse_fraction(value)
    raise TypeError(f"{kind.__name__} cannot be read from JSON")


def is_text(value: str) -> bool:
    """Whether JSON in UTF-8 can hold it: halves of surrogate pairs, bytes of a name that are not UTF-8, it cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def to_json(value: Any) -> bytes:
    """JSON for people and machines: indented by two, one newline at the end."""
    return msgspec.json.format(msgspec.json.encode(value, enc_hook=_encode), indent=2) + b"\n"


NESTED_LINE = b"\n    "
"""What a line begins with two levels deep. Texts within JSON hold no line breaks, so that nothing else is changed."""


def nested(document: bytes) -> bytes:
    """What ``to_json`` made, as it stands two levels deep: in a list that an object holds."""
    return document[:-1].replace(b"\n", NESTED_LINE)


def unnested(text: bytes) -> bytes:
    """The document that ``nested`` took."""
    return text.replace(NESTED_LINE, b"\n") + b"\n"


def to_compact_json(value: Any) -> bytes:
    """JSON on one line, for pipes and for digests."""
    return msgspec.json.encode(value, enc_hook=_encode)


def from_json(data: bytes, kind: type[T]) -> T:
    """Read ``data`` as ``kind``, strictly.

    Raises:
        msgspec.DecodeError: if the bytes are not JSON or do not fit the type.
    """
    found: T = _decoder(cast("Hashable", kind)).decode(data)
    return found


@lru_cache(maxsize=64)
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    """Kept: of a line of results, making it takes a quarter of the time."""
    return msgspec.json.Decoder(kind, dec_hook=_decode)


def convert(value: Any, kind: type[T]) -> T:
    """Check builtin containers (a parsed TOML table, say) against ``kind``, strictly.

    Raises:
        msgspec.ValidationError: naming the path of what does not fit.
    """
    return msgspec.convert(value, type=kind, dec_hook=_decode)


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file whole or not at all.

    Raises:
        OSError: if the folder cannot be written.
    """
    with written_atomically(path) as stream:
        stream.write(data)


@contextmanager
def written_atomically(path: Path) -> Iterator[BinaryIO]:
    """A file to write, there whole when the block ends and not at all where it raises: temporary file beside it, fsync,
    rename.

    Raises:
        OSError: if the folder cannot be written.
    """
    import os
    import tempfile

    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".mediacheck-")
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        # mkstemp makes the file private; a report is as readable as any other file.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
