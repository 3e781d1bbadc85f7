"""``stoi``: short-time objective intelligibility of the candidate, beside the clean reference."""

from __future__ import annotations

from typing import ClassVar, Final

from mediacheck.scoring.registry import require_library
from mediacheck.scoring.rules import DOWNMIX, RESAMPLER, SLACK_S
from mediacheck.scoring.score import Identity, Measured, Score, ScorerInfo
from mediacheck.scoring.scorer import Item, ScoringOptions, Unmeasurable, identity

RATE: Final = 10_000
"""Hz at which the measure is defined."""


class Intelligibility:
    """Mean correlation of short stretches of third-octave envelopes with those of the reference, by pystoi.

    C. H. Taal, R. C. Hendriks, R. Heusdens, J. Jensen, "An algorithm for intelligibility prediction of time-frequency
    weighted noisy speech", IEEE TASLP 19(7), 2011. Frames more than 40 dB below the reference's loudest are left out.
    """

    info: ClassVar = ScorerInfo(
        id="stoi",
        version=1,
        unit="correlation",
        lowest=-1.0,
        highest=1.0,
        higher_is_better=True,
        needs=("reference",),
        licence="MIT (pystoi)",
        extra="quality",
        modules=("pystoi", "soxr"),
        summary="Short-time objective intelligibility, beside the clean recording.",
    )

    def __init__(self, options: ScoringOptions) -> None:
        self.identity: Identity | None = None

    def prepare(self) -> None:
        for module in self.info.modules:
            require_library(module, extra="quality", wanted_by="the scorer stoi")
        self.identity = identity(
            self.info,
            libraries=("numpy", "pystoi", "scipy", "soxr"),
            options={"downmix": DOWNMIX, "rate": RATE, "resampler": RESAMPLER, "slack_s": SLACK_S, "extended": False},
        )

    def score(self, item: Item) -> Score:
        import warnings

        import numpy as np
        from pystoi import stoi

        from mediacheck.scoring.pairs import aligned, require_rate, the_reference

        if self.identity is None:
            raise RuntimeError("prepare comes before score")
        reference = the_reference(item)
        require_rate(item.candidate, reference, lowest=RATE)
        ours, clean = aligned(item.candidate, reference, RATE)
        # pystoi warns of too little speech and returns 0.00001, which is no value; shorter than a frame, it fails.
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message="Not enough STFT frames", category=RuntimeWarning)
            try:
                value = stoi(np.asarray(clean, np.float64), np.asarray(ours, np.float64), RATE, extended=False)
            except (RuntimeWarning, ValueError) as error:
                raise Unmeasurable("the reference holds less than the 0.4 s of speech that STOI looks at") from error
        return Measured(scorer=self.info.id, value=float(value), unit=self.info.unit, identity=self.identity)
