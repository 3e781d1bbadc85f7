"""loudness is the number of the facts, and another library agrees."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mediacheck import media
from mediacheck.scoring import Measured, NotMeasured, Recording
from tests.needs import needs_module
from tests.unit.scoring.speech import RATE, reason, score, speech, value, wav


def test_it_is_the_number_of_the_facts(tmp_path: Path) -> None:
    recording = wav(tmp_path / "a.wav", speech())
    found = score("loudness", recording)
    facts = media.measure(recording.path, name="a.wav").audio[0].loudness
    assert isinstance(found, Measured)
    assert found.value == facts.integrated_lufs
    assert {detail.name: detail.value for detail in found.details} == {
        "range": facts.range_lu,
        "true_peak": facts.true_peak_dbtp,
    }


@needs_module("pyloudnorm")
@pytest.mark.parametrize("gain", [1.0, 0.1])
def test_another_library_agrees(gain: float, tmp_path: Path) -> None:
    import pyloudnorm

    stereo = np.stack((speech(), 0.5 * speech()), axis=1) * gain
    expected = pyloudnorm.Meter(RATE).integrated_loudness(stereo)
    assert value("loudness", wav(tmp_path / "a.wav", stereo)) == pytest.approx(expected, abs=0.1)


def test_a_sine_at_full_scale(tmp_path: Path) -> None:
    """BS.1770-4: 997 Hz at 0 dBFS in one channel reads -3.01 LKFS."""
    sine = np.sin(2 * np.pi * 997.0 * np.arange(5 * 48000) / 48000)
    assert value("loudness", wav(tmp_path / "a.wav", sine, 48000)) == pytest.approx(-3.01, abs=0.03)


def test_what_has_no_value(tmp_path: Path) -> None:
    short = wav(tmp_path / "short.wav", speech()[2 * RATE : 2 * RATE + RATE // 3])
    assert "shorter than 400 ms" in reason("loudness", short)
    short.path.unlink()
    assert "cannot be read any more" in reason("loudness", short)


def test_a_changed_file(tmp_path: Path) -> None:
    path = wav(tmp_path / "a.wav", speech()).path
    found = score("loudness", Recording(path, "a.wav", sha256="0" * 64))
    assert isinstance(found, NotMeasured)
    assert found.reason == "a.wav changed after it was validated"
