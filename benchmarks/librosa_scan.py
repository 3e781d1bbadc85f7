"""The scan that people write with librosa: load every file, a few levels and the silences of each; two processes.

Runs in the peers' Python and imports nothing of ours. Reads file names from standard input, separated by NUL.
"""

import json
import multiprocessing
import sys

import librosa
import numpy as np


def scan(path: str) -> dict[str, object]:
    """What is worth knowing of one file."""
    samples, rate = librosa.load(path, sr=None, mono=False)
    mono = librosa.to_mono(samples)
    spoken = librosa.effects.split(mono, top_db=60)
    return {
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


if __name__ == "__main__":
    paths = [name for name in sys.stdin.read().split("\0") if name]
    with multiprocessing.Pool(2) as pool, open(sys.argv[1], "w") as out:
        json.dump(pool.map(scan, paths, chunksize=4), out)
