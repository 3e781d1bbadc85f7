"""How much of a sound is loud enough to be speech: by energy, so that it is the same for every speaker model."""

from __future__ import annotations

import numpy as np

from mediacheck.scoring.rules import SILENCE_DBFS
from mediacheck.scoring.sound import Mono
from mediacheck.scoring.speaker_rules import BELOW_LOUDEST_DB

WINDOW_S = 0.01


def seconds_of_speech(samples: Mono, rate: int) -> float:
    """Seconds in windows of 10 ms that reach -60 dBFS RMS and lie within 40 dB of the loudest.

    It tells speech from pauses, not from noise or music.

    Args:
        samples: shape (n,).
        rate: Hz.
    """
    width = round(rate * WINDOW_S)
    whole = len(samples) // width
    if not whole:
        return 0.0
    windows = samples[: whole * width].reshape(whole, width)
    power = np.mean(np.square(windows, dtype=np.float64), axis=1)
    limit = max(10.0 ** (SILENCE_DBFS / 10), float(power.max()) * 10.0 ** (-BELOW_LOUDEST_DB / 10))
    return float(np.count_nonzero(power >= limit)) * width / rate
