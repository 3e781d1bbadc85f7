"""How stored sample values become full scale 1.0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FULL_SCALE = 32767 / 32768


@dataclass(frozen=True)
class SampleScale:
    """(value - zero) / divisor is the sample at full scale 1.0."""

    divisor: float = 1.0
    zero: float = 0.0
    low: float = -FULL_SCALE
    high: float = FULL_SCALE
    """From which values on a sample stands at full scale, after scaling."""

    @property
    def floats(self) -> bool:
        """Whether the values are floats already, which may be anything: whole numbers are finite."""
        return self.divisor == 1.0

    # A signalling NaN of a damaged float file becomes a quiet one in float64, which numpy would warn of.
    @np.errstate(invalid="ignore")
    def apply(self, values: NDArray[np.generic], out: NDArray[np.float64]) -> None:
        """Write the scaled values of one channel to ``out``: exact for up to 53 bits."""
        if self.floats:
            # Minus zero and zero are one sample value: both sum to plus zero.
            np.add(values, 0.0, out=out, dtype=np.float64)
        elif self.zero:
            np.subtract(values, self.zero, out=out, dtype=np.float64)
            out *= 1.0 / self.divisor
        else:
            np.multiply(values, 1.0 / self.divisor, out=out, dtype=np.float64)


# What libav and libsndfile hand over, by FFmpeg's name of the sample format.
SCALES = {
    "u8": SampleScale(divisor=128.0, zero=128.0, low=-1.0, high=127 / 128),
    "s16": SampleScale(divisor=32768.0),
    "s32": SampleScale(divisor=2147483648.0),
    "s64": SampleScale(divisor=9223372036854775808.0),
    "flt": SampleScale(),
    "dbl": SampleScale(),
}
# G.711's outermost codes, decoded to 16 bits: the loudest that these codecs can say.
ALAW_SCALE = SampleScale(divisor=32768.0, low=-32256 / 32768, high=32256 / 32768)
MULAW_SCALE = SampleScale(divisor=32768.0, low=-32124 / 32768, high=32124 / 32768)
