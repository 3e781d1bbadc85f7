"""Resemblyzer: a GE2E encoder of 256 values, whose weights come with its package."""

from __future__ import annotations

import contextlib
import io
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mediacheck.facts import Tag
from mediacheck.scoring.backends.models import chosen_device, file_sha256, require_pinned
from mediacheck.scoring.encoders.encoder import EncoderIdentity
from mediacheck.scoring.registry import require_library
from mediacheck.scoring.score import ModelIdentity
from mediacheck.scoring.scorer import ModelError, ScoringOptions, Unmeasurable
from mediacheck.scoring.speaker_rules import LEAST_SPEECH_S, RATE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mediacheck.scoring.sound import Mono


class Resemblyzer:
    """With the package's own preparation: the level raised to -30 dBFS, long pauses cut by webrtcvad."""

    def __init__(self, options: ScoringOptions) -> None:
        self._options = options
        self._encoder: Any = None
        self._identity: EncoderIdentity | None = None

    def load(self) -> None:
        require_library("resemblyzer", extra="resemblyzer", wanted_by="the speaker model resemblyzer")
        # Threads that spin while they wait take the time of those that work; read when torch is loaded.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        try:
            with warnings.catch_warnings():
                # Of pkg_resources, which webrtcvad imports, and of a module of scipy that moved.
                warnings.simplefilter("ignore")
                import torch
                from resemblyzer import VoiceEncoder, voice_encoder
        except ImportError as error:
            raise ModelError(
                f"resemblyzer cannot be imported ({error}); it needs pkg_resources: pip install 'setuptools<81'"
            ) from error
        weights = Path(voice_encoder.__file__).parent / "pretrained.pt"
        sha256 = file_sha256(weights)
        require_pinned("resemblyzer", sha256, self._options.speaker_model_sha256)
        kind, number = chosen_device(self._options.device, torch.cuda.device_count())
        with contextlib.redirect_stdout(io.StringIO()):
            self._encoder = VoiceEncoder(f"cuda:{number}" if kind == "cuda" else "cpu", verbose=False)
        self._encoder.eval()
        self._identity = EncoderIdentity(
            backend="resemblyzer",
            model=ModelIdentity(id=weights.name, sha256=sha256),
            options=(
                Tag(key="device", value=kind),
                Tag(key="pauses", value="cut by webrtcvad"),
                Tag(key="precision", value="float32"),
            ),
            libraries=("Resemblyzer", "librosa", "torch", "webrtcvad"),
        )

    @property
    def identity(self) -> EncoderIdentity:
        assert self._identity is not None, "load comes first"
        return self._identity

    def embed(self, samples: Mono) -> NDArray[np.float64]:
        import numpy as np
        from resemblyzer import preprocess_wav

        # It makes 16 bits of them for webrtcvad, where what lies beyond full scale would wrap around.
        voiced = preprocess_wav(np.clip(samples, -1.0, 1.0))
        if len(voiced) < LEAST_SPEECH_S * RATE:
            raise Unmeasurable(
                f"its voice detector leaves {len(voiced) / RATE:.2f} s of speech; {LEAST_SPEECH_S} s are needed"
            )
        found: NDArray[np.float64] = np.asarray(self._encoder.embed_utterance(voiced), np.float64)
        return found / np.linalg.norm(found)
