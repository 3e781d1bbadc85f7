"""Models on this machine: which file is meant, whether it is the one that was pinned, on which device it runs."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from mediacheck.errors import UsageError
from mediacheck.facts import Tag
from mediacheck.scoring.scorer import ModelError, ScoringOptions

CHUNK = 1 << 20
DEFAULT_WHISPER = "small"
BEAM_SIZE = 5
"""Of both implementations of Whisper: their figures are compared."""


@dataclass(frozen=True)
class FoundModel:
    id: str
    """What identities call it: a known name, or a file's own name; never a path."""
    path: Path
    """The file of weights, or the folder that holds them."""


def file_sha256(path: Path) -> str:
    """Digest of a file, read in pieces.

    Raises:
        ModelError: it cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with path.open("rb", buffering=0) as file:
            while piece := file.read(CHUNK):
                digest.update(piece)
    except OSError as error:
        raise ModelError(f"the model {path} cannot be read: {error.strerror or error}") from error
    return digest.hexdigest()


def require_pinned(model: str, sha256: str, pinned: str | None) -> None:
    """Raise where weights are not the ones that were pinned.

    Raises:
        ModelError: the digests differ.
    """
    if pinned is not None and pinned.lower().removeprefix("sha256:") != sha256:
        raise ModelError(f"the weights of {model} have sha256 {sha256}, not {pinned} as pinned: use the right file")


def refuse_download_offline(options: ScoringOptions) -> None:
    """Raise where a download is asked for and forbidden at once.

    Raises:
        UsageError: ``--download`` with ``HF_HUB_OFFLINE``.
    """
    if options.download and os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        raise UsageError("--download was given, but HF_HUB_OFFLINE forbids it; take one of them back")


def split_device(device: str) -> tuple[str, int | None]:
    """``cuda:1`` as ``("cuda", 1)``; ``auto`` and ``cpu`` have no number.

    Raises:
        UsageError: it is none of auto, cpu, cuda and cuda:N.
    """
    kind, colon, number = device.partition(":")
    if kind not in ("auto", "cpu", "cuda") or (colon and (kind != "cuda" or not number.isdecimal())):
        raise UsageError(f"--device {device!r}: write auto, cpu, cuda or cuda:N")
    return kind, int(number) if colon else None


def chosen_device(device: str, cuda_devices: int) -> tuple[str, int]:
    """What to run on: the kind, and the number of the GPU (0 for the processor).

    Args:
        device: as on the command line.
        cuda_devices: how many GPUs the library sees.

    Raises:
        UsageError: a GPU is asked for that is not there.
    """
    kind, number = split_device(device)
    if kind == "cpu" or (kind == "auto" and not cuda_devices):
        return "cpu", 0
    if (number or 0) >= cuda_devices:
        raise UsageError(f"--device {device}: this machine has {cuda_devices} CUDA devices; write --device cpu")
    return "cuda", number or 0


def whisper_options(device: str, precision: str, **more: str) -> tuple[Tag, ...]:
    """How both implementations of Whisper decode, for the identity."""
    options = {
        "beam_size": f"{BEAM_SIZE}",
        "condition_on_previous_text": "false",
        "device": device,
        "precision": precision,
        "temperature": "0",
        **more,
    }
    return tuple(Tag(key=key, value=value) for key, value in options.items())
