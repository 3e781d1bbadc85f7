"""A run holds the samples of one candidate at a time, however many files it has."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest

from mediacheck.scoring import ScoringOptions, prepare
from mediacheck.scoring import sound as sound_module
from mediacheck.scoring.candidate import measure_and_judge, score_candidate
from mediacheck.validators import load_validator
from tests.synthesis import speechlike, write_wav


def test_samples_do_not_outlive_their_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    held: list[weakref.ref[sound_module.Sound]] = []
    load = sound_module.load_sound

    def counted(*arguments: object) -> sound_module.Sound:
        found = load(*arguments)  # type: ignore[arg-type]
        held.append(weakref.ref(found))
        return found

    monkeypatch.setattr(sound_module, "load_sound", counted)
    validator = load_validator("v2")
    scorers = prepare(["duration_ratio"], ScoringOptions())
    files = [write_wav(tmp_path / f"{n}.wav", speechlike(4800, 24000, n), 24000) for n in range(6)]
    candidates = [measure_and_judge(path, validator) for path in files]
    for candidate in candidates:
        assert score_candidate(scorers, candidate, references=candidates[:1]).complete
        gc.collect()
        assert sum(reference() is not None for reference in held) == 0
    assert len(held) == 12
