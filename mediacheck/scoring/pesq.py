"""``pesq``: perceptual evaluation of speech quality, wide band."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar, Final

from mediacheck.scoring.registry import require_library
from mediacheck.scoring.rules import DOWNMIX, RESAMPLER
from mediacheck.scoring.score import Identity, Measured, Score, ScorerInfo
from mediacheck.scoring.scorer import Item, ScoringOptions, Unmeasurable, identity

LONGEST_S: Final = 20
"""Seconds. The ITU's code keeps room for 50 stretches of speech, and writes past it where there are more: at 30 s that
ends the process. No pattern of bursts and pauses did so at 20 s, and the measure was validated on shorter clips."""
APART_S: Final = Fraction(1)
"""The measure finds delays by itself, and knows nothing of speech at another pace."""


class PerceptualQuality:
    """MOS-LQO by the ITU's code, as the package pesq wraps it: P.862.2 at 16 kHz here."""

    info: ClassVar[ScorerInfo] = ScorerInfo(
        id="pesq",
        version=1,
        unit="MOS-LQO",
        lowest=1.0,
        highest=4.65,
        higher_is_better=True,
        needs=("reference",),
        licence="MIT (pesq); the ITU's terms hold for P.862",
        extra="pesq",
        modules=("pesq", "soxr"),
        summary="Perceptual speech quality beside the clean recording, wide band (P.862.2).",
    )
    mode: ClassVar[str] = "wb"
    rate: ClassVar[int] = 16_000

    def __init__(self, options: ScoringOptions) -> None:
        self.identity: Identity | None = None

    def prepare(self) -> None:
        for module in self.info.modules:
            require_library(module, extra="pesq", wanted_by=f"the scorer {self.info.id}")
        self.identity = identity(
            self.info,
            libraries=("numpy", "pesq", "soxr"),
            options={"downmix": DOWNMIX, "mode": self.mode, "rate": self.rate, "resampler": RESAMPLER},
        )

    def score(self, item: Item) -> Score:
        from pesq import BufferTooShortError, NoUtterancesError, pesq

        from mediacheck.scoring.pairs import require_rate, require_sound, the_reference

        if self.identity is None:
            raise RuntimeError("prepare comes before score")
        candidate, reference = item.candidate, the_reference(item)
        require_rate(candidate, reference, lowest=self.rate)
        for recording in (candidate, reference):
            if recording.sound.duration > LONGEST_S:
                raise Unmeasurable(
                    f"{recording.name} lasts {float(recording.sound.duration):.1f} s; PESQ takes {LONGEST_S} s at most"
                )
        if abs(candidate.sound.duration - reference.sound.duration) > APART_S:
            raise Unmeasurable(
                f"the candidate lasts {float(candidate.sound.duration):.2f} s and the reference "
                f"{float(reference.sound.duration):.2f} s; PESQ compares the same speech at the same pace"
            )
        require_sound(candidate, reference)
        try:
            value = pesq(self.rate, reference.sound.mono(self.rate), candidate.sound.mono(self.rate), self.mode)
        except BufferTooShortError as error:
            raise Unmeasurable("PESQ needs 0.25 s at least") from error
        except NoUtterancesError as error:
            raise Unmeasurable("PESQ finds no speech") from error
        return Measured(scorer=self.info.id, value=float(value), unit=self.info.unit, identity=self.identity)
