"""The media that benchmarks read: made once by a seed, kept in a folder that is not committed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.process import BenchmarkError

EDITION = "v1"
"""A folder name: a change of what is made here needs the next one."""
RATE = 48_000
LENGTHS_S = {"10s": 10, "10min": 600, "60min": 3600}
FORMATS = {
    "pcm16": ("wav", "-c:a pcm_s16le"),
    "float32": ("wav", "-c:a pcm_f32le"),
    "flac": ("flac", "-c:a flac"),
    "mp3": ("mp3", "-c:a libmp3lame -b:a 192k"),
    "m4a": ("m4a", "-c:a aac -b:a 192k"),
    "opus": ("opus", "-c:a libopus -b:a 96k"),
}


@dataclass(frozen=True)
class Video:
    size: str
    seconds: int


VIDEOS = {"1080p": Video("1920x1080", 15), "768x1344": Video("768x1344", 5), "720p": Video("1280x720", 60)}
PICTURES = {"easy": (), "noisy": ("noise=all_seed=1:alls=20:allf=t",)}
NOISY_BITS = 0.3
"""A pixel: 15 Mbit/s at 1080p. Noise coded at constant quality would give a rate that no one stores."""
CLIP_RATES = (24_000, 48_000)
"""Clips come in both: mono at the lower, as speech models write, and stereo at the higher."""


class Cache:
    """The folder, and what is in it; what is missing is made on demand."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve() / EDITION
        self._root.mkdir(parents=True, exist_ok=True)

    def audio(self, length: str, form: str) -> Path:
        """A stereo file of 48 kHz. All formats of one length hold the same sound and are made together."""
        path = self._audio_path(length, form)
        if not path.exists():
            self._make_audio(length)
        return path

    def video(self, name: str, picture: str) -> Path:
        """H.264 at 24 frames a second with AAC."""
        path = self._root / f"{name}-{picture}.mp4"
        if not path.exists():
            sound = self.audio("10min", "pcm16")
            video = VIDEOS[name]
            filters = ",".join((f"testsrc2=size={video.size}:rate=24", *PICTURES[picture], "format=yuv420p"))
            width, height = map(int, video.size.split("x"))
            rate = f"-b:v {round(width * height * 24 * NOISY_BITS)}" if picture == "noisy" else "-crf 23"
            codecs = f"-t {video.seconds} -c:v libx264 -preset veryfast {rate} -threads 2 -c:a aac -b:a 128k"
            _encode(["-f", "lavfi", "-i", filters, "-i", str(sound)], [(path, codecs)])
        return path

    def clips(self, count: int) -> Path:
        """A folder of clips of 3 to 10 seconds, WAV and MP3 in turn."""
        folder = self._root / f"clips-{count}"
        if not folder.exists():
            making = _fresh(folder)
            _make_clips(making, count)
            making.rename(folder)
        return folder

    def long_files(self, count: int) -> Path:
        """A folder of ``count`` files of ten minutes, in the formats that people keep speech in."""
        folder = self._root / f"long-{count}"
        if not folder.exists():
            making = _fresh(folder)
            for index in range(count):
                source = self.audio("10min", ("pcm16", "flac", "mp3", "opus")[index % 4])
                os.link(source, making / f"{index}{source.suffix}")
            making.rename(folder)
        return folder

    def items(self, count: int, clips: int) -> Path:
        """A manifest of ``count`` items with a file each: links to so many clips, again and again."""
        folder = self._root / f"items-{count}-of-{clips}"
        if not folder.exists():
            sources = sorted(self.clips(clips).iterdir())
            making = _fresh(folder)
            with (making / "manifest.jsonl").open("w", encoding="utf-8") as lines:
                for index in range(count):
                    source = sources[index % clips]
                    name = f"{index:06}{source.suffix}"
                    os.link(source, making / name)
                    lines.write(json.dumps({"id": f"item {index}", "media": name}) + "\n")
            making.rename(folder)
        return folder / "manifest.jsonl"

    def _audio_path(self, length: str, form: str) -> Path:
        return self._root / f"{length}-{form}.{FORMATS[form][0]}"

    def _make_audio(self, length: str) -> None:
        from benchmarks.sound import Voice

        outputs = [(self._audio_path(length, form), options) for form, (_, options) in FORMATS.items()]
        blocks = Voice(RATE, seed=LENGTHS_S[length]).blocks(LENGTHS_S[length])
        raw = ["-f", "f32le", "-ar", str(RATE), "-ac", "2", "-i", "pipe:0"]
        _encode(raw, outputs, (block.tobytes() for block in blocks))


def _encode(
    inputs: Sequence[str], outputs: Sequence[tuple[Path, str]], data: Iterable[bytes] = ()
) -> None:
    """One ffmpeg run from ``inputs`` (and ``data`` on its standard input) to files, each with its codec's options.

    Raises:
        BenchmarkError: ffmpeg is missing or fails.
    """
    argv = ["ffmpeg", "-nostdin", "-v", "error", "-y", *inputs]
    made = []
    for path, options in outputs:
        made.append(path.with_name(f"making-{path.name}"))
        argv += [*options.split(), "-map_metadata", "-1", "-bitexact", str(made[-1])]
    try:
        process = subprocess.Popen(argv, stdin=subprocess.PIPE)
    except FileNotFoundError as error:
        raise BenchmarkError("ffmpeg is not installed; the inputs are made with it") from error
    assert process.stdin is not None
    with process.stdin as pipe:
        for piece in data:
            pipe.write(piece)
    if process.wait():
        raise BenchmarkError(f"ffmpeg could not make {outputs[0][0].name}; what it said stands above")
    for (path, _), whole in zip(outputs, made, strict=True):
        whole.rename(path)


def _fresh(folder: Path) -> Path:
    """An empty folder beside ``folder``, so that what is left of a broken run is never taken for the whole."""
    making = folder.with_name(folder.name + ".making")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir()
    return making


def _make_clips(folder: Path, count: int) -> None:
    import numpy as np
    import soundfile

    from benchmarks.sound import Voice

    random = np.random.default_rng(7)
    voices = [Voice(rate, seed=rate) for rate in CLIP_RATES]
    for index in range(count):
        rate, voice = CLIP_RATES[index // 2 % 2], voices[index // 2 % 2]
        sound = next(voice.blocks(float(random.uniform(3, 10))))
        mono = rate == CLIP_RATES[0]
        suffix = "mp3" if index % 2 else "wav"
        soundfile.write(folder / f"{index:04}.{suffix}", sound[:, 0] if mono else sound, rate)
