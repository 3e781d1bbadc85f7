"""How findings speak of times, levels and counts."""

from __future__ import annotations

import math
from fractions import Fraction

from mediacheck.serialise import fraction_text

__all__ = [
    "counted",
    "exact",
    "fraction_text",
    "level",
    "limit",
    "milliseconds",
    "noun",
    "number",
    "signed",
    "timecode",
]


def limit(value: Fraction) -> str:
    """Seconds for people, at most six decimals: ``1.0``, ``0.02``, ``15.083333``."""
    # In whole numbers: a float could not hold every length that a user may ask for.
    whole, millionths = divmod(round(abs(value) * 1_000_000), 1_000_000)
    decimals = f"{millionths:06d}".rstrip("0") or "0"
    return f"{'-' if value < 0 else ''}{whole}.{decimals}"


def exact(value: Fraction) -> str:
    """Seconds exactly, with a decimal copy: ``603/40 s (15.075 s)``; whole seconds alone: ``2 s``."""
    if value.denominator == 1:
        return f"{value.numerator} s"
    return f"{fraction_text(value)} s ({limit(value)} s)"


def milliseconds(value: Fraction) -> str:
    """A difference, not below zero: ``1/120 s (8.33 ms)``."""
    hundredths = round(value * 100_000)
    return f"{fraction_text(value)} s ({hundredths // 100}.{hundredths % 100:02d} ms)"


def timecode(seconds: Fraction) -> str:
    """``0:01:15.075``, rounded to the nearest millisecond."""
    total = math.floor(abs(seconds) * 1000 + Fraction(1, 2))
    minutes, rest = divmod(total, 60_000)
    hours, minutes = divmod(minutes, 60)
    sign = "-" if seconds < 0 and total else ""
    return f"{sign}{hours}:{minutes:02d}:{rest // 1000:02d}.{rest % 1000:03d}"


def level(value: float | None, unit: str = "dBFS") -> str:
    """``-20.0 dBFS``; None is digital silence."""
    return f"-inf {unit}" if value is None else f"{value:.1f} {unit}"


def counted(count: int, one: str, many: str | None = None) -> str:
    """``1 sample``, ``2 samples``."""
    return f"{count} {noun(count, one, many)}"


def noun(count: int, one: str, many: str | None = None) -> str:
    """``sample`` for 1 and for a difference of -1, else ``samples``."""
    return one if abs(count) == 1 else many or one + "s"


def signed(count: int) -> str:
    """``+800``, ``-533``."""
    return f"{count:+d}"


def number(value: float | None) -> float | None:
    """``value`` where it can be compared with a limit; None for what was not measured, and for NaN and infinity."""
    return value if value is not None and math.isfinite(value) else None
