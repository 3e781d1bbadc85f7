"""The K-weighting filter against its table, loudness and true peak against the values that the standards state."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

from mediacheck.media.kernel import BlockKernel
from mediacheck.media.loudness import LoudnessMeter, channel_weights, filters, k_weighting, step_edges
from tests.unit.media.blocks import measured_of

RATE = 48000


class Loudness(NamedTuple):
    integrated: float | None
    range: float | None


def measure(x: np.ndarray, rate: int = RATE, names: tuple[str, ...] = ("FL", "FR")) -> Loudness:
    """By the kernel and the meter, a second at a time."""
    meter = LoudnessMeter(names, rate)
    kernel = BlockKernel(len(names), rate, rate // 100, filters(rate))
    for start in range(0, x.shape[1], rate):
        block = x[:, start : start + rate]
        steps = [*(edge for edge in step_edges(rate, 1) if edge < block.shape[1]), block.shape[1]]
        meter.update(measured_of(kernel, block, steps=steps).energy, block.shape[1])
    return Loudness(meter.integrated(), meter.range())


def sine(seconds: float, dbfs: float, frequency: float = 997.0, rate: int = RATE, channels: int = 2) -> np.ndarray:
    t = np.arange(int(seconds * rate)) / rate
    return np.tile(10 ** (dbfs / 20) * np.sin(2 * np.pi * frequency * t), (channels, 1))


def test_the_table_of_bs_1770_at_48_khz() -> None:
    shelf, high_pass = k_weighting(48000)
    assert shelf.b == pytest.approx((1.53512485958697, -2.69169618940638, 1.19839281085285), abs=1e-14)
    assert shelf.a == pytest.approx((1.0, -1.69065929318241, 0.73248077421585), abs=1e-14)
    assert high_pass.a == pytest.approx((1.0, -1.99004745483398, 0.99007225036621), abs=1e-13)


@pytest.mark.parametrize("level", [-23.0, -33.0])
def test_ebu_tech_3341_steady_tones(level: float) -> None:
    # Cases 1 and 2: a stereo sine of 1 kHz at -23 (-33) dBFS for 20 s reads -23.0 (-33.0) LUFS, +-0.1 LU.
    loudness = measure(sine(20, level, 1000.0)).integrated
    assert loudness == pytest.approx(level, abs=0.1)


def test_ebu_tech_3341_relative_gate() -> None:
    # Case 3: -36 dBFS 10 s, -23 dBFS 60 s, -36 dBFS 10 s reads -23.0 LUFS: the relative gate leaves the ends out.
    x = np.concatenate([sine(10, -36, 1000.0), sine(60, -23, 1000.0), sine(10, -36, 1000.0)], axis=1)
    assert measure(x).integrated == pytest.approx(-23.0, abs=0.1)


def test_ebu_tech_3342_range() -> None:
    # Case 1: -20 then -30 dBFS, 20 s each, reads 10 LU, +-1 LU.
    x = np.concatenate([sine(20, -20, 1000.0), sine(20, -30, 1000.0)], axis=1)
    assert measure(x).range == pytest.approx(10.0, abs=1.0)


def test_mono_at_full_scale_is_minus_3_01() -> None:
    # BS.1770-4: a 0 dBFS sine of 997 Hz in one channel reads -3.01 LKFS.
    assert measure(sine(2, 0.0, channels=1), names=("FC",)).integrated == pytest.approx(-3.01, abs=0.02)


@pytest.mark.parametrize("rate", [8000, 16000, 22050, 32000, 44100, 96000])
def test_the_same_tone_reads_the_same_at_any_rate(rate: int) -> None:
    assert measure(sine(3, -20, rate=rate), rate).integrated == pytest.approx(-20.0, abs=0.1)


def test_true_peak_between_the_samples() -> None:
    # EBU Tech 3341 case 15: fs/4 at 45 degrees, amplitude 0.5: the samples reach 0.354, the wave -6.0 dBTP (+0.2/-0.4).
    t = np.arange(RATE)
    x = 0.5 * np.sin(2 * np.pi * t / 4 + math.pi / 4)
    fade = np.minimum(1.0, np.minimum(t, t[::-1]) / 1000)
    kernel = BlockKernel(1, RATE, 10, filters(RATE))
    measured_of(kernel, (x * fade)[None, :])
    kernel.finish_true_peak()
    assert -6.4 <= 20 * math.log10(kernel.true_peak) <= -5.8


def test_short_or_silent_sound_has_no_loudness() -> None:
    assert measure(sine(0.39, -20)).integrated is None
    assert measure(np.zeros((2, RATE))).integrated is None
    assert measure(sine(2.9, -20)).range is None


def test_weights_by_place() -> None:
    assert channel_weights(("FL", "FR", "FC", "LFE", "BL", "BR")) == [1, 1, 1, 0, 1.41, 1.41]
