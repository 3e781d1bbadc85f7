"""Small media for tests: signals by formula, WAV bytes by hand, everything else encoded with PyAV."""

from __future__ import annotations

import struct
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

Signal = NDArray[np.float64]


def tone(samples: int, rate: int, frequency: float = 220.0, amplitude: float = 0.5) -> Signal:
    """A cosine whose level breathes three times a second: never constant, never silent, no offset to speak of."""
    t = np.arange(samples) / rate
    return amplitude * np.cos(2 * np.pi * frequency * t) * (0.75 + 0.25 * np.cos(2 * np.pi * 3 * t))


def faded(samples: int, rate: int, frequency: float = 220.0, amplitude: float = 0.5) -> Signal:
    """``tone`` that dies away over its last 60 ms, as finished sound does."""
    x = tone(samples, rate, frequency, amplitude)
    k = min(samples // 4, int(rate * 0.06))
    x[samples - k :] *= 0.5 * (1 + np.cos(np.pi * np.arange(1, k + 1) / k))
    return x


def speechlike(samples: int, rate: int, seed: int = 1) -> Signal:
    """Harmonics of a gliding pitch under syllables, with breath noise: peaks, pauses and a wide spectrum."""
    t = np.arange(samples) / rate
    phase = 2 * np.pi * np.cumsum(120 + 25 * np.sin(2 * np.pi * 0.7 * t)) / rate
    voice = sum(np.sin(n * phase) / n for n in range(1, 15))
    syllables = np.clip(np.sin(2 * np.pi * 2.3 * t), 0, None) ** 0.7
    noise = np.random.default_rng(seed).standard_normal(samples)
    return 0.2 * voice * syllables + 0.003 * noise


def s16(x: Signal) -> bytes:
    return np.round(np.clip(x, -1, 1) * 32767).astype("<i2").tobytes()


def wav(data: bytes, rate: int, channels: int = 1, bits: int = 16, code: int = 1) -> bytes:
    """A plain WAV file around ``data``; ``code``: 1 PCM, 3 float, 6 A-law, 7 mu-law."""
    align = channels * bits // 8
    header = struct.pack("<HHIIHH", code, channels, rate, rate * align, align, bits)
    body = b"WAVE" + b"fmt " + struct.pack("<I", len(header)) + header
    body += b"data" + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def write_wav(path: Path, x: Signal, rate: int, kind: str = "s16") -> Path:
    """``x``: (n,) or (n, channels); ``kind``: s16, f32 or f64."""
    channels = 1 if x.ndim == 1 else x.shape[1]
    if kind == "s16":
        path.write_bytes(wav(s16(x), rate, channels))
    elif kind == "f32":
        path.write_bytes(wav(x.astype("<f4").tobytes(), rate, channels, 32, 3))
    else:
        path.write_bytes(wav(x.astype("<f8").tobytes(), rate, channels, 64, 3))
    return path


def picture(k: int, width: int = 160, height: int = 96) -> NDArray[np.uint8]:
    """Frame ``k`` of a film in which every picture differs from the last: rgb24."""
    x = (np.arange(width)[None, :] * 2 + np.arange(height)[:, None] + k * 9) % 256
    image = np.stack([x, (x + 80) % 256, 255 - x], 2).astype(np.uint8)
    left = (k * 7) % (width - 20)
    image[20:70, left : left + 20] = 255
    return image


def pictures(count: int) -> list[NDArray[np.uint8]]:
    return [picture(k) for k in range(count)]


def encode(
    path: Path,
    *,
    video: list[NDArray[np.uint8]] | None = None,
    fps: Fraction | int = 24,
    video_codec: str = "libx264",
    audio: Signal | None = None,
    rate: int = 48000,
    audio_codec: str = "aac",
    sample_format: str = "fltp",
    container_options: dict[str, str] | None = None,
    video_options: dict[str, str] | None = None,
) -> Path:
    """Encode and mux with PyAV. ``audio``: (n,) or (n, channels), full scale 1.0."""
    with av.open(str(path), "w", options=container_options or {}) as out:
        picture_stream: Any = None
        sound_stream: Any = None
        if video is not None:
            height, width = video[0].shape[:2]
            picture_stream = out.add_stream(video_codec, rate=fps, options=video_options or {"bf": "0"})
            picture_stream.width, picture_stream.height = width, height
            picture_stream.pix_fmt = "yuv420p"
        if audio is not None:
            planar = np.atleast_2d(audio.T)
            layout = {1: "mono", 2: "stereo", 6: "5.1"}[len(planar)]
            sound_stream = out.add_stream(audio_codec, rate=rate, layout=layout, format=sample_format)
        if picture_stream is not None and video is not None:
            for image in video:
                out.mux(picture_stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")))
            out.mux(picture_stream.encode())
        if sound_stream is not None:
            _encode_audio(out, sound_stream, planar, rate, layout, sample_format)
    return path


def _encode_audio(out: Any, stream: Any, planar: Signal, rate: int, layout: str, sample_format: str) -> None:
    kind, scale = {"fltp": ("f4", 1.0), "flt": ("f4", 1.0), "s16": ("i2", 32767), "s16p": ("i2", 32767)}[sample_format]
    values = np.ascontiguousarray(planar * scale if scale == 1.0 else np.round(planar * scale)).astype(kind)
    step = stream.codec_context.frame_size or 1024
    for start in range(0, values.shape[1], step):
        piece = values[:, start : start + step]
        if not sample_format.endswith("p"):
            piece = piece.T.reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(piece), format=sample_format, layout=layout)
        frame.sample_rate = rate
        frame.pts = start
        frame.time_base = Fraction(1, rate)
        out.mux(stream.encode(frame))
    out.mux(stream.encode())
