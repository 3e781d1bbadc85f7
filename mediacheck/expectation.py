"""What the user asked for of one file: ``--expect KEY=VALUE``, by name and exactly."""

from __future__ import annotations

from fractions import Fraction

from mediacheck.errors import UsageError
from mediacheck.facts import Struct
from mediacheck.serialise import parse_fraction


class Expectation(Struct, frozen=True, kw_only=True):
    """What the file was asked to be; None: nothing was asked. Times in seconds, exact."""

    duration: Fraction | None = None
    samples: int | None = None
    frames: int | None = None
    latents: int | None = None
    tokens: int | None = None
    fps: Fraction | None = None
    width: int | None = None
    height: int | None = None
    sample_rate: int | None = None
    channels: int | None = None
    audio: bool | None = None
    video: bool | None = None
    max_duration: Fraction | None = None
    tolerance: Fraction | None = None
    """How far, in seconds, durations and counts may lie from what was asked, where the user wants that."""

    @property
    def empty(self) -> bool:
        return all(getattr(self, name) is None for name in self.__struct_fields__)


_FRACTIONS = {"duration", "fps", "max_duration", "tolerance"}
_FLAGS = {"audio", "video"}
_POSITIVE = {"fps", "width", "height", "sample_rate", "channels"}
_WORDS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def parse_expectation(items: tuple[str, ...] | list[str]) -> Expectation:
    """Read ``KEY=VALUE`` pairs.

    Raises:
        UsageError: an unknown key, a key given twice, or a value that is not of its kind or below zero.
    """
    values: dict[str, Fraction | int | bool] = {}
    for item in items:
        key, separator, text = item.partition("=")
        key, text = key.strip(), text.strip()
        if not separator or key not in Expectation.__struct_fields__:
            known = ", ".join(Expectation.__struct_fields__)
            raise UsageError(f"--expect {item!r}: write KEY=VALUE with one of the keys {known}")
        if key in values:
            raise UsageError(f"--expect {key} is given twice")
        values[key] = _value(key, text)
    return Expectation(**values)  # type: ignore[arg-type]


def _value(key: str, text: str) -> Fraction | int | bool:
    if key in _FLAGS:
        if text.lower() not in _WORDS:
            raise UsageError(f"--expect {key}={text}: write yes or no")
        return _WORDS[text.lower()]
    try:
        number = parse_fraction(text)
    except UsageError as error:
        raise UsageError(f"--expect {key}: {error}") from error
    if number < 0:
        raise UsageError(f"--expect {key}={text}: it cannot be below zero")
    if number == 0 and key in _POSITIVE:
        raise UsageError(f"--expect {key}={text}: it must be above zero")
    if key in _FRACTIONS:
        return number
    if number.denominator != 1:
        raise UsageError(f"--expect {key}={text}: it must be a whole number")
    return int(number)
