"""Speech for the tests of scorers: the shipped reference set, which is there on every machine."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mediacheck.media import read_samples
from mediacheck.scoring import Item, Measured, NotMeasured, Recording, Score, ScoringOptions, prepare, score_item
from tests.synthesis import write_wav

SPEECH = Path(__file__).parents[3] / "references" / "espeak-en" / "audio"
RATE = 22050
Signal = NDArray[np.float64]


@cache
def speech(name: str = "train-man") -> Signal:
    """Five seconds, 22.05 kHz."""
    sound = read_samples(SPEECH / f"{name}.flac")
    assert sound.sample_rate == RATE
    return sound.data[:, 0].astype(np.float64)


def noise(like: Signal, seed: int = 5) -> Signal:
    """White, of the mean power of ``like``."""
    found = np.random.default_rng(seed).standard_normal(len(like))
    return found * np.sqrt(np.mean(like**2) / np.mean(found**2))


def noisy(clean: Signal, snr_db: float) -> Signal:
    """Half the level, so that nothing clips."""
    return 0.5 * (clean + noise(clean) * 10 ** (-snr_db / 20))


def wav(path: Path, samples: Signal, rate: int = RATE) -> Recording:
    return Recording(write_wav(path, samples, rate, "f32"), path.name)


def score(id: str, candidate: Recording, *references: Recording, options: ScoringOptions | None = None) -> Score:
    (found,) = score_item(prepare([id], options or ScoringOptions()), Item(candidate, references=references))
    return found


def value(id: str, candidate: Recording, *references: Recording) -> float:
    found = score(id, candidate, *references)
    assert isinstance(found, Measured), found
    return found.value


def reason(id: str, candidate: Recording, *references: Recording) -> str:
    found = score(id, candidate, *references)
    assert isinstance(found, NotMeasured), found
    return found.reason
