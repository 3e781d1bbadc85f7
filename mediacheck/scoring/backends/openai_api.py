"""Any endpoint that speaks OpenAI's ``POST /v1/audio/transcriptions``."""

from __future__ import annotations

import io
import json
import os
import urllib.error
import urllib.request
import uuid
import wave
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from mediacheck.errors import UsageError
from mediacheck.facts import Tag
from mediacheck.scoring.backends.transcriber import RATE, TranscriberIdentity
from mediacheck.scoring.score import ModelIdentity
from mediacheck.scoring.scorer import ModelError, ScoringOptions, Unmeasurable

if TYPE_CHECKING:
    from mediacheck.scoring.sound import Mono

TIMEOUT_S = 600.0
MAX_ANSWER = 10_000_000
"""Bytes."""


class OpenaiApi:
    """Sends 16 kHz mono WAV of 16 bits, asks for JSON at temperature 0.

    The key is read from OPENAI_API_KEY, the address from ``--api-url`` or OPENAI_BASE_URL. Nothing can be known of the
    model's weights: its identity has no digest.
    """

    def __init__(self, options: ScoringOptions) -> None:
        self._options = options
        self._url = ""
        self._key = os.environ.get("OPENAI_API_KEY", "")

    def load(self) -> None:
        given = self._options.api_url or os.environ.get("OPENAI_BASE_URL", "")
        if not given:
            raise UsageError("the recogniser openai-api needs an address; give --api-url http://localhost:8000/v1")
        parts = urlsplit(given)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError("--api-url: write an address such as http://localhost:8000/v1")
        if not self._options.model:
            raise UsageError("the recogniser openai-api needs the model's name at the endpoint; give --model whisper-1")
        if self._options.model_sha256 is not None:
            raise UsageError("--model-sha256 cannot be checked: an endpoint does not show its weights")
        self._url = given.rstrip("/") + "/audio/transcriptions"

    @property
    def identity(self) -> TranscriberIdentity:
        return TranscriberIdentity(
            backend="openai-api",
            model=ModelIdentity(id=self._options.model or "", sha256=None),
            options=(Tag(key="endpoint", value=_public(self._url)), Tag(key="temperature", value="0")),
            libraries=(),
        )

    def transcribe(self, samples: Mono) -> str:
        fields = {
            "model": self._options.model or "",
            "language": self._options.language,
            "response_format": "json",
            "temperature": "0",
        }
        body, content_type = _form(fields, _wav(samples))
        request = urllib.request.Request(self._url, data=body, headers={"Content-Type": content_type})
        if self._key:
            request.add_unredirected_header("Authorization", f"Bearer {self._key}")
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
                return _text(answer.read(MAX_ANSWER))
        except urllib.error.HTTPError as error:
            if error.code in (401, 403, 404):
                # The same for every file: no item's fault.
                raise ModelError(
                    f"the endpoint {_public(self._url)} answers {error.code} {error.reason}; "
                    "check --api-url, --model and OPENAI_API_KEY"
                ) from error
            raise Unmeasurable(f"the endpoint answers {error.code} {error.reason}") from error
        except (urllib.error.URLError, OSError) as error:
            raise Unmeasurable(f"the endpoint cannot be reached: {getattr(error, 'reason', error)}") from error


def _public(url: str) -> str:
    """The address without user, password, query and fragment."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    return urlunsplit((parts.scheme, f"{host}:{parts.port}" if parts.port else host, parts.path, "", ""))


def _wav(samples: Mono) -> bytes:
    import numpy as np

    held = io.BytesIO()
    with wave.open(held, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(np.round(np.clip(samples, -1.0, 1.0) * 32767.0).astype("<i2").tobytes())
    return held.getvalue()


def _form(fields: dict[str, str], wav: bytes) -> tuple[bytes, str]:
    """The request's body as multipart/form-data (RFC 7578), and its content type."""
    boundary = uuid.uuid4().hex
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="audio.wav"\r\n'
        "Content-Type: audio/wav\r\n\r\n"
    )
    parts += [head.encode(), wav, f"\r\n--{boundary}--\r\n".encode()]
    return b"".join(parts), f"multipart/form-data; boundary={boundary}"


def _text(answer: bytes) -> str:
    try:
        text = json.loads(answer)["text"]
    except (ValueError, KeyError, TypeError):
        raise Unmeasurable("the endpoint's answer is no JSON with a text") from None
    if not isinstance(text, str):
        raise Unmeasurable("the endpoint's answer is no JSON with a text")
    return text.strip()
