#!/usr/bin/env python3
"""Convert a Whisper model in CTranslate2 format to an openai-whisper checkpoint.

faster-whisper reads Whisper models as a CTranslate2 folder (``model.bin``,
``config.json``, ...); openai-whisper wants one ``.pt`` file that holds
``{"dims": {...}, "model_state_dict": {...}}``.  The weights are the same
numbers under other names, so a float CTranslate2 model converts without loss::

    python whisper_ct2_to_openai.py CT2_FOLDER_OR_MODEL_BIN tiny.en.pt
    python -c "import whisper; whisper.load_model('tiny.en.pt')"

Needs only numpy and torch (not ctranslate2, not openai-whisper); uses no
network.

What differs between the two formats:

* the query/key/value projections of a self-attention are fused in one
  ``linear_0`` of 3*n_state rows, the key/value projections of a
  cross-attention in one ``linear_1`` of 2*n_state rows: they are split here.
  openai-whisper's key projection has no bias; CTranslate2 stores zeros there,
  which is checked and dropped;
* layer norms are called gamma/beta instead of weight/bias;
* the output projection is tied to the token embedding (an alias in
  ``model.bin``; openai-whisper ties the two itself, so it is dropped).

Whisper's ``load_model(path)`` knows no alignment heads for a file that it did
not download; they matter only for ``word_timestamps=True`` (the default then
is every head of the upper half of the decoder).  Use ``alignment_heads()``
to read them from ``config.json`` where exact word times are wanted.

Quantised models (int8, int16) are refused, since they are not lossless.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import struct
import sys
from pathlib import Path
from typing import BinaryIO

import numpy as np
import torch

# Newest version of CTranslate2's binary layout that this reader knows.
MAX_BINARY_VERSION = 6

# CTranslate2 DataType ids -> numpy types. bfloat16 (5) has no numpy type and
# is read as raw 16-bit integers, then widened.
_DTYPES = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16, 5: np.uint16}
_BFLOAT16 = 5


class ConversionError(ValueError):
    """The input is no Whisper model in a CTranslate2 layout that can be converted."""


def _take(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) != size:
        raise ConversionError("model.bin ends too early: the file is truncated or not CTranslate2's")
    return data


def _uint(stream: BinaryIO, fmt: str) -> int:
    return struct.unpack("<" + fmt, _take(stream, struct.calcsize("<" + fmt)))[0]


def _string(stream: BinaryIO) -> str:
    """A string: uint16 length (with the closing NUL), then the bytes."""
    return _take(stream, _uint(stream, "H")).rstrip(b"\0").decode("utf-8")


def read_ct2_variables(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """Read every variable of a CTranslate2 ``model.bin`` (layout version 5 and up).

    Layout, little-endian: uint32 version, string spec name, uint32 spec
    revision, uint32 count, then per variable a string name, uint8 rank, rank
    uint32 dimensions, uint8 type id, uint32 byte count and the data; then
    uint32 alias count and per alias two strings (alias, target).
    """
    with open(path, "rb") as stream:
        version = _uint(stream, "I")
        if not 5 <= version <= MAX_BINARY_VERSION:
            raise ConversionError(f"unsupported CTranslate2 binary version {version}")
        spec = _string(stream)
        _uint(stream, "I")  # revision of the spec
        if spec != "WhisperSpec":
            raise ConversionError(f"not a Whisper model: its spec is {spec!r}")

        variables: dict[str, np.ndarray] = {}
        for _ in range(_uint(stream, "I")):
            name = _string(stream)
            shape = tuple(_uint(stream, "I") for _ in range(_uint(stream, "B")))
            type_id = _uint(stream, "B")
            data = _take(stream, _uint(stream, "I"))
            if type_id not in _DTYPES:
                raise ConversionError(f"{name}: unknown data type {type_id}")
            array = np.frombuffer(data, dtype=_DTYPES[type_id])
            if type_id == _BFLOAT16:
                array = (array.astype(np.uint32) << 16).view(np.float32)
            variables[name] = array.reshape(shape)

        for _ in range(_uint(stream, "I")):
            alias, target = _string(stream), _string(stream)
            variables[alias] = variables[target]
    return variables


def _count_layers(variables: dict[str, np.ndarray], stack: str) -> int:
    prefix = f"{stack}/layer_"
    numbers = {
        name[len(prefix):].split("/")[0] for name in variables if name.startswith(prefix)
    } - {"norm"}
    return len(numbers)


def to_openai(variables: dict[str, np.ndarray]) -> tuple[dict[str, int], dict[str, np.ndarray]]:
    """Rename, split and check the variables; returns (dims, state dict)."""
    state: dict[str, np.ndarray] = {}

    def get(name: str) -> np.ndarray:
        if name + "_scale" in variables:
            raise ConversionError(f"{name} is quantised; convert a float16 or float32 model instead")
        try:
            return variables[name]
        except KeyError:
            raise ConversionError(f"variable {name!r} is missing") from None

    def linear(source: str, target: str) -> None:
        state[target + ".weight"] = get(source + "/weight")
        state[target + ".bias"] = get(source + "/bias")

    def norm(source: str, target: str) -> None:
        state[target + ".weight"] = get(source + "/gamma")
        state[target + ".bias"] = get(source + "/beta")

    def split(source: str, targets: list[str]) -> None:
        weights = np.split(get(source + "/weight"), len(targets))
        biases = np.split(get(source + "/bias"), len(targets))
        for target, weight, bias in zip(targets, weights, biases, strict=True):
            state[target + ".weight"] = weight
            if not target.endswith(".key"):
                state[target + ".bias"] = bias
            elif np.any(bias):
                raise ConversionError(f"{source}: the key projection has a bias, Whisper's has none")

    def feed_forward(source: str, target: str) -> None:
        norm(source + "/layer_norm", target + ".mlp_ln")
        linear(source + "/linear_0", target + ".mlp.0")
        linear(source + "/linear_1", target + ".mlp.2")

    def self_attention(source: str, target: str) -> None:
        norm(source + "/layer_norm", target + ".attn_ln")
        split(source + "/linear_0", [f"{target}.attn.{part}" for part in ("query", "key", "value")])
        linear(source + "/linear_1", target + ".attn.out")

    def cross_attention(source: str, target: str) -> None:
        norm(source + "/layer_norm", target + ".cross_attn_ln")
        linear(source + "/linear_0", target + ".cross_attn.query")
        split(source + "/linear_1", [f"{target}.cross_attn.{part}" for part in ("key", "value")])
        linear(source + "/linear_2", target + ".cross_attn.out")

    audio_layers = _count_layers(variables, "encoder")
    text_layers = _count_layers(variables, "decoder")

    linear("encoder/conv1", "encoder.conv1")
    linear("encoder/conv2", "encoder.conv2")
    state["encoder.positional_embedding"] = get("encoder/position_encodings/encodings")
    for i in range(audio_layers):
        self_attention(f"encoder/layer_{i}/self_attention", f"encoder.blocks.{i}")
        feed_forward(f"encoder/layer_{i}/ffn", f"encoder.blocks.{i}")
    norm("encoder/layer_norm", "encoder.ln_post")

    state["decoder.token_embedding.weight"] = get("decoder/embeddings/weight")
    state["decoder.positional_embedding"] = get("decoder/position_encodings/encodings")
    for i in range(text_layers):
        self_attention(f"decoder/layer_{i}/self_attention", f"decoder.blocks.{i}")
        cross_attention(f"decoder/layer_{i}/attention", f"decoder.blocks.{i}")
        feed_forward(f"decoder/layer_{i}/ffn", f"decoder.blocks.{i}")
    norm("decoder/layer_norm", "decoder.ln")

    if not np.array_equal(get("decoder/projection/weight"), state["decoder.token_embedding.weight"]):
        raise ConversionError("the output projection is not tied to the token embedding")

    n_vocab, n_text_state = state["decoder.token_embedding.weight"].shape
    n_audio_ctx, n_audio_state = state["encoder.positional_embedding"].shape
    dims = {
        "n_mels": int(state["encoder.conv1.weight"].shape[1]),
        "n_audio_ctx": int(n_audio_ctx),
        "n_audio_state": int(n_audio_state),
        "n_audio_head": int(get("encoder/num_heads")),
        "n_audio_layer": audio_layers,
        "n_vocab": int(n_vocab),
        "n_text_ctx": int(state["decoder.positional_embedding"].shape[0]),
        "n_text_state": int(n_text_state),
        "n_text_head": int(get("decoder/num_heads")),
        "n_text_layer": text_layers,
    }
    return dims, state


def alignment_heads(config_json: str | os.PathLike[str]) -> list[tuple[int, int]]:
    """The (layer, head) pairs of ``config.json`` that word timestamps are read from."""
    config = json.loads(Path(config_json).read_text(encoding="utf-8"))
    return [(int(layer), int(head)) for layer, head in config.get("alignment_heads", [])]


def weights_digest(state: dict[str, np.ndarray]) -> str:
    """sha256 over names, shapes and values: the same whatever torch wrote the file."""
    digest = hashlib.sha256()
    for name in sorted(state):
        digest.update(f"{name} {state[name].shape} {state[name].dtype}\n".encode())
        digest.update(np.ascontiguousarray(state[name]).tobytes())
    return digest.hexdigest()


def convert(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> dict[str, object]:
    """Convert ``source`` (folder or model.bin) to the checkpoint ``target``.

    Returns dims, the file's sha256 and the digest of the weights.  The file
    is written whole or not at all; it is saved through a buffer because
    torch.save puts a path's name into the archive, so that the same weights
    saved under two names would differ.
    """
    source, target = Path(source), Path(target)
    model_bin = source / "model.bin" if source.is_dir() else source
    dims, state = to_openai(read_ct2_variables(model_bin))

    buffer = io.BytesIO()
    torch.save(
        {
            "dims": dims,
            "model_state_dict": {
                name: torch.from_numpy(np.array(array, order="C")) for name, array in state.items()
            },
        },
        buffer,
    )
    data = buffer.getvalue()
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(target.name + ".part")
    partial.write_bytes(data)
    os.replace(partial, target)
    return {
        "dims": dims,
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "weights_sha256": weights_digest(state),
    }


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="Convert a CTranslate2 Whisper model (faster-whisper's) to an openai-whisper .pt file."
    )
    parser.add_argument("source", type=Path, help="CTranslate2 model folder, or its model.bin")
    parser.add_argument("target", type=Path, help="the .pt file to write")
    args = parser.parse_args(argv)
    try:
        report = convert(args.source, args.target)
    except (ConversionError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(json.dumps(report, indent=2))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
