"""mcd against a computation of its own in the test, and by what must and must not change it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.needs import needs_module
from tests.unit.scoring.speech import RATE, noisy, reason, speech, value, wav

pytestmark = needs_module("librosa", "scipy", "soxr")


def by_hand(a: np.ndarray, b: np.ndarray) -> float:
    """By scipy's cosine transform and a plain loop for the alignment; the mel filters are librosa's."""
    import librosa
    from scipy.fft import dct
    from scipy.signal import get_window

    window = np.pad(get_window("hann", 400), 56)
    filters = librosa.filters.mel(sr=16000, n_fft=512, n_mels=40, fmax=8000.0)

    def cepstra(x: np.ndarray) -> np.ndarray:
        frames = np.array([window * x[k : k + 512] for k in range(0, len(x) - 511, 160)])
        power = np.abs(np.fft.rfft(frames, axis=1)) ** 2 @ filters.T
        level = 10 * np.log10(np.maximum(power, power.max() * 1e-6))
        return dct(level, norm="ortho", axis=1)[:, 1:14] / np.sqrt(40)

    one, two = cepstra(a), cepstra(b)
    cost = np.linalg.norm(one[:, None] - two[None], axis=2)
    total = np.full((len(one) + 1, len(two) + 1), np.inf)
    total[0, 0] = 0.0
    for i in range(len(one)):
        for j in range(len(two)):
            total[i + 1, j + 1] = cost[i, j] + min(total[i, j], total[i, j + 1], total[i + 1, j])
    i, j, steps = len(one), len(two), 0
    while i and j:
        steps += 1
        i, j = min(((i - 1, j - 1), (i, j - 1), (i - 1, j)), key=lambda step: total[step])
    return float(total[-1, -1]) / steps


def test_the_definition_by_hand(tmp_path: Path) -> None:
    """As if it were 16 kHz: nothing is resampled then."""
    a, b = speech("train-man")[4000:14000], speech("train-woman")[4000:15000]
    found = value("mcd", wav(tmp_path / "a.wav", a, 16000), wav(tmp_path / "r.wav", b, 16000))
    expected = by_hand(np.float32(a).astype(float), np.float32(b).astype(float))
    assert expected > 3.0
    assert found == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("gain", [1.0, 0.1, -1.0])
def test_level_and_sign_are_no_distortion(gain: float, tmp_path: Path) -> None:
    found = value("mcd", wav(tmp_path / "a.wav", gain * speech()), wav(tmp_path / "r.wav", speech()))
    assert found == pytest.approx(0.0, abs=1e-3)


def test_it_grows_with_the_noise(tmp_path: Path) -> None:
    clean = wav(tmp_path / "r.wav", speech())
    found = [value("mcd", wav(tmp_path / f"{n}.wav", noisy(speech(), n)), clean) for n in (50, 40, 30, 20, 10, 0)]
    assert all(louder < softer for louder, softer in pairwise(found)), found


def test_another_pace_costs_less_than_another_voice(tmp_path: Path) -> None:
    clean = wav(tmp_path / "r.wav", speech())
    rows = speech()[: len(speech()) // 441 * 441].reshape(-1, 441)
    # Every fourth 20 ms twice: slower by a quarter.
    stretched = np.repeat(rows, np.where(np.arange(len(rows)) % 4, 1, 2), axis=0).ravel()
    paced = value("mcd", wav(tmp_path / "slow.wav", stretched), clean)
    other = value("mcd", wav(tmp_path / "other.wav", speech("train-woman")), clean)
    assert paced < other


@pytest.mark.parametrize(
    ("ours", "rate", "said"),
    [
        (speech(), 11025, "a.wav has 11025 Hz; 16000 Hz are needed"),
        (np.tile(speech(), 8), RATE, "sounds are aligned up to 30 s"),
        (speech()[2 * RATE : 2 * RATE + 400], RATE, "a.wav is shorter than the 32 ms of one window"),
        (np.zeros(RATE), RATE, "a.wav is silent"),
    ],
    ids=["rate", "long", "short", "silent"],
)
def test_what_has_no_value(ours: np.ndarray, rate: int, said: str, tmp_path: Path) -> None:
    assert said in reason("mcd", wav(tmp_path / "a.wav", ours, rate), wav(tmp_path / "r.wav", speech()))
