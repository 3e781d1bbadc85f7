"""``dnsmos``: what listeners would say of noise and speech, by a network, without a reference."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Final

from mediacheck.scoring.registry import require_library
from mediacheck.scoring.rules import DOWNMIX, RESAMPLER
from mediacheck.scoring.score import Identity, Measured, ModelIdentity, Quantity, Score, ScorerInfo
from mediacheck.scoring.scorer import Item, ModelError, ScoringOptions, Unmeasurable, identity

RATE: Final = 16_000
SHORTEST_S: Final = 1
"""Seconds. The network takes 9.01 s; what is shorter is repeated until it fills them."""
MODELS: Final = ("sig_bak_ovr.onnx", "model_v8.onnx")
"""Of the non-personalised P.835 ratings, and of P.808; they come with speechmos."""


class NoiseSuppressionOpinion:
    """DNSMOS P.835 as speechmos computes it: the mean over windows of 9.01 s, one a second.

    C. K. A. Reddy, V. Gopal, R. Cutler, "DNSMOS P.835", ICASSP 2022. The value is the overall rating; those of the
    speech, of the background, and of P.808 stand beside it.
    """

    info: ClassVar = ScorerInfo(
        id="dnsmos",
        version=1,
        unit="MOS",
        lowest=1.0,
        highest=5.0,
        higher_is_better=True,
        needs=("model",),
        licence="MIT (speechmos and its models)",
        extra="quality",
        modules=("librosa", "onnxruntime", "requests", "soxr", "speechmos"),
        summary="Overall opinion of the sound, predicted by DNSMOS P.835.",
    )

    def __init__(self, options: ScoringOptions) -> None:
        self.identity: Identity | None = None
        self._run: Any = None

    def prepare(self) -> None:
        from mediacheck.scoring.backends.models import file_sha256

        for module in self.info.modules:
            require_library(module, extra="quality", wanted_by="the scorer dnsmos")
        # Importing speechmos.dnsmos imports this one function's libraries; the models load with the first clip.
        from speechmos import dnsmos

        folder = Path(dnsmos.__file__).parent / "dnsmos_models"
        for name in MODELS:
            if not (folder / name).is_file():
                raise ModelError(f"speechmos lacks its model {name}; install it anew with: pip install speechmos")
        self._run = dnsmos.run
        self.identity = identity(
            self.info,
            libraries=("librosa", "numpy", "onnxruntime", "soxr", "speechmos"),
            options={
                "downmix": DOWNMIX,
                "p808_model_sha256": file_sha256(folder / MODELS[1]),
                "personalised": False,
                "rate": RATE,
                "resampler": RESAMPLER,
            },
            backend="speechmos",
            model=ModelIdentity(id=MODELS[0], sha256=file_sha256(folder / MODELS[0])),
        )

    def score(self, item: Item) -> Score:
        import numpy as np

        if self._run is None or self.identity is None:
            raise RuntimeError("prepare comes before score")
        sound = item.candidate.sound
        if sound.duration < SHORTEST_S:
            raise Unmeasurable(f"it lasts {float(sound.duration):.2f} s; DNSMOS is asked from {SHORTEST_S} s on")
        if sound.silent:
            raise Unmeasurable("the candidate is silent")
        # Resampling overshoots at full scale, and speechmos refuses what lies beyond.
        ratings = self._run(np.clip(sound.mono(RATE), -1.0, 1.0), sr=RATE)
        names = (("speech", "sig_mos"), ("background", "bak_mos"), ("p808", "p808_mos"))
        low = sound.sample_rate < RATE
        return Measured(
            scorer=self.info.id,
            value=float(ratings["ovrl_mos"]),
            unit=self.info.unit,
            details=tuple(Quantity(name=name, value=float(ratings[key]), unit="MOS") for name, key in names),
            remark=f"the file has {sound.sample_rate} Hz, and the network hears the missing band" if low else None,
            identity=self.identity,
        )
