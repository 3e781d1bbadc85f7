"""``speaker``: whether the voice of the candidate is the voice of the references."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from mediacheck.scoring.encoders import SpeakerEncoder, make_encoder
from mediacheck.scoring.registry import require_library
from mediacheck.scoring.rules import DOWNMIX, RESAMPLER, SILENCE_DBFS
from mediacheck.scoring.score import Identity, Measured, Quantity, Score, ScorerInfo
from mediacheck.scoring.scorer import Item, Recording, ScoringOptions, Unmeasurable, identity
from mediacheck.scoring.speaker_rules import BELOW_LOUDEST_DB, LEAST_SPEECH_S, LONGEST_S, RATE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Embedding = NDArray[np.float64]

LEAST_CENTROID = 0.01
"""Length of a mean of unit vectors: what is shorter points nowhere."""
KEPT = 1024
"""Embeddings of references that are kept, a few kilobytes each: every candidate is held against the same ones."""


class SpeakerSimilarity:
    """Cosine of the candidate's embedding with the centroid of the references' embeddings.

    Where recordings name their speakers, the references are those of the candidate's speaker, and the others are the
    control: the mean over the other speakers of the cosine with the centroid of each.
    """

    info: ClassVar = ScorerInfo(
        id="speaker",
        version=1,
        unit="cosine",
        lowest=-1.0,
        highest=1.0,
        higher_is_better=True,
        needs=("reference", "model"),
        licence="Apache-2.0 (speechbrain and its weights, Resemblyzer and its weights)",
        extra="speaker",
        modules=("soxr", "torch"),
        summary="Likeness of the voice to that of the reference audio.",
    )

    def __init__(self, options: ScoringOptions) -> None:
        self._options = options
        self._encoder: SpeakerEncoder | None = None
        self.identity: Identity | None = None
        self._kept: dict[str, Embedding] = {}

    def prepare(self) -> None:
        """Load the speaker model.

        Raises:
            ModelError: a library or the model is missing.
            UsageError: the device is unknown.
        """
        for module in self.info.modules:
            require_library(module, extra="speaker", wanted_by="the scorer speaker")
        self._encoder = make_encoder(self._options)
        self._encoder.load()
        by = self._encoder.identity
        options: dict[str, str | int | float | bool | None] = {tag.key: tag.value for tag in by.options}
        options |= {
            "downmix": DOWNMIX,
            "least_speech_s": LEAST_SPEECH_S,
            "longest_s": LONGEST_S,
            "pause_dbfs": SILENCE_DBFS,
            "pause_below_loudest_db": BELOW_LOUDEST_DB,
            "rate": RATE,
            "resampler": RESAMPLER,
        }
        self.identity = identity(
            self.info,
            libraries=("numpy", "soxr", *by.libraries),
            options=options,
            backend=by.backend,
            model=by.model,
        )

    def score(self, item: Item) -> Score:
        import numpy as np

        if self.identity is None:
            raise RuntimeError("prepare comes before score")
        own, others = _by_speaker(item)
        candidate = self._embedding(item.candidate)
        references = [self._reference(recording) for recording in own]
        cosines = [float(candidate @ reference) for reference in references]
        value = float(candidate @ _centroid(references))
        control = [
            float(candidate @ _centroid([self._reference(recording) for recording in recordings]))
            for recordings in others.values()
        ]
        long = item.candidate.sound.duration > LONGEST_S
        return Measured(
            scorer=self.info.id,
            value=value,
            unit=self.info.unit,
            control=float(np.mean(control)) if control else None,
            details=(
                Quantity(name="centroid", value=value, unit="cosine"),
                Quantity(name="max", value=max(cosines), unit="cosine"),
                Quantity(name="references", value=float(len(cosines)), unit="files"),
            ),
            remark=f"only the first {LONGEST_S} s of the candidate were heard" if long else None,
            identity=self.identity,
        )

    def _reference(self, recording: Recording) -> Embedding:
        """An embedding that is made once for a file, by the digest that it was validated with."""
        key = recording.sha256
        if key is None:
            return self._embedding(recording)
        if key not in self._kept:
            if len(self._kept) >= KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = self._embedding(recording)
        return self._kept[key]

    def _embedding(self, recording: Recording) -> Embedding:
        import numpy as np

        from mediacheck.scoring.speech import seconds_of_speech

        assert self._encoder is not None, "prepare comes first"
        samples = recording.sound.mono(RATE)[: LONGEST_S * RATE]
        speech = seconds_of_speech(samples, RATE)
        if speech < LEAST_SPEECH_S:
            raise Unmeasurable(f"{recording.name} holds {speech:.2f} s of speech; {LEAST_SPEECH_S} s are needed")
        try:
            found = self._encoder.embed(samples)
        except Unmeasurable as error:
            raise Unmeasurable(f"{recording.name}: {error}") from error
        if not np.isfinite(found).all():
            raise Unmeasurable(f"the model gives {recording.name} no finite embedding")
        return found


def _by_speaker(item: Item) -> tuple[list[Recording], dict[str, list[Recording]]]:
    """References of the candidate's speaker, and those of each other speaker.

    A reference without a speaker is one of the candidate's. The candidate itself says nothing of its likeness: where it
    is one of several references, it is left out.

    Raises:
        Unmeasurable: it is not known which of several speakers the candidate should be, or none of them is its.
    """
    named = sorted({reference.speaker for reference in item.references if reference.speaker is not None})
    speaker = item.candidate.speaker
    if speaker is None and len(named) > 1:
        raise Unmeasurable(f"the references are of {len(named)} speakers, and it is not said which is the candidate's")
    if speaker is None:
        return _without(item.candidate, item.references), {}
    own = [reference for reference in item.references if reference.speaker in (None, speaker)]
    if not own:
        raise Unmeasurable(f"no reference is of the candidate's speaker {speaker}")
    own = _without(item.candidate, own)
    others = {
        name: [reference for reference in item.references if reference.speaker == name]
        for name in named
        if name != speaker
    }
    return own, others


def _without(candidate: Recording, references: Sequence[Recording]) -> list[Recording]:
    """Held against itself, every voice is the right one.

    Raises:
        Unmeasurable: there is no other reference.
    """
    if candidate.sha256 is None:
        return list(references)
    others = [reference for reference in references if reference.sha256 != candidate.sha256]
    if not others:
        raise Unmeasurable("the only reference is the candidate itself")
    return others


def _centroid(embeddings: list[Embedding]) -> Embedding:
    """The mean of unit vectors, of length 1 again."""
    import numpy as np

    mean: Embedding = np.mean(embeddings, axis=0)
    length = float(np.linalg.norm(mean))
    if not length > LEAST_CENTROID:
        raise Unmeasurable("the embeddings of the references cancel one another")
    return mean / length
