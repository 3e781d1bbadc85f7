"""The samples that scorers get are the ones that were measured: as many, at the same level, whatever the container."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path

import numpy as np
import pytest
import soundfile

import mediacheck
from mediacheck.media import SamplesError, read_samples
from mediacheck.media.samples import scaled
from tests.needs import needs_program
from tests.synthesis import speechlike, write_wav

MEDIA = Path(__file__).parents[2] / "cases" / "media"
# What read_samples refuses, and measuring still counts: half of its packets do not decode.
DAMAGED = {"mp3_concat_first_xing.mp3"}


@pytest.mark.parametrize("path", sorted(MEDIA.iterdir()), ids=lambda path: path.name)
def test_as_many_samples_as_were_measured(path: Path) -> None:
    streams = mediacheck.measure(path).audio
    if not streams or path.name in DAMAGED:
        with pytest.raises(SamplesError):
            read_samples(path)
        return
    samples = read_samples(path)
    assert samples.data.dtype == np.float32
    assert samples.data.shape == (streams[0].samples, streams[0].channels)
    assert samples.sample_rate == streams[0].sample_rate
    assert samples.duration == streams[0].duration
    peak = streams[0].peak_dbfs
    if peak is not None and not streams[0].non_finite.spans_totals.count:
        assert 20 * np.log10(np.abs(samples.data).max()) == pytest.approx(peak, abs=0.01)


@pytest.mark.parametrize(
    ("suffix", "subtype"),
    [(".wav", "PCM_16"), (".wav", "PCM_24"), (".wav", "PCM_32"), (".wav", "DOUBLE"), (".flac", "PCM_16"),
     (".flac", "PCM_24"), (".aiff", "PCM_16"), (".caf", "PCM_24"), (".w64", "FLOAT")],
)  # fmt: skip
def test_the_same_samples_in_every_lossless_container(suffix: str, subtype: str, tmp_path: Path) -> None:
    """16-bit samples are stored exactly in all of them."""
    samples = np.stack([speechlike(4801, 24000, seed=seed) for seed in (1, 2)], axis=1)
    exact = np.round(samples * 32767) / 32768
    path = tmp_path / f"a{suffix}"
    soundfile.write(path, exact, 24000, subtype=subtype)
    assert np.array_equal(read_samples(path).data, exact.astype(np.float32))


@needs_program("ffmpeg")
@pytest.mark.parametrize("channels", [9, 16])
def test_more_planes_than_eight(channels: int, tmp_path: Path) -> None:
    """Behind the eighth, PyAV goes on to count what stands in memory after them."""
    x = np.stack([speechlike(24000, 48000, seed=1) * (k + 1) / channels for k in range(channels)], axis=1)
    soundfile.write(tmp_path / "a.wav", x, 48000, subtype="FLOAT")
    command = ["ffmpeg", "-v", "error", "-i", tmp_path / "a.wav", "-c:a", "libopus", "-mapping_family", "255"]
    subprocess.run([*command, "-b:a", "2M", tmp_path / "a.opus"], check=True)
    (stream,) = mediacheck.measure(tmp_path / "a.opus").audio
    assert (stream.channels, stream.samples) == (channels, 24000)
    loudest = stream.channel_levels[-1].rms_dbfs
    assert loudest is not None
    for k, level in enumerate(stream.channel_levels):
        assert level.rms_dbfs == pytest.approx(loudest + 20 * math.log10((k + 1) / channels), abs=0.5)
    samples = read_samples(tmp_path / "a.opus").data
    assert samples.shape == (24000, channels)
    first = 20 * np.log10(np.sqrt(np.mean(samples[:, 0] ** 2)))
    assert first == pytest.approx(stream.channel_levels[0].rms_dbfs, abs=0.1)


def test_floats_are_handed_on_as_they_are(tmp_path: Path) -> None:
    x = speechlike(4800, 24000)
    samples = read_samples(write_wav(tmp_path / "a.wav", x, 24000, "f32"))
    assert np.array_equal(samples.data[:, 0], x.astype(np.float32))


@pytest.mark.parametrize(
    ("kind", "stored", "value"),
    [("u8", 0, -1.0), ("u8", 128, 0.0), ("s16", -32768, -1.0), ("s32", -(2**31), -1.0), ("flt", 0.5, 0.5)],
)
def test_full_scale_is_one(kind: str, stored: float, value: float) -> None:
    dtype = {"u8": np.uint8, "s16": np.int16, "s32": np.int32, "flt": np.float32}[kind]
    assert scaled(np.array([stored], dtype), kind)[0] == np.float32(value)
