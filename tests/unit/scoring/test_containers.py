"""The same samples in another lossless container have the same scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from mediacheck.scoring import Recording
from tests.needs import needs_module
from tests.unit.scoring.speech import RATE, noisy, speech, value


@pytest.mark.parametrize(
    "id",
    [
        "loudness",
        "si_sdr",
        pytest.param("stoi", marks=needs_module("pystoi", "soxr")),
        pytest.param("pesq", marks=needs_module("pesq", "soxr")),
        pytest.param("mcd", marks=needs_module("librosa", "soxr")),
        pytest.param("dnsmos", marks=needs_module("librosa", "onnxruntime", "soxr", "speechmos")),
    ],
)
def test_the_container_is_no_part_of_the_score(id: str, tmp_path: Path) -> None:
    ours = np.round(noisy(speech(), 20) * 32768) / 32768
    soundfile.write(tmp_path / "r.wav", speech(), RATE, subtype="PCM_16")
    reference = Recording(tmp_path / "r.wav", "r.wav")
    found = set()
    for suffix, subtype in (("wav", "PCM_16"), ("flac", "PCM_16"), ("aiff", "PCM_24"), ("caf", "PCM_16")):
        path = tmp_path / f"a.{suffix}"
        soundfile.write(path, ours, RATE, subtype=subtype)
        found.add(value(id, Recording(path, path.name), reference))
    assert len(found) == 1
