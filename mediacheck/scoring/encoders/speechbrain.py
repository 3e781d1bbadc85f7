"""speechbrain: ECAPA-TDNN from a folder or from the cache of the Hugging Face Hub."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mediacheck.facts import Tag
from mediacheck.scoring.backends.models import (
    chosen_device,
    file_sha256,
    refuse_download_offline,
    require_pinned,
)
from mediacheck.scoring.encoders.encoder import EncoderIdentity
from mediacheck.scoring.registry import require_library
from mediacheck.scoring.score import ModelIdentity
from mediacheck.scoring.scorer import ModelError, ScoringOptions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mediacheck.scoring.sound import Mono

DEFAULT_MODEL: Final = "speechbrain/spkrec-ecapa-voxceleb"
WEIGHTS: Final = "embedding_model.ckpt"
SETTINGS: Final = "hyperparams.yaml"
NORMALISATION: Final = "mean_var_norm_emb.ckpt"


class SpeechbrainEcapa:
    """``EncoderClassifier`` of speechbrain, in float32 on every device: a GPU gains nothing from less on one clip.

    Its ``hyperparams.yaml`` names Python classes to make, so a model's folder is as trusted as a program. The weights
    are loaded by torch's ``weights_only``.
    """

    def __init__(self, options: ScoringOptions) -> None:
        self._options = options
        self._classifier: Any = None
        self._identity: EncoderIdentity | None = None

    def load(self) -> None:
        for module in ("speechbrain", "torch"):
            require_library(module, extra="speaker", wanted_by="the speaker model of speechbrain")
        refuse_download_offline(self._options)
        # Threads that spin while they wait take the time of those that work; read when torch is loaded.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        name = self._options.speaker_model or DEFAULT_MODEL
        folder = _find(name, download=self._options.download)
        sha256 = file_sha256(folder / WEIGHTS)
        require_pinned(name, sha256, self._options.speaker_model_sha256)
        import torch

        kind, number = chosen_device(self._options.device, torch.cuda.device_count())
        self._classifier = _load(name, folder, f"cuda:{number}" if kind == "cuda" else "cpu")
        settled = {"device": kind, "precision": "float32", "settings_sha256": file_sha256(folder / SETTINGS)}
        if (folder / NORMALISATION).is_file():
            settled["normalisation_sha256"] = file_sha256(folder / NORMALISATION)
        self._identity = EncoderIdentity(
            backend="speechbrain",
            model=ModelIdentity(id=name if _is_hub_name(name) else folder.name, sha256=sha256),
            options=tuple(Tag(key=key, value=value) for key, value in settled.items()),
            libraries=("speechbrain", "torch"),
        )

    @property
    def identity(self) -> EncoderIdentity:
        assert self._identity is not None, "load comes first"
        return self._identity

    def embed(self, samples: Mono) -> NDArray[np.float64]:
        import numpy as np
        import torch

        with torch.inference_mode():
            found = self._classifier.encode_batch(torch.from_numpy(np.array(samples, np.float32))[None, :])
        values: NDArray[np.float64] = found.reshape(-1).cpu().numpy().astype(np.float64)
        return values / np.linalg.norm(values)


def _load(name: str, folder: Path, device: str) -> Any:
    try:
        from speechbrain.inference.speaker import EncoderClassifier
        from speechbrain.utils.fetching import FetchConfig
    except (ImportError, OSError) as error:
        # torchaudio is compiled for one torch, and says so only when it is loaded.
        sentence = " ".join(str(error).split())
        raise ModelError(
            f"speechbrain cannot be imported ({sentence}); install the torchaudio that is built for this torch"
        ) from error
    # Settings from the Hub name the Hub as the place of the weights, whatever folder they lie in.
    names_a_place = any(
        line.startswith("pretrained_path:") for line in (folder / SETTINGS).read_text(encoding="utf-8").splitlines()
    )
    try:
        return EncoderClassifier.from_hparams(
            source=str(folder),
            overrides={"pretrained_path": str(folder)} if names_a_place else {},
            run_opts={"device": device},
            fetch_config=FetchConfig(allow_network=False),
        )
    except Exception as error:
        sentence = " ".join(str(error).split())[:200]
        raise ModelError(
            f"the speaker model {name} cannot be loaded by speechbrain ({type(error).__name__}: {sentence}); "
            f"name a folder with {SETTINGS} and {WEIGHTS}"
        ) from error


def _find(name: str, *, download: bool) -> Path:
    """The folder of a model: itself, or the Hub's cache."""
    if not _is_hub_name(name):
        path = Path(name)
        _require_whole(name, path)
        return path.resolve()
    from huggingface_hub import snapshot_download

    try:
        # It looks into HF_HOME or HF_HUB_CACHE, and obeys HF_HUB_OFFLINE.
        found = Path(
            snapshot_download(name, local_files_only=not download, allow_patterns=["*.yaml", "*.ckpt", "*.txt"])
        )
    except Exception as error:
        if download:
            said = " ".join(str(error).split())[:200]
            raise ModelError(f"the speaker model {name} could not be fetched: {said}") from error
        raise ModelError(
            f"the speaker model {name} is not in the cache of the Hugging Face Hub; fetch it with --download, "
            "name a folder with --speaker-model, or use --speaker-model resemblyzer"
        ) from error
    _require_whole(name, found)
    return found


def _is_hub_name(name: str) -> bool:
    """speechbrain takes a folder that does not exist for a name on the Hub, so it is settled here.

    The default is a name, whatever lies in the working folder.
    """
    if name == DEFAULT_MODEL:
        return True
    return name.count("/") == 1 and not name.startswith((".", os.sep, "~")) and not Path(name).exists()


def _require_whole(name: str, folder: Path) -> None:
    for file in (SETTINGS, WEIGHTS):
        if not (folder / file).is_file():
            raise ModelError(f"the speaker model {name} lacks {file}; name a folder with {SETTINGS} and {WEIGHTS}")
