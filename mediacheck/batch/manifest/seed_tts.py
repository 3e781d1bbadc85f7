"""``meta.lst`` of seed-tts-eval: ``utt|prompt_text|prompt_wav|infer_text``, and the real recording after it or not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mediacheck.batch.manifest.rows import Row
from mediacheck.batch.manifest.source import Source

COLUMNS: Final = ("id", "text", "reference")
FIELDS: Final = (4, 5)


def rows(source: Source) -> Iterator[Row]:
    for number, line in source.lines():
        where = f"line {number}"
        if line is None:
            yield Row(where, problem="it is longer than 16 MiB")
            continue
        try:
            text = line.decode().strip("\r\n")
        except UnicodeDecodeError:
            yield Row(where, problem="it is not UTF-8; save the manifest as UTF-8")
            continue
        if not text.strip():
            continue
        fields = [field.strip() for field in text.split("|")]
        if len(fields) in FIELDS:
            yield Row(where, {"id": fields[0], "text": fields[3], "reference": fields[2]})
        else:
            problem = f"it has {len(fields)} fields; write utt|prompt_text|prompt_wav|infer_text"
            yield Row(where, {"id": fields[0]} if len(fields) > 1 else {}, problem)
