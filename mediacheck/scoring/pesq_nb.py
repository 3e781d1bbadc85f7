"""``pesq_nb``: perceptual evaluation of speech quality, narrow band, for telephone speech."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from mediacheck.scoring.pesq import PerceptualQuality
from mediacheck.scoring.score import ScorerInfo


class NarrowBandQuality(PerceptualQuality):
    """P.862 at 8 kHz, mapped to MOS-LQO by P.862.1. Another scale than the wide band's: never compare the two."""

    info: ClassVar[ScorerInfo] = replace(
        PerceptualQuality.info,
        id="pesq_nb",
        highest=4.55,
        summary="Perceptual speech quality beside the clean recording, narrow band (P.862.1).",
    )
    mode: ClassVar[str] = "nb"
    rate: ClassVar[int] = 8_000
