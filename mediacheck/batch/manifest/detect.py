"""Which format a file has: by its content and keys first, by its suffix where they leave it open."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Collection

from mediacheck.batch.errors import ManifestError
from mediacheck.batch.manifest import kaldi, seed_tts
from mediacheck.batch.manifest.columns import MEDIA_KEYS
from mediacheck.batch.manifest.options import FORMATS, ManifestOptions
from mediacheck.batch.manifest.source import Source

_HEAD = 1 << 20
_JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")
_TABLES = {"csv": ",", "tsv": "\t"}


def detect_format(source: Source, options: ManifestOptions) -> str:
    """``jsonl`` stands for all three of JSON lines, whose keys tell them apart.

    Raises:
        ManifestError: it is empty, or no manifest that is known.
    """
    head = source.head(_HEAD)
    suffix = os.path.splitext(source.name)[1].lower()
    if head[:4] == b"PAR1":
        return "parquet"
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ManifestError(f"{source.name} is UTF-16; save it as UTF-8")
    text = head.decode("utf-8-sig", "replace")
    line = next((line for line in text.split("\n") if line.strip()), "").strip("\r")
    if not line:
        raise ManifestError(f"{source.name} is empty; a manifest names one output at least")
    if line.lstrip().startswith("[") and suffix in (*_JSON_SUFFIXES, ""):
        raise ManifestError(f"{source.name} is one JSON list; write one object a line (jq -c '.[]')")
    if _is_object(line) or suffix in _JSON_SUFFIXES:
        return "jsonl"
    if suffix == ".scp":
        return "kaldi"
    known = {*MEDIA_KEYS, "id", "text", *(column for _, column in options.columns)}
    for format, delimiter in _TABLES.items():
        if _has_column(line, delimiter, known, at_least=2):
            return format
    if suffix in (".csv", ".tsv"):
        return suffix[1:]
    if suffix == ".parquet":
        return "parquet"
    if suffix == ".lst" or len(line.split("|")) in seed_tts.FIELDS:
        return "seed-tts"
    raise ManifestError(
        f"{source.name} is no manifest that is known; the formats are {', '.join(FORMATS)}: name one with --format, "
        "and columns of other names with --column"
    )


def detect_folder(folder: str) -> tuple[str, str | None]:
    """The format of a folder, and the file in it that is read; None: all media in it.

    Raises:
        ManifestError: two files could be meant.
    """
    there = [name for name in ("metadata.jsonl", "metadata.csv") if os.path.isfile(os.path.join(folder, name))]
    if os.path.isfile(os.path.join(folder, kaldi.SCP)):
        return "kaldi", kaldi.SCP
    if len(there) > 1:
        raise ManifestError(f"the folder holds {' and '.join(there)}; name the one to read")
    return ("audiofolder", there[0]) if there else ("folder", None)


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _has_column(line: str, delimiter: str, known: Collection[str], *, at_least: int) -> bool:
    try:
        names = next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return False
    return len(names) >= at_least and any(name.strip() in known for name in names)
