"""Mono by the mean, silence by 10 ms windows, and what cannot be scored says why."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mediacheck.media import Samples
from mediacheck.scoring.scorer import Unmeasurable
from mediacheck.scoring.sound import Sound, is_silent, load_sound, resampled
from tests.needs import needs_module
from tests.synthesis import speechlike, tone, write_wav

RATE = 16000


def sound(*channels: np.ndarray, rate: int = RATE) -> Sound:
    return Sound(Samples(np.stack(channels, axis=1).astype(np.float32), rate), "a.wav")


def test_mono_is_the_mean() -> None:
    left, right = tone(1600, RATE), tone(1600, RATE, frequency=500.0)
    mixed = sound(left, right).mono()
    assert mixed.dtype == np.float32
    assert mixed == pytest.approx((left + right) / 2, abs=1e-6)


def test_one_channel_is_handed_on_as_it_is() -> None:
    left = tone(1600, RATE).astype(np.float32)
    assert np.array_equal(sound(left).mono(), left)


def test_channels_that_cancel_are_not_silence() -> None:
    left = tone(1600, RATE)
    with pytest.raises(Unmeasurable, match="cancel one another"):
        sound(left, -left).mono()


@pytest.mark.parametrize(("level_dbfs", "silent"), [(-59.9, False), (-60.1, True), (-120.0, True), (-6.0, False)])
def test_silence_begins_below_60_dbfs(level_dbfs: float, silent: bool) -> None:
    steady = np.full((RATE, 1), 10 ** (level_dbfs / 20), np.float32) * np.where(np.arange(RATE) % 2, 1, -1)[:, None]
    assert is_silent(steady.astype(np.float32), RATE) is silent


def test_one_loud_window_is_no_silence() -> None:
    samples = np.zeros((RATE, 1), np.float32)
    samples[8000:8160] = 0.1
    assert not is_silent(samples, RATE)


def test_a_short_last_window_counts() -> None:
    samples = np.zeros((165, 1), np.float32)
    samples[160:] = 0.1
    assert not is_silent(samples, RATE)


def test_one_channel_with_sound_is_no_silence() -> None:
    assert not sound(np.zeros(1600), tone(1600, RATE)).silent


@needs_module("soxr")
def test_resampling_keeps_length_and_level() -> None:
    x = tone(48000, 48000, frequency=440.0).astype(np.float32)
    y = resampled(x, 48000, 16000)
    assert y.dtype == np.float32
    assert len(y) == 16000
    assert np.sqrt(np.mean(y**2)) == pytest.approx(np.sqrt(np.mean(x**2)), rel=0.01)


@pytest.mark.parametrize("kind", ["changed", "gone", "empty", "text", "nan"])
def test_what_cannot_be_scored_says_why(kind: str, tmp_path: Path) -> None:
    path = write_wav(tmp_path / "a.wav", speechlike(4800, RATE), RATE, "f32")
    said = {"changed": "changed after", "gone": "cannot be read", "empty": "no sample", "text": "cannot be decoded",
            "nan": "not finite"}  # fmt: skip
    digest = None
    if kind == "changed":
        digest = "0" * 64
    elif kind == "gone":
        path.unlink()
    elif kind == "empty":
        write_wav(path, np.empty(0), RATE)
    elif kind == "text":
        path.write_text("no media")
    else:
        write_wav(path, np.array([0.1, np.nan]), RATE, "f32")
    with pytest.raises(Unmeasurable, match=said[kind]):
        load_sound(path, "a.wav", digest)
