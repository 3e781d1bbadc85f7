"""si_sdr against noise of known power, against least squares, and at its edges."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.unit.scoring.speech import RATE, noise, reason, speech, value, wav


@pytest.mark.parametrize("snr_db", [-10.0, 0.0, 3.7, 20.0, 60.0])
@pytest.mark.parametrize("gain", [0.2, 1.0, -0.5])
def test_noise_of_known_power(snr_db: float, gain: float, tmp_path: Path) -> None:
    clean = speech() - speech().mean()
    added = noise(clean)
    # Orthogonal to the speech and without a mean: then the ratio of powers is the value.
    added -= added.mean()
    added -= (added @ clean) / (clean @ clean) * clean
    added *= np.sqrt((clean @ clean) / (added @ added)) * 10 ** (-snr_db / 20)
    ours = 0.25 * gain * (clean + added) + 0.01
    found = value("si_sdr", wav(tmp_path / "a.wav", ours), wav(tmp_path / "r.wav", speech()))
    assert found == pytest.approx(snr_db, abs=0.01)


def test_it_is_what_least_squares_leaves(tmp_path: Path) -> None:
    clean, ours = speech(), 0.3 * speech() + 0.05 * noise(speech(), 9) + 0.02
    model = np.stack((clean, np.ones_like(clean)), axis=1)
    fitted, *_ = np.linalg.lstsq(model, ours, rcond=None)
    rest = ours - model @ fitted
    scaled = fitted[0] * (clean - clean.mean())
    expected = 10 * np.log10((scaled @ scaled) / (rest @ rest))
    found = value("si_sdr", wav(tmp_path / "a.wav", ours), wav(tmp_path / "r.wav", clean))
    assert found == pytest.approx(expected, abs=0.001)


def test_a_shift_by_one_sample_counts(tmp_path: Path) -> None:
    shifted = np.roll(speech(), 1)
    found = value("si_sdr", wav(tmp_path / "a.wav", shifted), wav(tmp_path / "r.wav", speech()))
    assert found < 30.0


@pytest.mark.parametrize("gain", [1.0, 0.37, -1.0])
def test_the_reference_itself_has_no_finite_ratio(gain: float, tmp_path: Path) -> None:
    said = reason("si_sdr", wav(tmp_path / "a.wav", gain * speech()), wav(tmp_path / "r.wav", speech()))
    assert said == "the candidate is the reference up to a gain and an offset: the ratio is infinite"


def test_nothing_of_the_reference(tmp_path: Path) -> None:
    t = np.arange(RATE) / RATE
    ours, theirs = 0.5 * np.sin(2 * np.pi * 100 * t), 0.5 * np.sin(2 * np.pi * 200 * t)
    # Whole periods of two frequencies are orthogonal, up to the rounding of float32.
    said = reason("si_sdr", wav(tmp_path / "a.wav", ours), wav(tmp_path / "r.wav", theirs))
    assert said == "the candidate holds nothing of the reference: the ratio is zero, and has no decibels"


def test_a_constant_reference(tmp_path: Path) -> None:
    said = reason("si_sdr", wav(tmp_path / "a.wav", speech()), wav(tmp_path / "r.wav", np.full(len(speech()), 0.25)))
    assert said == "the reference is constant"


def test_rates_that_differ(tmp_path: Path) -> None:
    said = reason("si_sdr", wav(tmp_path / "a.wav", speech()), wav(tmp_path / "r.wav", speech(), 44100))
    assert "the candidate has 22050 Hz and the reference 44100 Hz" in said
