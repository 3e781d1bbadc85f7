"""``si_sdr``: how much of the candidate is the reference, whatever the gain, beside what is not."""

from __future__ import annotations

import math
from typing import ClassVar, Final

from mediacheck.scoring.rules import DOWNMIX, SLACK_S
from mediacheck.scoring.score import Measured, Score, ScorerInfo
from mediacheck.scoring.scorer import Item, ScoringOptions, Unmeasurable, identity

LIMIT_DB: Final = 140.0
"""Samples are float32 of 24 bits: what lies further below is rounding."""


class ScaleInvariantDistortion:
    """10 log10(|s|² / |e - s|²) of the candidate e and its projection s on the reference, both without their means.

    J. Le Roux, S. Wisdom, H. Erdogan, J. R. Hershey, "SDR – half-baked or well done?", ICASSP 2019, eq. 3 and 5. Four
    lines of arithmetic in float64 here: the libraries that offer it bring torch, and compute in float32.
    """

    info: ClassVar = ScorerInfo(
        id="si_sdr",
        version=1,
        unit="dB",
        lowest=None,
        highest=None,
        higher_is_better=True,
        needs=("reference",),
        licence="Apache-2.0",
        extra=None,
        summary="Energy of the reference in the candidate over the energy of all else, whatever the gain.",
    )

    def __init__(self, options: ScoringOptions) -> None:
        self.identity = identity(
            self.info,
            libraries=("numpy",),
            options={"downmix": DOWNMIX, "mean": "removed", "rate": "of the files", "slack_s": SLACK_S},
        )

    def prepare(self) -> None:
        """Nothing is needed."""

    def score(self, item: Item) -> Score:
        import numpy as np

        from mediacheck.scoring.pairs import aligned, the_reference

        pair = aligned(item.candidate, the_reference(item))
        candidate, reference = (np.asarray(sound, np.float64) - sound.mean(dtype=np.float64) for sound in pair)
        power = float(reference @ reference)
        if not power > 0.0:
            raise Unmeasurable("the reference is constant")
        target = float(candidate @ reference) / power * reference
        rest = candidate - target
        kept, lost = float(target @ target), float(rest @ rest)
        total = kept + lost
        # Written so that zeros of both count as well.
        if not lost > total * 10.0 ** (-LIMIT_DB / 10.0):
            raise Unmeasurable("the candidate is the reference up to a gain and an offset: the ratio is infinite")
        if not kept > total * 10.0 ** (-LIMIT_DB / 10.0):
            raise Unmeasurable("the candidate holds nothing of the reference: the ratio is zero, and has no decibels")
        return Measured(
            scorer=self.info.id, value=10.0 * math.log10(kept / lost), unit=self.info.unit, identity=self.identity
        )
