"""Counts beside libsndfile, which is exact for PCM, FLAC and Vorbis."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

import mediacheck
from tests.synthesis import speechlike

FORMATS = [
    ("WAV", "PCM_U8"), ("WAV", "PCM_16"), ("WAV", "PCM_24"), ("WAV", "PCM_32"), ("WAV", "FLOAT"), ("WAV", "DOUBLE"),
    ("WAV", "ALAW"), ("WAV", "ULAW"), ("WAVEX", "PCM_16"), ("RF64", "PCM_24"), ("W64", "PCM_16"), ("W64", "FLOAT"),
    ("AIFF", "PCM_S8"), ("AIFF", "PCM_16"), ("AIFF", "PCM_24"), ("AIFF", "FLOAT"), ("AIFF", "ULAW"),
    ("FLAC", "PCM_16"), ("FLAC", "PCM_24"), ("OGG", "VORBIS"), ("OGG", "OPUS"), ("CAF", "PCM_16"), ("AU", "PCM_16"),
]  # fmt: skip


@pytest.mark.parametrize(("container", "subtype"), FORMATS)
@pytest.mark.parametrize(("length", "channels"), [(1, 1), (4001, 1), (48000, 2), (100_003, 2)])
def test_counts_and_peak(tmp_path: Path, container: str, subtype: str, length: int, channels: int) -> None:
    path = tmp_path / "a.snd"
    x = np.tile(speechlike(length, 48000), (channels, 1)).T
    soundfile.write(path, x, 48000, subtype, format=container)
    read, rate = soundfile.read(path, always_2d=True)
    facts = mediacheck.measure(path)
    (sound,) = facts.audio
    assert (sound.samples, sound.channels, sound.sample_rate) == (len(read), channels, rate)
    assert [p.message for p in facts.container.problems] == []
    if subtype not in ("OPUS", "VORBIS") or length > 4001:
        peak = float(np.abs(read).max())
        assert 10 ** ((sound.peak_dbfs if sound.peak_dbfs is not None else -999) / 20) == pytest.approx(peak, rel=0.01)
    if subtype.startswith(("PCM", "FLOAT", "DOUBLE")):
        assert sound.non_finite.nan == 0
        assert sound.digest is not None
