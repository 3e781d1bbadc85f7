"""Samples as scorers want them: mono by one rule, at a stated rate by one resampler, silence by one rule."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mediacheck.media import Samples, SamplesError, read_samples
from mediacheck.media.files import file_facts
from mediacheck.scoring.registry import require_library
from mediacheck.scoring.rules import SILENCE_DBFS
from mediacheck.scoring.scorer import Unmeasurable

WINDOW_S: Final = Fraction(1, 100)

Mono = NDArray[np.float32]
"""Shape (n,), full scale 1.0."""


@dataclass(frozen=True, eq=False)
class Sound:
    """The first audio stream of a file, decoded."""

    samples: Samples
    name: str

    @property
    def duration(self) -> Fraction:
        """Seconds, exactly."""
        return self.samples.duration

    @property
    def sample_rate(self) -> int:
        """Hz, of the file."""
        return self.samples.sample_rate

    @property
    def channels(self) -> NDArray[np.float32]:
        """Shape (n, channels), at the file's own rate."""
        return self.samples.data

    def mono(self, rate: int | None = None) -> Mono:
        """The mean of all channels, at ``rate`` Hz by soxr (HQ); at the file's own rate by default.

        Raises:
            Unmeasurable: the file has sound and its mono mix has none, since the channels cancel one another.
            ModelError: soxr is not installed and another rate is asked for.
        """
        data = self.samples.data
        mixed = data[:, 0] if data.shape[1] == 1 else data.mean(axis=1, dtype=np.float64).astype(np.float32)
        if data.shape[1] > 1 and is_silent(mixed[:, None], self.sample_rate) and not self.silent:
            raise Unmeasurable(f"the channels of {self.name} cancel one another when they are mixed to mono")
        return mixed if rate is None or rate == self.sample_rate else resampled(mixed, self.sample_rate, rate)

    @property
    def silent(self) -> bool:
        """Whether no 10 ms window of any channel reaches -60 dBFS RMS."""
        return is_silent(self.samples.data, self.sample_rate)


def load_sound(path: Path, name: str, sha256: str | None = None) -> Sound:
    """Decode a file.

    Args:
        path: of the file.
        name: what reasons call it.
        sha256: what its bytes were when it was validated; None: not checked.

    Raises:
        Unmeasurable: it cannot be read or decoded, is empty, or is not the file that was validated.
    """
    try:
        if sha256 is not None and file_facts(path, name).sha256 != sha256:
            raise Unmeasurable(f"{name} changed after it was validated", transient=True)
        samples = read_samples(path)
    except OSError as error:
        # PathError, of ours, is one too.
        raise Unmeasurable(f"{name} cannot be read any more", transient=True) from error
    except SamplesError as error:
        raise Unmeasurable(str(error)) from error
    if not len(samples.data):
        raise Unmeasurable(f"{name} holds no sample")
    if not np.isfinite(samples.data).all():
        raise Unmeasurable(f"{name} holds samples that are not finite")
    return Sound(samples, name)


def is_silent(samples: NDArray[np.float32], rate: int) -> bool:
    """Whether no 10 ms window reaches -60 dBFS RMS on any channel.

    Windows follow one another from the first sample; a shorter one at the end counts as a window.

    Args:
        samples: shape (n, channels).
        rate: Hz.
    """
    width = max(1, round(rate * WINDOW_S))
    power = np.add.reduceat(np.square(samples, dtype=np.float64), np.arange(0, len(samples), width), axis=0)
    counts = np.full(len(power), width, np.float64)
    counts[-1] = len(samples) - (len(power) - 1) * width
    return not bool((power / counts[:, None] >= 10.0 ** (SILENCE_DBFS / 10)).any())


def resampled(samples: Mono, rate: int, wanted: int) -> Mono:
    """``samples`` of ``rate`` Hz at ``wanted`` Hz, by soxr's quality HQ.

    Raises:
        ModelError: soxr is not installed.
    """
    require_library("soxr", extra="quality", wanted_by="resampling")
    import soxr

    result: Mono = soxr.resample(samples, rate, wanted, quality="HQ")
    return result
