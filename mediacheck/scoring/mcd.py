"""``mcd``: how far the candidate's spectral envelope is from the reference's, after their times are aligned."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from mediacheck.scoring.registry import require_library
from mediacheck.scoring.rules import DOWNMIX, RESAMPLER
from mediacheck.scoring.score import Identity, Measured, Quantity, Score, ScorerInfo
from mediacheck.scoring.scorer import Item, ScoringOptions, Unmeasurable, identity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mediacheck.scoring.sound import Mono

RATE: Final = 16_000
WINDOW: Final = 400
"""Samples: 25 ms."""
FFT: Final = 512
HOP: Final = 160
"""Samples: 10 ms."""
BANDS: Final = 40
COEFFICIENTS: Final = 13
"""Without the first, which is the level."""
FLOOR_DB: Final = 60.0
"""Below the loudest band of each sound: what lies under it counts as lying on it."""
LONGEST_S: Final = 30
"""Seconds. The alignment holds a matrix of frames by frames."""


class MelCepstralDistortion:
    """RMS difference in dB of smoothed log-mel spectra without their levels, mean over the alignment's steps.

    With C_k the orthonormal cosine transform of a frame's mel powers in dB, a step costs sqrt(Σ_{k=1..13} ΔC_k² / 40):
    R. F. Kubichek, "Mel-cepstral distance measure for objective speech quality assessment", 1993, where c_k is taken of
    the log power. librosa computes the cepstra and the alignment (dynamic time warping, all steps alike).
    """

    info: ClassVar = ScorerInfo(
        id="mcd",
        version=1,
        unit="dB",
        lowest=0.0,
        highest=None,
        higher_is_better=False,
        needs=("reference",),
        licence="ISC (librosa)",
        extra="quality",
        modules=("librosa", "soxr"),
        summary="Mel-cepstral distortion after time alignment.",
    )

    def __init__(self, options: ScoringOptions) -> None:
        self.identity: Identity | None = None

    def prepare(self) -> None:
        for module in self.info.modules:
            require_library(module, extra="quality", wanted_by="the scorer mcd")
        self.identity = identity(
            self.info,
            libraries=("librosa", "numpy", "scipy", "soxr"),
            options={
                "alignment": "dtw",
                "bands": BANDS,
                "coefficients": COEFFICIENTS,
                "downmix": DOWNMIX,
                "floor_db": FLOOR_DB,
                "hop": HOP,
                "rate": RATE,
                "resampler": RESAMPLER,
                "window": WINDOW,
            },
        )

    def score(self, item: Item) -> Score:
        import numpy as np
        from librosa.sequence import dtw

        from mediacheck.scoring.pairs import require_rate, require_sound, the_reference

        if self.identity is None:
            raise RuntimeError("prepare comes before score")
        pair = item.candidate, the_reference(item)
        require_rate(*pair, lowest=RATE)
        for recording in pair:
            if recording.sound.duration > LONGEST_S:
                seconds = float(recording.sound.duration)
                raise Unmeasurable(f"{recording.name} lasts {seconds:.1f} s; sounds are aligned up to {LONGEST_S} s")
        require_sound(*pair)
        ours, theirs = (cepstra(recording.sound.mono(RATE), recording.name) for recording in pair)
        _, path = dtw(ours, theirs, metric="euclidean", backtrack=True)
        steps = np.linalg.norm(ours[:, path[:, 0]] - theirs[:, path[:, 1]], axis=0)
        return Measured(
            scorer=self.info.id,
            value=float(steps.mean()),
            unit=self.info.unit,
            details=(Quantity(name="alignment", value=float(len(steps)), unit="steps"),),
            identity=self.identity,
        )


def cepstra(samples: Mono, name: str) -> NDArray[np.float64]:
    """Mel cepstra 1 to 13, scaled so that their Euclidean distance is an RMS difference in dB over the bands.

    Args:
        samples: shape (n,), 16 kHz.
        name: what a reason calls them.

    Returns:
        Shape (13, frames), 10 ms apart; only windows that lie within the samples.

    Raises:
        Unmeasurable: they are shorter than one window of the transform.
    """
    import librosa
    import numpy as np

    if len(samples) < FFT:
        raise Unmeasurable(f"{name} is shorter than the {FFT / RATE * 1000:g} ms of one window")
    power = librosa.feature.melspectrogram(
        y=np.asarray(samples, np.float64), sr=RATE, n_fft=FFT, win_length=WINDOW, hop_length=HOP, center=False,
        n_mels=BANDS, fmax=RATE / 2, power=2.0,
    )  # fmt: skip
    level = librosa.power_to_db(power, ref=np.max, amin=1e-20, top_db=FLOOR_DB)
    found = librosa.feature.mfcc(S=level, n_mfcc=COEFFICIENTS + 1, dct_type=2, norm="ortho")
    scaled: NDArray[np.float64] = found[1:] / BANDS**0.5
    return scaled
