"""The same samples give the same facts: whatever carries them, however they are cut, at whatever gain."""

from __future__ import annotations

import io
import math
import threading
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import msgspec
import numpy as np
import pytest
import soundfile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mediacheck
from mediacheck import spans
from mediacheck.facts import AudioStream, MediaFacts
from mediacheck.media import ffmpeg, measure_array
from mediacheck.media.audio_meter import AudioMeter
from mediacheck.media.pcm import sound_facts
from mediacheck.media.scales import SCALES
from tests.synthesis import encode, faded, pictures, speechlike, write_wav

SLOW = settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])

# What a container or a codec may say differently of the same sound.
CARRIER = (
    "codec",
    "profile",
    "time_base",
    "declared_duration",
    "packets",
    "sample_format",
    "timeline",
    "start",
    "index",
)

SOUNDS = st.builds(
    lambda seed, rate, seconds, channels, hole, level: _sound(seed, rate, seconds, channels, hole, level),
    st.integers(0, 1000),
    st.sampled_from([8000, 16000, 22050, 44100]),
    st.floats(0.05, 2.5),
    st.integers(1, 2),
    st.floats(0, 1),
    st.sampled_from([0.05, 0.5, 1.2]),
)


def _sound(seed: int, rate: int, seconds: float, channels: int, hole: float, level: float) -> tuple[Any, int]:
    """Int16 samples, some clipped, some with a run of zeros; (n, channels)."""
    count = int(seconds * rate)
    x = np.stack([speechlike(count, rate, seed + c) * level * 4 for c in range(channels)], 1)
    start = int(hole * count)
    x[start : start + int(0.03 * rate)] = 0.0
    return np.round(np.clip(x, -1, 32767 / 32768) * 32768).astype(np.int16), rate


def stream(facts: MediaFacts) -> AudioStream:
    (found,) = facts.audio
    return found


def bare(found: AudioStream) -> AudioStream:
    return msgspec.structs.replace(found, **dict.fromkeys(CARRIER, None) | {"index": 0})


@SLOW
@given(SOUNDS)
def test_wav_flac_and_float_wav_give_the_same_facts(sound: tuple[Any, int]) -> None:
    samples, rate = sound
    found = []
    for kind, subtype in (
        ("WAV", "PCM_16"),
        ("FLAC", "PCM_16"),
        ("WAV", "FLOAT"),
        ("WAV", "DOUBLE"),
        ("AIFF", "PCM_24"),
    ):
        data = io.BytesIO()
        soundfile.write(data, samples if subtype == "PCM_16" else samples / 32768, rate, subtype, format=kind)
        found.append(bare(stream(mediacheck.measure(data.getvalue()))))
    assert found[0].samples == len(samples)
    assert found[0].digest is not None
    for other in found[1:]:
        assert other == found[0]


@SLOW
@given(SOUNDS, st.lists(st.integers(1, 5000), min_size=1, max_size=5))
def test_the_size_of_the_pieces_changes_nothing(sound: tuple[Any, int], sizes: list[int]) -> None:
    samples, rate = sound
    found = []
    for steps in (sizes, [len(samples) or 1]):
        meter = AudioMeter(("FL", "FR")[: samples.shape[1]], rate, SCALES["s16"])
        at, k = 0, 0
        while at < len(samples):
            step = steps[k % len(steps)]
            piece = np.ascontiguousarray(samples[at : at + step])
            meter.input.add_interleaved(piece.ctypes.data, len(piece))
            at, k = at + step, k + 1
        found.append(sound_facts(meter, rate, codec=None, sample_format=None))
    assert found[0] == found[1]


@pytest.mark.parametrize("threads", [2, 5])
def test_the_number_of_threads_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    path = encode(tmp_path / "a.mp4", video=pictures(60), audio=faded(120000, 48000), video_options={"bf": "2"})
    one = mediacheck.measure(path)
    monkeypatch.setattr(ffmpeg, "DECODER_THREADS", threads)
    assert mediacheck.measure(path) == one


def test_a_worker_of_one_thread_finds_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = encode(tmp_path / "a.mp4", video=pictures(60), audio=faded(240000, 48000))
    threaded = mediacheck.measure(path)
    monkeypatch.setattr("mediacheck.media.beside._threads", False)
    before = set(threading.enumerate())
    assert mediacheck.measure(path) == threaded
    assert set(threading.enumerate()) <= before


def shifted(level: float | None, gain: float) -> float | None:
    return None if level is None else level + gain


@SLOW
@given(SOUNDS, st.floats(-24, 12))
def test_a_gain_moves_every_level_by_itself_and_nothing_else(sound: tuple[Any, int], gain: float) -> None:
    samples, rate = sound
    x = samples.astype(np.float64) / 32768 / 8
    factor = 10 ** (gain / 20)
    low = stream(measure_array(x, rate, name="low"))
    high = stream(measure_array(x * factor, rate, name="high"))
    pairs = [
        (low.peak_dbfs, high.peak_dbfs),
        (low.rms_dbfs, high.rms_dbfs),
        (low.loudest_window_dbfs, high.loudest_window_dbfs),
        (low.tail.loudest_second_dbfs, high.tail.loudest_second_dbfs),
        (low.tail.last_dbfs, high.tail.last_dbfs),
        (low.loudness.true_peak_dbtp, high.loudness.true_peak_dbtp),
    ]
    pairs += [(a.peak_dbfs, b.peak_dbfs) for a, b in zip(low.channel_levels, high.channel_levels, strict=True)]
    pairs += [(a.rms_dbfs, b.rms_dbfs) for a, b in zip(low.channel_levels, high.channel_levels, strict=True)]
    for before, after in pairs:
        if before is not None and after is not None:
            assert after == pytest.approx(before + gain, abs=0.01)
        else:
            # Loudness is not measured where all lies below -60 dBFS; the gain may lift it above.
            assert (before is None and after is None) or min(
                low.loudest_window_dbfs or -99, high.loudest_window_dbfs or -99
            ) < -60
    assert (high.samples, high.duration, high.timeline) == (low.samples, low.duration, low.timeline)
    assert [(r.start, r.end, r.channel) for r in high.zero_runs] == [(r.start, r.end, r.channel) for r in low.zero_runs]
    # Silence below t is silence below t + gain, but for windows that lie at the limit to within float32.
    envelopes = [[s.unpack() for s in found.envelope or ()] for found in (low, high)]
    limit = -50.0
    edge = any(abs(20 * math.log10(value) - limit) < 1e-4 for channel in envelopes[0] for value in channel if value > 0)
    if not edge:
        assert spans.silent_spans(envelopes[0], limit, low.duration) == spans.silent_spans(
            envelopes[1], limit + gain, low.duration
        )


@SLOW
@given(st.floats(-18, 6), st.integers(0, 50))
def test_a_gain_moves_the_loudness_of_sound_above_the_gate(gain: float, seed: int) -> None:
    # Speech well above the absolute gate of -70 LUFS, so that the same blocks count before and after.
    x = speechlike(16000 * 4, 16000, seed) * 0.5 + 0.01 * np.sin(np.arange(64000))
    low = stream(measure_array(x, 16000, name="low")).loudness
    high = stream(measure_array(x * 10 ** (gain / 20), 16000, name="high")).loudness
    assert low.integrated_lufs is not None
    assert high.integrated_lufs == pytest.approx(low.integrated_lufs + gain, abs=0.01)
    assert high.range_lu == pytest.approx(low.range_lu, abs=0.01)


def remux(source: Path, target: Path) -> Path:
    with av.open(str(source)) as given_file, av.open(str(target), "w") as out:
        streams = {s.index: out.add_stream_from_template(s) for s in given_file.streams}
        for packet in given_file.demux():
            if packet.size:
                packet.stream = streams[packet.stream_index]
                out.mux(packet)
    return target


@pytest.mark.parametrize(("first", "second"), [(".mkv", ".mp4"), (".mp4", ".mkv"), (".mp4", ".mov"), (".mp4", ".nut")])
def test_a_remux_changes_no_digest(tmp_path: Path, first: str, second: str) -> None:
    codec = "flac" if second != ".mov" else "alac"
    kind = "s16" if codec == "flac" else "s16p"
    source = encode(
        tmp_path / f"a{first}",
        video=pictures(30),
        audio=faded(50000, 48000),
        audio_codec=codec,
        sample_format=kind,
        # Matroska stores no decoding times, and PyAV derives none: pictures that are reordered cannot be remuxed.
        video_options={"bf": "0" if first == ".mkv" else "2"},
    )
    before = mediacheck.measure(source)
    after = mediacheck.measure(remux(source, tmp_path / f"b{second}"))
    assert [s.digest for s in (*before.audio, *before.video)] == [s.digest for s in (*after.audio, *after.video)]
    assert before.audio[0].samples == after.audio[0].samples == 50000


def test_digests_tell_different_content_apart(tmp_path: Path) -> None:
    x = speechlike(8000, 8000)
    y = x.copy()
    y[4000] += 1 / 32768
    digests = {
        stream(mediacheck.measure(write_wav(tmp_path / "a.wav", x, 8000))).digest,
        stream(mediacheck.measure(write_wav(tmp_path / "b.wav", y, 8000))).digest,
        stream(mediacheck.measure(write_wav(tmp_path / "c.wav", x, 16000))).digest,
        stream(mediacheck.measure(write_wav(tmp_path / "d.wav", np.stack([x, x], 1), 8000))).digest,
        stream(mediacheck.measure(write_wav(tmp_path / "e.wav", x[:-1], 8000))).digest,
    }
    assert len(digests) == 5


RATES = [8000, 11025, 16000, 22050, 24000, 32000, 44100, 48000]


def pattern(rate: int, pieces: list[tuple[float, bool]]) -> np.ndarray:
    """Tone where True, silence where False, by seconds: the same sound at any rate, edges off the 10 ms grid."""
    total = sum(seconds for seconds, _ in pieces)
    t = np.arange(round(total * rate)) / rate
    x = np.zeros_like(t)
    start = 0.0
    for seconds, sounds in pieces:
        inside = (t >= start) & (t < start + seconds)
        if sounds:
            at = (t - start)[inside]
            # Faded in and out over 30 ms, so that no edge depends on where a sample falls.
            x[inside] = 0.4 * np.sin(2 * np.pi * 300 * at) * np.clip(np.minimum(at, seconds - at) / 0.03, 0, 1)
        start += seconds
    return x


@SLOW
@given(
    st.lists(
        st.tuples(st.sampled_from([0.4, 0.6, 0.93, 1.07, 1.43, 1.57, 2.9, 3.13]), st.booleans()), min_size=2, max_size=6
    ),
    st.tuples(st.sampled_from(RATES), st.sampled_from(RATES)),
)
def test_findings_about_time_do_not_depend_on_the_sample_rate(pieces: list[Any], rates: tuple[int, int]) -> None:
    outcomes = []
    for rate in rates:
        report = mediacheck.validate(pattern(rate, pieces), sample_rate=rate)
        outcomes.append(
            {f.check: f.outcome for f in report.findings if f.check.endswith(("silence", "silent", "truncated_end"))}
        )
    assert outcomes[0] == outcomes[1]


@SLOW
@given(
    st.lists(st.tuples(st.floats(0.1, 4.0), st.booleans()), min_size=1, max_size=5),
    st.floats(0.01, 5.0),
)
def test_appended_silence_turns_no_failing_silence_check_into_a_pass(pieces: list[Any], more: float) -> None:
    x = pattern(8000, pieces)
    longer = np.concatenate([x, np.zeros(int(more * 8000) + 1)])
    before, after = (mediacheck.validate(y, sample_rate=8000) for y in (x, longer))
    checks = (
        "audio.silent",
        "audio.leading_silence",
        "audio.trailing_silence",
        "audio.internal_silence",
        "audio.dropout",
    )
    failed = {f.check for f in before.findings if f.outcome == "fail" and f.check in checks}
    passed = {f.check for f in after.findings if f.outcome == "pass"}
    assert not failed & passed
    if failed:
        assert after.verdict == "fail"


def test_two_measurements_are_equal_to_the_byte(tmp_path: Path) -> None:
    path = encode(tmp_path / "a.mp4", video=pictures(24), audio=faded(48000, 48000))
    from mediacheck.serialise import to_json

    first, second = (to_json(mediacheck.validate(path)) for _ in range(2))
    assert first == second
    assert str(tmp_path).encode() not in first
    assert Fraction(1) == mediacheck.measure(path).video[0].duration
