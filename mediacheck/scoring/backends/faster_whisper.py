"""faster-whisper: the same models in CTranslate2's format; needs no torch."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mediacheck.errors import UsageError
from mediacheck.scoring.backends.models import (
    BEAM_SIZE,
    DEFAULT_WHISPER,
    FoundModel,
    chosen_device,
    file_sha256,
    refuse_download_offline,
    require_pinned,
    whisper_options,
)
from mediacheck.scoring.backends.transcriber import TranscriberIdentity
from mediacheck.scoring.registry import require_library
from mediacheck.scoring.score import ModelIdentity
from mediacheck.scoring.scorer import ModelError, ScoringOptions

if TYPE_CHECKING:
    from mediacheck.scoring.sound import Mono


class FasterWhisper:
    """Beam search at temperature 0, without the text before as a prompt, for the reasons of ``OpenaiWhisper``.

    Its batched pipeline is not used: it cuts by a voice detector, and transcripts change with that.
    """

    def __init__(self, options: ScoringOptions) -> None:
        self._options = options
        self._model: Any = None
        self._identity: TranscriberIdentity | None = None

    def load(self) -> None:
        require_library("faster_whisper", extra="faster-whisper", wanted_by="the recogniser faster-whisper")
        refuse_download_offline(self._options)
        # Threads that spin while they wait double the time in float32; read when the library is loaded.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        name = self._options.model or DEFAULT_WHISPER
        found = _find(name, self._options)
        sha256 = file_sha256(found.path / "model.bin")
        require_pinned(name, sha256, self._options.model_sha256)
        import ctranslate2
        from faster_whisper.tokenizer import _LANGUAGE_CODES

        language = self._options.language
        if language not in _LANGUAGE_CODES:
            raise UsageError(f"--language {language!r} is none that Whisper knows; write a code such as en or zh")
        kind, number = chosen_device(self._options.device, ctranslate2.get_cuda_device_count())
        precision = "float16" if kind == "cuda" else "float32"
        try:
            self._model = _loaded(str(found.path), sha256, kind, number, precision)
        except Exception as error:
            raise ModelError(
                f"the model {name} is no Whisper model of CTranslate2 ({type(error).__name__}: {error}); "
                "name a folder with model.bin and config.json, or a name such as small.en"
            ) from error
        if language != "en" and not self._model.model.is_multilingual:
            raise UsageError(f"the model {name} knows English only; choose a multilingual one for {language!r}")
        self._identity = TranscriberIdentity(
            backend="faster-whisper",
            model=ModelIdentity(id=found.id, sha256=sha256),
            options=whisper_options(kind, precision, vad="false"),
            libraries=("ctranslate2", "faster-whisper"),
        )

    @property
    def identity(self) -> TranscriberIdentity:
        assert self._identity is not None, "load comes first"
        return self._identity

    def transcribe(self, samples: Mono) -> str:
        segments, _ = self._model.transcribe(
            samples,
            language=self._options.language,
            beam_size=BEAM_SIZE,
            temperature=0.0,
            condition_on_previous_text=False,
            vad_filter=False,
        )
        return " ".join("".join(segment.text for segment in segments).split())


@lru_cache(maxsize=1)
def _loaded(path: str, sha256: str, device: str, number: int, precision: str) -> Any:
    """The model, once a process: a run in several languages has a recogniser for each, of the same weights."""
    from faster_whisper import WhisperModel

    return WhisperModel(path, device=device, device_index=number, compute_type=precision, local_files_only=True)


def _find(name: str, options: ScoringOptions) -> FoundModel:
    from faster_whisper.utils import available_models, download_model

    known = name in available_models()
    if not known and (Path(name) / "model.bin").is_file():
        return FoundModel(Path(name).resolve().name, Path(name))
    # A name with one slash may be somebody's model on the Hub.
    if not known and (name.count("/") != 1 or Path(name).exists()):
        raise ModelError(
            f"there is no model {name!r}; name a folder with model.bin and config.json, "
            f"or one of: {', '.join(available_models())}"
        )
    try:
        # The Hub's own library looks into HF_HOME or HF_HUB_CACHE, and obeys HF_HUB_OFFLINE.
        folder = Path(download_model(name, local_files_only=not options.download))
    except Exception as error:
        if options.download:
            raise ModelError(f"the model {name} could not be fetched: {' '.join(str(error).split())[:200]}") from error
        raise ModelError(
            f"the model {name} is not in the cache of the Hugging Face Hub; fetch it with --download, "
            "or name a folder that holds one with --model"
        ) from error
    if not (folder / "model.bin").is_file():
        raise ModelError(f"the model {name} is not whole in the cache; fetch it again with --download")
    return FoundModel(name, folder)
