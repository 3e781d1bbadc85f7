"""stoi: clean speech is 1, noise lowers it step by step, and too little speech has no value."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.needs import needs_module
from tests.unit.scoring.speech import RATE, noisy, reason, speech, value, wav

pytestmark = needs_module("pystoi", "soxr")


def test_it_falls_with_the_noise(tmp_path: Path) -> None:
    clean = wav(tmp_path / "r.wav", speech())
    levels = [30.0, 20.0, 10.0, 5.0, 0.0, -5.0, -10.0]
    found = [value("stoi", wav(tmp_path / f"{n}.wav", noisy(speech(), n)), clean) for n in levels]
    assert all(louder - softer > 0.005 for louder, softer in pairwise(found)), found
    assert found[0] > 0.95
    assert found[-1] < 0.65


@pytest.mark.parametrize("gain", [1.0, 0.1])
def test_clean_speech_is_1_at_any_level(gain: float, tmp_path: Path) -> None:
    found = value("stoi", wav(tmp_path / "a.wav", gain * speech()), wav(tmp_path / "r.wav", speech()))
    assert found == pytest.approx(1.0, abs=1e-6)


def test_the_definition_by_hand(tmp_path: Path) -> None:
    """One stretch of 30 frames, computed as the paper has it, at 10 kHz where nothing is resampled."""
    rng = np.random.default_rng(3)
    # 0.4 s of steady noise: no frame is 40 dB below another, so none is left out.
    count = 256 + 128 * 31
    clean = 0.1 * rng.standard_normal(count)
    ours = clean + 0.1 * rng.standard_normal(count)
    found = value("stoi", wav(tmp_path / "a.wav", ours, 10000), wav(tmp_path / "r.wav", clean, 10000))
    assert found == pytest.approx(by_hand(np.float32(clean), np.float32(ours)), abs=1e-6)


def by_hand(clean: np.ndarray, ours: np.ndarray) -> float:
    window = np.hanning(258)[1:-1]

    def frames(x: np.ndarray) -> np.ndarray:
        return np.array([window * x[k : k + 256] for k in range(0, len(x) - 256, 128)], np.float64)

    def rebuilt(x: np.ndarray) -> np.ndarray:
        pieces = frames(x)
        out = np.zeros((len(pieces) - 1) * 128 + 256)
        for k, piece in enumerate(pieces):
            out[k * 128 : k * 128 + 256] += piece
        return out

    frequencies = np.arange(257) * 10000 / 512
    bands = []
    for k in range(15):
        low, high = 150 * 2 ** ((2 * k - 1) / 6), 150 * 2 ** ((2 * k + 1) / 6)
        edges = np.argmin((frequencies - low) ** 2), np.argmin((frequencies - high) ** 2)
        bands.append(slice(*edges))

    def envelopes(x: np.ndarray) -> np.ndarray:
        power = np.abs(np.fft.rfft(frames(rebuilt(x)), 512)) ** 2
        return np.sqrt(np.array([power[:, band].sum(axis=1) for band in bands]))

    x, y = envelopes(clean), envelopes(ours)
    total = 0.0
    starts = range(x.shape[1] - 29)
    for start in starts:
        for band in range(15):
            a, b = x[band, start : start + 30], y[band, start : start + 30]
            b = np.minimum(b * np.linalg.norm(a) / np.linalg.norm(b), a * (1 + 10 ** (15 / 20)))
            total += np.corrcoef(a, b)[0, 1]
    return total / (len(starts) * 15)


@pytest.mark.parametrize("seconds", [0.02, 0.3])
def test_too_little_speech(seconds: float, tmp_path: Path) -> None:
    short = speech()[2 * RATE : 2 * RATE + round(RATE * seconds)]
    said = reason("stoi", wav(tmp_path / "a.wav", short), wav(tmp_path / "r.wav", short))
    assert said == "the reference holds less than the 0.4 s of speech that STOI looks at"


def test_telephone_speech_lacks_the_upper_bands(tmp_path: Path) -> None:
    low = wav(tmp_path / "a.wav", speech()[::2], 8000)
    assert reason("stoi", low, low) == "a.wav has 8000 Hz; 10000 Hz are needed"
