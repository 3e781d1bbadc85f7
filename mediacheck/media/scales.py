"""How stored sample values become full scale 1.0."""

from __future__ import annotations

from dataclasses import dataclass

from mediacheck.media.kernel import Stored, read_samples

FULL_SCALE = 32767 / 32768


@dataclass(frozen=True)
class SampleScale:
    """(value - zero) / divisor is the sample at full scale 1.0."""

    stored: Stored
    big_endian: bool = False
    divisor: float = 1.0
    """A power of two: then nothing is rounded."""
    zero: float = 0.0
    low: float = -FULL_SCALE
    high: float = FULL_SCALE
    """From which values on a sample stands at full scale, after scaling."""

    @property
    def width(self) -> int:
        """Bytes of a stored value."""
        return self.stored.width

    def read(self, start: int, step: int, count: int, to: int) -> None:
        """Scale values of one channel: exact for up to 53 bits; minus zero becomes zero, since both are one sample.

        Args:
            start: where the first value lies in memory.
            step: bytes from one to the next.
            count: of the values.
            to: where the first float64 goes.
        """
        read_samples(start, self.stored, self.big_endian, step, count, self.zero, 1.0 / self.divisor, to)


# What libav and libsndfile hand over, by FFmpeg's name of the sample format.
SCALES = {
    "u8": SampleScale(Stored.U8, divisor=128.0, zero=128.0, low=-1.0, high=127 / 128),
    "s16": SampleScale(Stored.S16, divisor=32768.0),
    "s32": SampleScale(Stored.S32, divisor=2147483648.0),
    "s64": SampleScale(Stored.S64, divisor=9223372036854775808.0),
    "flt": SampleScale(Stored.FLT),
    "dbl": SampleScale(Stored.DBL),
}
# G.711's outermost codes, decoded to 16 bits: the loudest that these codecs can say.
ALAW_SCALE = SampleScale(Stored.S16, divisor=32768.0, low=-32256 / 32768, high=32256 / 32768)
MULAW_SCALE = SampleScale(Stored.S16, divisor=32768.0, low=-32124 / 32768, high=32124 / 32768)
