"""``loudness``: integrated loudness, the same number as in the facts of the file."""

from __future__ import annotations

from typing import ClassVar

from mediacheck.scoring.score import Measured, Quantity, Score, ScorerInfo
from mediacheck.scoring.scorer import Item, ScoringOptions, Unmeasurable, identity


class IntegratedLoudness:
    """ITU-R BS.1770-4, of all channels with their weights; loudness range (EBU Tech 3342) and true peak beside it.

    mediacheck measures it already: another library would only give a second number for the same thing.
    """

    info: ClassVar = ScorerInfo(
        id="loudness",
        version=1,
        unit="LUFS",
        lowest=-70.0,
        highest=None,
        higher_is_better=None,
        needs=(),
        licence="Apache-2.0",
        extra=None,
        summary="Integrated loudness (BS.1770-4), as in the facts.",
    )

    def __init__(self, options: ScoringOptions) -> None:
        self.identity = identity(self.info, options={"standard": "BS.1770-4"})

    def prepare(self) -> None:
        """Nothing is needed."""

    def score(self, item: Item) -> Score:
        from mediacheck import media

        candidate = item.candidate
        try:
            facts = media.measure(candidate.path, name=candidate.name)
        except OSError as error:
            raise Unmeasurable(f"{candidate.name} cannot be read any more", transient=True) from error
        if candidate.sha256 is not None and facts.file.sha256 != candidate.sha256:
            raise Unmeasurable(f"{candidate.name} changed after it was validated", transient=True)
        if not facts.audio:
            raise Unmeasurable(f"{candidate.name} has no audio stream")
        found = facts.audio[0].loudness
        if found.integrated_lufs is None:
            raise Unmeasurable("it is shorter than 400 ms, or no block of 400 ms lies above -70 LUFS")
        beside = (("range", found.range_lu, "LU"), ("true_peak", found.true_peak_dbtp, "dBTP"))
        return Measured(
            scorer=self.info.id,
            value=found.integrated_lufs,
            unit=self.info.unit,
            details=tuple(
                Quantity(name=name, value=value, unit=unit) for name, value, unit in beside if value is not None
            ),
            identity=self.identity,
        )
