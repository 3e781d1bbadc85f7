"""Make the demo files: ``python examples/make_demo.py FOLDER``.

- speech.wav: three seconds of a voice-like sound, 24 kHz mono, 16 bit: good.
- speech.pcm: its samples without a header.
- broken.wav: the same, with 40 ms of samples lost inside it and cut off before its header says it ends.
- clip.mp4: 362 frames at 24 fps with 482400 samples of sound at 32 kHz, as MiniMax H3 writes: the sound lasts
  603/40 s (15.075 s), 1/120 s less than the picture, and is right.
"""

from __future__ import annotations

import struct
import sys
import wave
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

RATE = 24_000
FORMANTS_HZ = ((700, 1200, 2600), (300, 2200, 3000), (450, 900, 2500), (600, 1700, 2500))


def voice(seconds: float, rate: int) -> np.ndarray:
    """A voice-like sound, shape (n,), float, peak 0.5: syllables of vowels with pauses, ending in silence."""
    time = np.arange(round(seconds * rate)) / rate
    pitch = 120 + 15 * np.sin(2 * np.pi * 0.7 * time)
    phase = 2 * np.pi * np.cumsum(pitch) / rate
    syllable = np.floor(time / 0.25).astype(int)
    formants = np.array(FORMANTS_HZ)[syllable % len(FORMANTS_HZ)].T
    sound = np.zeros_like(time)
    for harmonic in range(1, 25):
        gain = np.exp(-(((harmonic * pitch - formants) / 180) ** 2)).sum(axis=0) + 0.02
        sound += gain * np.sin(harmonic * phase) / harmonic
    within = (time % 0.25) / 0.25
    envelope = np.clip(np.minimum(within / 0.2, (1 - within) / 0.35), 0, 1) * np.where(syllable % 5 == 4, 0.0, 1.0)
    fade = np.clip((seconds - 0.1 - time) / 0.1, 0, 1)
    sound *= envelope * fade
    noise = np.random.default_rng(1).normal(0, 2e-4, time.size)
    return 0.5 * sound / np.abs(sound).max() + noise


def write_wav(path: Path, samples: np.ndarray, rate: int) -> None:
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(np.round(samples * 32767).astype("<i2").tobytes())


def write_broken_wav(path: Path, samples: np.ndarray, rate: int) -> None:
    """Lost samples where it is loud, and 30 % of the file missing at the end."""
    lost = samples.copy()
    start = int(np.argmax(np.abs(lost[: lost.size // 2])))
    later = slice(start + rate * 30 // 1000, start + rate * 50 // 1000)
    lost[start : later.start + int(np.argmax(np.abs(lost[later])))] = 0
    write_wav(path, lost, rate)
    data = path.read_bytes()
    assert struct.unpack("<I", data[40:44])[0] == len(data) - 44
    path.write_bytes(data[: len(data) * 7 // 10])


def write_clip(path: Path, frames: int, samples: int) -> None:
    """An MP4 with H.264 and AAC; the picture moves, so that no frame repeats the one before."""
    left = voice(samples / 32_000, 32_000)[:samples]
    sound = np.stack([left, np.roll(left, 40)]).astype(np.float32)
    with av.open(str(path), "w") as out:
        video = out.add_stream(
            "libx264", rate=24, width=160, height=96, pix_fmt="yuv420p", options={"preset": "veryfast"}
        )
        audio = out.add_stream("aac", rate=32_000, layout="stereo", bit_rate=96_000)
        x = np.arange(160)[None, :, None]
        y = np.arange(96)[:, None, None]
        for index in range(frames):
            picture = np.broadcast_to((x * 2 + y + index * np.array([3, 5, 7])) % 200 + 40, (96, 160, 3))
            frame = av.VideoFrame.from_ndarray(picture.astype(np.uint8), format="rgb24")
            frame.pts, frame.time_base = index, Fraction(1, 24)
            out.mux(video.encode(frame))
        for start in range(0, samples, 1024):
            block = av.AudioFrame.from_ndarray(
                np.ascontiguousarray(sound[:, start : start + 1024]), format="fltp", layout="stereo"
            )
            block.sample_rate, block.pts, block.time_base = 32_000, start, Fraction(1, 32_000)
            out.mux(audio.encode(block))
        out.mux(video.encode(None))
        out.mux(audio.encode(None))


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    speech = voice(3.0, RATE)
    write_wav(folder / "speech.wav", speech, RATE)
    (folder / "speech.pcm").write_bytes((folder / "speech.wav").read_bytes()[44:])
    write_broken_wav(folder / "broken.wav", speech, RATE)
    write_clip(folder / "clip.mp4", frames=362, samples=482_400)
    print(f"wrote speech.wav, speech.pcm, broken.wav and clip.mp4 into {folder}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/make_demo.py FOLDER")
    main(Path(sys.argv[1]))
