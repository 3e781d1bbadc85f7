"""Which reference, and what must hold of a pair: the same for every scorer that compares sample by sample."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mediacheck.scoring import Item, Recording, Unmeasurable
from mediacheck.scoring.pairs import aligned, require_rate, require_sound, the_reference
from tests.needs import needs_module
from tests.unit.scoring.speech import RATE, speech, wav


def named(name: str) -> Recording:
    return Recording(Path(name), name)


@pytest.mark.parametrize(
    ("candidate", "references", "chosen"),
    [
        ("a.wav", ["other.flac"], "other.flac"),
        ("a.wav", ["b.wav", "a.flac"], "a.flac"),
        ("out/a.wav", ["clean/a.flac", "clean/b.flac"], "clean/a.flac"),
        ("a.b.wav", ["a.b.flac", "a.wav"], "a.b.flac"),
    ],
)
def test_one_of_several_references_has_the_name(candidate: str, references: list[str], chosen: str) -> None:
    item = Item(named(candidate), references=tuple(named(name) for name in references))
    assert the_reference(item).name == chosen


@pytest.mark.parametrize(("references", "count"), [(["b.wav", "c.wav"], 0), (["x/a.wav", "y/a.wav"], 2)])
def test_no_reference_is_guessed(references: list[str], count: int) -> None:
    item = Item(named("a.wav"), references=tuple(named(name) for name in references))
    with pytest.raises(Unmeasurable, match=f"of the 2 that were given, {count} are named a"):
        the_reference(item)


def test_what_a_codec_leaves_at_the_end_is_cut(tmp_path: Path) -> None:
    longer = np.concatenate((speech(), np.zeros(RATE // 50)))
    ours, theirs = aligned(wav(tmp_path / "a.wav", longer), wav(tmp_path / "r.wav", speech()))
    assert len(ours) == len(theirs) == len(speech())
    assert np.array_equal(ours, theirs)


@pytest.mark.parametrize(("swap", "word"), [(False, "longer"), (True, "shorter")])
def test_more_than_that_is_another_sound(swap: bool, word: str, tmp_path: Path) -> None:
    pair = [
        wav(tmp_path / "a.wav", np.concatenate((speech(), np.zeros(RATE // 50 + 1)))),
        wav(tmp_path / "r.wav", speech()),
    ]
    with pytest.raises(Unmeasurable, match=f"the candidate is 0.020 s {word} than the reference"):
        aligned(*(reversed(pair) if swap else pair))


@needs_module("soxr")
def test_both_at_one_rate(tmp_path: Path) -> None:
    ours, theirs = aligned(wav(tmp_path / "a.wav", speech()[::2], RATE // 2), wav(tmp_path / "r.wav", speech()), 8000)
    assert len(ours) == len(theirs)
    assert len(ours) == pytest.approx(len(speech()) / RATE * 8000, abs=2)


def test_a_low_rate_is_named(tmp_path: Path) -> None:
    low = wav(tmp_path / "low.wav", speech(), 8000)
    with pytest.raises(Unmeasurable, match=r"low\.wav has 8000 Hz; 16000 Hz are needed"):
        require_rate(wav(tmp_path / "a.wav", speech()), low, lowest=16000)
    require_rate(low, lowest=8000)


def test_a_silent_reference_is_named(tmp_path: Path) -> None:
    with pytest.raises(Unmeasurable, match=r"r\.wav is silent"):
        require_sound(wav(tmp_path / "a.wav", speech()), wav(tmp_path / "r.wav", np.zeros(RATE)))
