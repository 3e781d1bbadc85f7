"""``duration_ratio``: how long the candidate lasts beside its reference."""

from __future__ import annotations

from typing import ClassVar

from mediacheck.scoring.score import Measured, NotMeasured, Quantity, Score, ScorerInfo
from mediacheck.scoring.scorer import Item, ScoringOptions, identity


class DurationRatio:
    """Seconds of the candidate / seconds of the reference; of several references, their mean length.

    1 means the same length. Lengths are sample counts over sample rates, exact; silence at the ends counts.
    """

    info: ClassVar = ScorerInfo(
        id="duration_ratio",
        version=1,
        unit="ratio",
        lowest=0.0,
        highest=None,
        higher_is_better=None,
        needs=("reference",),
        licence="Apache-2.0",
        extra=None,
        default=True,
        summary="Length of the candidate over the length of the reference.",
    )

    def __init__(self, options: ScoringOptions) -> None:
        self.identity = identity(self.info)

    def prepare(self) -> None:
        """Nothing is needed."""

    def score(self, item: Item) -> Score:
        candidate = item.candidate.sound.duration
        lengths = [reference.sound.duration for reference in item.references]
        if not lengths:
            return NotMeasured(scorer=self.info.id, reason="no reference was given")
        mean = sum(lengths[1:], lengths[0]) / len(lengths)
        return Measured(
            scorer=self.info.id,
            value=float(candidate / mean),
            unit=self.info.unit,
            details=(
                Quantity(name="candidate", value=float(candidate), unit="s"),
                Quantity(name="reference", value=float(mean), unit="s"),
            ),
            identity=self.identity,
        )
