"""Speaker models: what turns a voice into a vector."""

from __future__ import annotations

from mediacheck.scoring.encoders.encoder import SpeakerEncoder
from mediacheck.scoring.scorer import ScoringOptions

RESEMBLYZER = "resemblyzer"
"""The one name for ``--speaker-model`` that is no model of speechbrain."""


def make_encoder(options: ScoringOptions) -> SpeakerEncoder:
    """The speaker model of these options, not loaded yet."""
    if options.speaker_model == RESEMBLYZER:
        from mediacheck.scoring.encoders.resemblyzer import Resemblyzer

        return Resemblyzer(options)
    from mediacheck.scoring.encoders.speechbrain import SpeechbrainEcapa

    return SpeechbrainEcapa(options)


__all__ = ["RESEMBLYZER", "SpeakerEncoder", "make_encoder"]
