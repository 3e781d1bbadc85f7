"""The scans that people write with librosa: load every file, and measure it; two processes.

``python librosa_scan.py OUT [--loudness]``: without it a few levels and the silences of each; with it what ffmpeg's
checks and mediacheck measure as well, loudness (ITU-R BS.1770) and true peak by four times oversampling.

Runs in the peers' Python and imports nothing of ours. Reads file names from standard input, separated by NUL.
"""

import json
import math
import multiprocessing
import sys
from functools import partial

import librosa
import numpy as np
import scipy.signal


def scan(path: str, *, with_loudness: bool) -> dict[str, object]:
    """What is worth knowing of one file."""
    samples, rate = librosa.load(path, sr=None, mono=False)
    mono = librosa.to_mono(samples)
    spoken = librosa.effects.split(mono, top_db=60)
    found: dict[str, object] = {
        "path": path,
        "rate": rate,
        "seconds": len(mono) / rate,
        "peak": float(np.abs(samples).max()),
        "rms": float(np.sqrt(np.mean(samples**2))),
        "loudest_frame": float(librosa.feature.rms(y=mono).max()),
        "crossings": float(librosa.feature.zero_crossing_rate(mono).mean()),
        "offset": float(samples.mean()),
        "clipped": int(np.count_nonzero(np.abs(samples) >= 32767 / 32768)),
        "finite": bool(np.isfinite(samples).all()),
        "leading_silence": float(spoken[0][0] / rate) if len(spoken) else None,
        "silent_share": 1 - float(np.sum(spoken[:, 1] - spoken[:, 0]) / len(mono)),
    }
    if with_loudness:
        found["true_peak"] = float(np.abs(librosa.resample(samples, orig_sr=rate, target_sr=4 * rate)).max())
        found["lufs"] = integrated(np.atleast_2d(samples), rate)
    return found


def integrated(samples: np.ndarray, rate: int) -> float | None:
    """Integrated loudness in LUFS of (channels, n), full scale 1.0, with both gates of BS.1770-4; None below them."""
    weighted = scipy.signal.sosfilt(k_weighting(rate), samples)
    step = rate // 10
    steps = weighted[:, : weighted.shape[1] // step * step].reshape(len(samples), -1, step)
    power = (steps**2).mean(axis=2).sum(axis=0)
    blocks = np.convolve(power, np.full(4, 0.25), "valid")
    loud = blocks[blocks > 10 ** ((-70 + 0.691) / 10)]
    if not len(loud):
        return None
    gated = loud[loud > loud.mean() / 10]
    return float(10 * np.log10(gated.mean()) - 0.691)


def k_weighting(rate: int) -> np.ndarray:
    """The shelf and the high pass at any rate, as second-order sections for scipy."""
    sections = []
    for frequency, gain, quality in (
        (1681.974450955533, 3.999843853973347, 0.7071752369554196),
        (38.13547087602444, 0, 0.5003270373238773),
    ):
        k = math.tan(math.pi * frequency / rate)
        a = [1 + k / quality + k * k, 2 * (k * k - 1), 1 - k / quality + k * k]
        if gain:
            high = 10 ** (gain / 20)
            band = high**0.4996667741545416
            b = [high + band * k / quality + k * k, 2 * (k * k - high), high - band * k / quality + k * k]
        else:
            b = [a[0], -2 * a[0], a[0]]
        sections.append([value / a[0] for value in (*b, *a)])
    return np.array(sections)


if __name__ == "__main__":
    paths = [name for name in sys.stdin.read().split("\0") if name]
    with multiprocessing.Pool(2) as pool, open(sys.argv[1], "w") as out:
        json.dump(pool.map(partial(scan, with_loudness="--loudness" in sys.argv), paths, chunksize=4), out)
