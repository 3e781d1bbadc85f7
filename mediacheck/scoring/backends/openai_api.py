"""Any endpoint that speaks OpenAI's ``POST /v1/audio/transcriptions``."""

from __future__ import annotations

import http.client
import io
import json
import os
import urllib.error
import urllib.request
import uuid
import wave
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

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
        # Keys read from a file end with a newline, as a rule.
        self._key = os.environ.get("OPENAI_API_KEY", "").strip()

    def load(self) -> None:
        given = self._options.api_url or os.environ.get("OPENAI_BASE_URL", "")
        if not given:
            raise UsageError("the recogniser openai-api needs an address; give --api-url http://localhost:8000/v1")
        if not _is_plain_address(given):
            raise UsageError(
                "--api-url: write an address such as http://localhost:8000/v1, without user, query or fragment; "
                "the key is read from OPENAI_API_KEY"
            )
        if not (self._key.isascii() and self._key.isprintable()):
            # It is never quoted, not even in part.
            raise UsageError("OPENAI_API_KEY holds characters that no key has; set it anew")
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
            options=(Tag(key="endpoint", value=self._url), Tag(key="temperature", value="0")),
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
            with _opener().open(request, timeout=TIMEOUT_S) as answer:
                return _text(answer.read(MAX_ANSWER + 1))
        except urllib.error.HTTPError as error:
            if error.code in (401, 403, 404):
                # The same for every file: no item's fault.
                raise ModelError(
                    f"the endpoint {self._url} answers {error.code} {error.reason}; "
                    "check --api-url, --model and OPENAI_API_KEY"
                ) from error
            raise Unmeasurable(f"the endpoint answers {error.code} {error.reason}", transient=True) from error
        except (urllib.error.URLError, OSError) as error:
            reason = f"the endpoint cannot be reached: {getattr(error, 'reason', error)}"
            raise Unmeasurable(reason, transient=True) from error
        except http.client.HTTPException as error:
            reason = f"the endpoint's answer is no HTTP, or breaks off ({type(error).__name__})"
            raise Unmeasurable(reason, transient=True) from error


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Following one, urllib would ask again without the sound, and take what comes back for its transcript."""

    def redirect_request(self, *_: object) -> None:
        return None


def _opener() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(_NoRedirect)


def _is_plain_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    plain = url.isascii() and url.isprintable() and " " not in url and port != 0
    bare = not (parts.username or parts.password or parts.query or parts.fragment)
    return plain and bare and parts.scheme in ("http", "https") and bool(parts.hostname)


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
    if len(answer) > MAX_ANSWER:
        raise Unmeasurable(f"the endpoint's answer is longer than {MAX_ANSWER} bytes", transient=True)
    try:
        text = json.loads(answer)["text"]
        text.encode()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        # ValueError: no JSON, or half a character in its text.
        raise Unmeasurable("the endpoint's answer is no JSON with a text", transient=True) from None
    return str(text).strip()
