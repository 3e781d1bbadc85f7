"""openai-whisper: the reference implementation, in torch."""

from __future__ import annotations

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
from mediacheck.scoring.inventory import whisper_cache
from mediacheck.scoring.registry import require_library
from mediacheck.scoring.score import ModelIdentity
from mediacheck.scoring.scorer import ModelError, ScoringOptions

if TYPE_CHECKING:
    from mediacheck.scoring.sound import Mono


class OpenaiWhisper:
    """Beam search at temperature 0, without the text before as a prompt.

    Whisper's own defaults fall back to sampling, which draws from one generator for all files: a transcript would
    depend on the files before it. The prompt is left out since it lets one bad window spoil all that follow.
    """

    def __init__(self, options: ScoringOptions) -> None:
        self._options = options
        self._model: Any = None
        self._identity: TranscriberIdentity | None = None
        self._half = False

    def load(self) -> None:
        require_library("whisper", extra="whisper", wanted_by="the recogniser openai-whisper")
        refuse_download_offline(self._options)
        name = self._options.model or DEFAULT_WHISPER
        found = _find(name, self._options)
        path = found.path
        sha256 = file_sha256(path)
        require_pinned(name, sha256, self._options.model_sha256)
        import torch
        import whisper

        language = self._options.language
        if language not in whisper.tokenizer.LANGUAGES:
            raise UsageError(f"--language {language!r} is none that Whisper knows; write a code such as en or zh")
        kind, number = chosen_device(self._options.device, torch.cuda.device_count())
        self._half = kind == "cuda"
        try:
            self._model = _loaded(str(path), sha256, f"cuda:{number}" if kind == "cuda" else "cpu")
        except Exception as error:
            raise ModelError(
                f"the model {name} is not a checkpoint of openai-whisper ({type(error).__name__}); "
                "name a .pt file, or a name such as small.en"
            ) from error
        if language != "en" and not self._model.is_multilingual:
            raise UsageError(f"the model {name} knows English only; choose a multilingual one for {language!r}")
        self._identity = TranscriberIdentity(
            backend="openai-whisper",
            model=ModelIdentity(id=found.id, sha256=sha256),
            options=whisper_options(kind, "float16" if self._half else "float32"),
            libraries=("openai-whisper", "torch"),
        )

    @property
    def identity(self) -> TranscriberIdentity:
        assert self._identity is not None, "load comes first"
        return self._identity

    def transcribe(self, samples: Mono) -> str:
        result = self._model.transcribe(
            samples,
            language=self._options.language,
            beam_size=BEAM_SIZE,
            temperature=0.0,
            condition_on_previous_text=False,
            fp16=self._half,
            verbose=None,
        )
        return str(result["text"]).strip()


@lru_cache(maxsize=1)
def _loaded(path: str, sha256: str, device: str) -> Any:
    """The model, once a process: a run in several languages has a recogniser for each, of the same weights."""
    import whisper

    return whisper.load_model(path, device=device)


def _find(name: str, options: ScoringOptions) -> FoundModel:
    import whisper

    urls: dict[str, str] = whisper._MODELS
    if name not in urls:
        path = Path(name)
        if not path.is_file():
            raise ModelError(f"there is no model {name!r}; name a .pt file, or one of: {', '.join(urls)}")
        return FoundModel(path.name, path)
    folder = whisper_cache()
    *_, sha256, file_name = urls[name].split("/")
    path = folder / file_name
    if not path.is_file() and options.download:
        try:
            whisper._download(urls[name], str(folder), False)
        except (OSError, RuntimeError) as error:
            raise ModelError(f"the model {name} could not be fetched: {error}") from error
    if not path.is_file():
        raise ModelError(
            f"the model {name} is not in {folder}; fetch it with --download, name one that is there with --model, "
            f"or put {file_name} into that folder"
        )
    # OpenAI publishes the digest in the address.
    require_pinned(name, file_sha256(path), sha256)
    return FoundModel(name, path)
