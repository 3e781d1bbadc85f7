"""Speech-like sound: syllables of vowels with pauses, the same for a seed, never the same minute twice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

FORMANTS_HZ = np.array(((700, 1200, 2600), (300, 2200, 3000), (450, 900, 2500), (600, 1700, 2500)))
SYLLABLE_S = 0.25
SYLLABLES = 240
"""In a minute."""
GROUP = 5
"""The last syllable of each group is a pause."""
NOISE = 2e-4
"""RMS, -74 dBFS: below what counts as silence, and above what 16 bits round to zero."""
END_S = 0.3
"""Fades to the noise before the end, as speech does."""


class Voice:
    """Hands out sound a minute at a time."""

    def __init__(self, rate: int, seed: int) -> None:
        """``rate``: Hz, a multiple of 4."""
        self._rate = rate
        self._random = np.random.default_rng(seed)
        self._minute = _minute(rate)

    def blocks(self, seconds: float) -> Iterator[NDArray[np.float32]]:
        """Stereo, (n, 2), full scale 1.0, up to a minute each."""
        left = round(seconds * self._rate)
        while left > 0:
            block = self._next_block(left)
            left -= len(block)
            if left == 0:
                count = min(len(block), round(END_S * self._rate))
                block[-count:] *= np.linspace(1, 0, count, dtype=np.float32)[:, None]
            yield block

    def _next_block(self, most: int) -> NDArray[np.float32]:
        """Up to a minute, and no more than ``most`` samples."""
        random = self._random
        length = round(SYLLABLE_S * self._rate)
        # Five syllables move together, so that each pause stays one.
        groups = min(SYLLABLES // GROUP, -(-most // (GROUP * length)))
        order = random.permutation(SYLLABLES // GROUP)[:groups]
        syllables = self._minute.reshape(SYLLABLES // GROUP, GROUP * length)[order].reshape(groups * GROUP, length)
        spoken = (syllables * random.uniform(0.4, 1.0, (groups * GROUP, 1))).astype(np.float32).ravel()
        sides = np.stack((spoken, 0.8 * np.roll(spoken, self._rate // 400)), axis=1)
        noise = random.standard_normal(sides.shape, np.float32) * np.float32(NOISE)
        # Synthesisers write some pauses as exact zeros and others as hiss.
        digital = np.zeros(groups * GROUP, bool)
        digital[GROUP - 1 :: GROUP] = random.random(groups) < 0.5
        noise.reshape(groups * GROUP, length, 2)[digital] = 0
        return np.asarray((sides + noise)[:most], np.float32)


def _minute(rate: int) -> NDArray[np.float64]:
    time = np.arange(60 * rate) / rate
    pitch = 120 + 15 * np.sin(2 * np.pi * 0.7 * time)
    phase = 2 * np.pi * np.cumsum(pitch) / rate
    syllable = (time / SYLLABLE_S).astype(int)
    formants = FORMANTS_HZ[syllable % len(FORMANTS_HZ)].T
    sound = np.zeros_like(time)
    for harmonic in range(1, 25):
        gain = np.exp(-(((harmonic * pitch - formants) / 180) ** 2)).sum(axis=0) + 0.02
        sound += gain * np.sin(harmonic * phase) / harmonic
    within = (time % SYLLABLE_S) / SYLLABLE_S
    sound *= np.clip(np.minimum(within / 0.2, (0.9 - within) / 0.35), 0, 1) * (syllable % GROUP != GROUP - 1)
    return np.asarray(0.5 * sound / np.abs(sound).max())
