"""pesq and pesq_nb: the published best values, order by noise, and the limits of the ITU's code."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.needs import needs_module
from tests.unit.scoring.speech import RATE, noisy, reason, speech, value, wav

pytestmark = needs_module("pesq", "soxr")


@pytest.mark.parametrize(("id", "best"), [("pesq", 4.644), ("pesq_nb", 4.549)])
def test_clean_speech_has_the_greatest_value(id: str, best: float, tmp_path: Path) -> None:
    clean = wav(tmp_path / "r.wav", speech())
    assert value(id, clean, clean) == pytest.approx(best, abs=0.001)
    # Levels are equalised first.
    assert value(id, wav(tmp_path / "soft.wav", 0.25 * speech()), clean) == pytest.approx(best, abs=0.001)


def test_it_falls_with_the_noise(tmp_path: Path) -> None:
    clean = wav(tmp_path / "r.wav", speech())
    found = [value("pesq", wav(tmp_path / f"{n}.wav", noisy(speech(), n)), clean) for n in (50, 40, 30, 20, 10)]
    assert all(louder > softer for louder, softer in pairwise(found)), found
    assert found[0] > 4.0
    assert found[-1] < 1.5


def test_a_delay_costs_little(tmp_path: Path) -> None:
    clean = wav(tmp_path / "r.wav", speech())
    late = wav(tmp_path / "a.wav", np.concatenate((np.zeros(RATE // 10), speech())))
    assert value("pesq", late, clean) > 4.5


def test_which_is_the_reference(tmp_path: Path) -> None:
    """The library asked directly, at its own rate; the other way round it gives another value."""
    from pesq import pesq

    clean, cut = (np.float32(sound) for sound in (speech(), speech()))
    cut[RATE : 2 * RATE] = 0.0
    expected, swapped = pesq(16000, clean, cut, "wb"), pesq(16000, cut, clean, "wb")
    assert abs(expected - swapped) > 0.05
    found = value("pesq", wav(tmp_path / "cut.wav", cut, 16000), wav(tmp_path / "clean.wav", clean, 16000))
    assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("ours", "theirs", "rate", "said"),
    [
        (speech(), speech(), 11025, "a.wav has 11025 Hz; 16000 Hz are needed"),
        (np.tile(speech(), 5), speech(), RATE, "PESQ takes 20 s at most"),
        (speech(), np.tile(speech(), 5), RATE, "PESQ takes 20 s at most"),
        (speech(), speech()[: 3 * RATE], RATE, "the same speech at the same pace"),
        (speech()[:4000], speech()[:4000], RATE, "PESQ needs 0.25 s at least"),
        (np.zeros(RATE), speech()[:RATE], RATE, "a.wav is silent"),
    ],
    ids=["rate", "long", "long-reference", "pace", "short", "silent"],
)
def test_what_has_no_value(ours: np.ndarray, theirs: np.ndarray, rate: int, said: str, tmp_path: Path) -> None:
    assert said in reason("pesq", wav(tmp_path / "a.wav", ours, rate), wav(tmp_path / "r.wav", theirs, rate))


def test_telephone_speech_has_its_own_scale(tmp_path: Path) -> None:
    low = wav(tmp_path / "a.wav", speech()[::2], 11025)
    assert value("pesq_nb", low, low) == pytest.approx(4.549, abs=0.001)


def test_many_bursts_do_not_end_the_process(tmp_path: Path) -> None:
    """Twenty seconds of bursts: the most stretches of speech that the limit lets through."""
    t = np.arange(20 * 16000) / 16000
    bursts = 0.2 * np.random.default_rng(0).standard_normal(len(t)) * ((t % 0.44) < 0.22)
    sound = wav(tmp_path / "a.wav", bursts, 16000)
    assert value("pesq", sound, sound) == pytest.approx(4.644, abs=0.001)
