"""Counts, durations and levels beside the ffmpeg command line, on the same files."""

from __future__ import annotations

import json
import re
import subprocess
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import mediacheck
from mediacheck.facts import AudioStream
from tests.needs import needs_program
from tests.synthesis import speechlike, write_wav

pytestmark = needs_program("ffmpeg", "ffprobe")

RATE = 44100
LENGTH = 2 * RATE + 123

# name: (suffix, codec options, whether ffmpeg's count is exact)
SOUNDS = {
    "u8": (".wav", ["-c:a", "pcm_u8"]),
    "s16": (".wav", ["-c:a", "pcm_s16le"]),
    "s24": (".wav", ["-c:a", "pcm_s24le"]),
    "s32": (".wav", ["-c:a", "pcm_s32le"]),
    "f32": (".wav", ["-c:a", "pcm_f32le"]),
    "f64": (".wav", ["-c:a", "pcm_f64le"]),
    "a-law": (".wav", ["-c:a", "pcm_alaw"]),
    "mu-law": (".wav", ["-c:a", "pcm_mulaw"]),
    "rf64": (".wav", ["-rf64", "always"]),
    "w64": (".w64", []),
    "aiff": (".aiff", []),
    "aiff 24": (".aiff", ["-c:a", "pcm_s24be"]),
    "caf": (".caf", []),
    "flac": (".flac", []),
    "flac 24": (".flac", ["-sample_fmt", "s32"]),
    "alac": (".m4a", ["-c:a", "alac"]),
    "mp3": (".mp3", ["-c:a", "libmp3lame"]),
    "mp3 vbr": (".mp3", ["-c:a", "libmp3lame", "-q:a", "3"]),
    "opus": (".opus", ["-c:a", "libopus", "-ar", "48000"]),
    "opus in webm": (".webm", ["-c:a", "libopus", "-ar", "48000"]),
    "flac in mkv": (".mka", ["-c:a", "flac"]),
    "adts": (".aac", ["-c:a", "aac"]),
    "mpeg-ts": (".ts", ["-c:a", "aac"]),
    "m4a": (".m4a", ["-c:a", "aac"]),
}


def run(*command: str | Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([str(part) for part in command], capture_output=True, check=True, stdin=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("peers")
    x = speechlike(LENGTH, RATE)
    source = write_wav(folder / "source.wav", np.stack([x, 0.7 * np.roll(x, 50)], 1), RATE)
    made: dict[str, Path] = {}

    def get(name: str) -> Path:
        if name not in made:
            suffix, options = SOUNDS[name]
            made[name] = folder / f"{name.replace(' ', '-')}{suffix}"
            run("ffmpeg", "-v", "error", "-y", "-i", source, *options, made[name])
        return made[name]

    return get


def sound_of(path: Path) -> AudioStream:
    (found,) = mediacheck.measure(path).audio
    return found


def decoded_by_ffmpeg(path: Path, channels: int = 2) -> int:
    raw = run("ffmpeg", "-v", "error", "-i", path, "-map", "0:a:0", "-f", "f32le", "-").stdout
    return len(raw) // (4 * channels)


@pytest.mark.parametrize("name", SOUNDS)
def test_sample_counts(files, name: str) -> None:
    sound = sound_of(files(name))
    assert sound.channels == 2
    # Of AAC in MP4 ffmpeg leaves the padding of the last frame on; the edit list declares it.
    dropped = sound.padding if name == "m4a" else 0
    assert sound.samples + dropped == decoded_by_ffmpeg(files(name))
    # ffmpeg counts the alignment of a W64 chunk into its size: a sample more, for ffprobe too.
    if name not in ("adts", "mpeg-ts", "opus", "opus in webm", "m4a", "w64"):
        assert sound.samples == LENGTH
    if name == "m4a":
        assert sound.samples_bounds is not None
        assert sound.samples_bounds.low <= LENGTH <= sound.samples_bounds.high


@pytest.mark.parametrize("name", ["s16", "w64", "aiff", "caf", "flac", "mp3", "alac", "m4a"])
def test_declared_durations(files, name: str) -> None:
    probed = json.loads(run("ffprobe", "-v", "error", "-of", "json", "-show_streams", files(name)).stdout)
    declared = float(probed["streams"][0]["duration"])
    # ffprobe of 5.1 counts an MP3's delay and padding as well: one frame of 1152 samples and 1105 of delay.
    slack = 2300 / RATE if name == "mp3" else 0.002
    assert float(sound_of(files(name)).duration) == pytest.approx(declared, abs=slack)


def astats(path: Path) -> tuple[list[dict[str, float]], dict[str, float]]:
    text = run("ffmpeg", "-nostdin", "-i", path, "-af", "aformat=sample_fmts=dblp,astats", "-f", "null", "-").stderr
    sections: list[dict[str, float]] = []
    for line in text.decode().splitlines():
        line = re.sub(r"^\[Parsed_astats.*?\] ", "", line)
        if re.match(r"Channel: \d+|Overall", line):
            sections.append({})
        elif sections and (found := re.match(r"([A-Za-z ]+): (\S+)$", line)):
            try:
                sections[-1][found[1]] = float(found[2])
            except ValueError:
                continue
    return sections[:-1], sections[-1]


@pytest.mark.parametrize("name", ["u8", "s16", "s24", "f32", "mu-law", "flac", "mp3", "opus", "adts"])
def test_levels_beside_astats(files, name: str) -> None:
    sound = sound_of(files(name))
    channels, overall = astats(files(name))
    for mine, theirs in zip(sound.channel_levels, channels, strict=True):
        assert mine.peak_dbfs == pytest.approx(theirs["Peak level dB"], abs=0.1)
        assert mine.rms_dbfs == pytest.approx(theirs["RMS level dB"], abs=0.1)
        assert mine.dc_offset == pytest.approx(theirs["DC offset"], abs=1e-4)
    assert sound.peak_dbfs == pytest.approx(overall["Peak level dB"], abs=0.1)
    assert sound.rms_dbfs == pytest.approx(overall["RMS level dB"], abs=0.1)


@pytest.mark.parametrize(("rate", "channels"), [(16000, 1), (24000, 2), (44100, 6), (48000, 2)])
def test_loudness_beside_ebur128(tmp_path: Path, rate: int, channels: int) -> None:
    # Long enough that the range does not hang on one rank: ffmpeg takes the 95th percentile a rank below Tech 3342's.
    seconds = 40
    x = speechlike(seconds * rate, rate)
    x *= 0.3 + 0.7 * np.abs(np.sin(np.pi * np.arange(len(x)) / (13 * rate)))
    sound = np.stack([np.roll(x, 37 * c) * (1 - 0.1 * c) for c in range(channels)], 1)
    path = write_wav(tmp_path / "a.wav", sound, rate)
    text = run("ffmpeg", "-nostdin", "-i", path, "-af", "ebur128=peak=true", "-f", "null", "-").stderr.decode()
    summary = text[text.rindex("Summary:") :]
    stated = {key: float(value) for key, value in re.findall(r"(I|LRA|Peak):\s+(\S+) (?:LUFS|LU|dBFS)", summary)}
    loudness = sound_of(path).loudness
    assert loudness.integrated_lufs == pytest.approx(stated["I"], abs=0.1)
    assert loudness.range_lu == pytest.approx(stated["LRA"], abs=0.1)
    assert loudness.true_peak_dbtp == pytest.approx(stated["Peak"], abs=0.1)


FILMS = {
    "h264 mp4": (".mp4", ["-c:v", "libx264", "-pix_fmt", "yuv420p"]),
    "h265 mp4": (".mp4", ["-c:v", "libx265", "-x265-params", "log-level=none", "-pix_fmt", "yuv420p"]),
    "h264 mov": (".mov", ["-c:v", "libx264", "-pix_fmt", "yuv420p"]),
    "h264 10 bit": (".mp4", ["-c:v", "libx264", "-pix_fmt", "yuv420p10le"]),
    "h264 fragmented": (".mp4", ["-c:v", "libx264", "-c:a", "aac", "-movflags", "frag_keyframe+empty_moov"]),
    "vp8 webm": (".webm", ["-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libopus"]),
    "vp9 webm": (".webm", ["-c:v", "libvpx-vp9", "-cpu-used", "8", "-c:a", "libopus"]),
    "h264 mkv": (".mkv", ["-c:v", "libx264", "-c:a", "flac"]),
    "mpeg-ts": (".ts", ["-c:v", "libx264", "-c:a", "aac"]),
    "mpeg4 avi": (".avi", ["-c:v", "mpeg4", "-c:a", "mp3"]),
    "pcm avi": (".avi", ["-c:v", "mpeg4", "-c:a", "pcm_s16le"]),
    "rgb": (".mkv", ["-c:v", "libx264rgb", "-c:a", "flac"]),
}


@pytest.mark.parametrize("rate", ["24", "30000/1001", "60"])
@pytest.mark.parametrize("name", FILMS)
def test_films_in_every_container_are_counted_and_pass(tmp_path: Path, name: str, rate: str) -> None:
    suffix, options = FILMS[name]
    path = tmp_path / f"a{suffix}"
    picture = ["-f", "lavfi", "-i", f"testsrc2=s=192x108:r={rate}:d=2"]
    sound = write_wav(tmp_path / "sound.wav", np.tile(speechlike(96000, 48000), (2, 1)).T, 48000)
    run("ffmpeg", "-v", "error", "-y", *picture, "-i", sound, "-preset", "ultrafast", *options, path)
    report = mediacheck.validate(path)
    assert {f.check: f.message for f in report.findings if f.outcome == "fail"} == {}
    assert report.verdict == "pass"
    (film,) = report.facts.video
    counted = run(
        *("ffprobe", "-v", "error", "-count_frames", "-select_streams", "v:0", "-of", "csv=p=0"),
        *("-show_entries", "stream=nb_read_frames", path),
    )
    assert film.frames == int(counted.stdout.decode().strip().strip(",").split("\n")[0])
    assert (film.measured_rate, film.constant_rate) == (Fraction(rate), True)
    assert film.duration == film.frames / Fraction(rate)
    (track,) = report.facts.audio
    assert track.samples + (
        track.padding if "mp4" in name or "mov" in name or "10" in name else 0
    ) == decoded_by_ffmpeg(path)
