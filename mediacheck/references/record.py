"""Record the outputs of a model run as a reference set: what is good today is what later outputs are held against."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from mediacheck.references.reference_set import ABOUT, MANIFEST, Entry, ReferenceSetError, digest_of
from mediacheck.serialise import is_text

AUDIO_KEYS: Final = ("audio", "audio_filepath", "file_name")
"""Keys under which a manifest names the audio: ours, NeMo's, AudioFolder's."""
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True)
class Recorded:
    """One output of a run, and what it becomes in the set."""

    source: Path
    entry: Entry


def read_run(run: Path, *, language: str) -> tuple[Recorded, ...]:
    """The outputs that a run's manifest names.

    Args:
        run: a folder with ``manifest.jsonl``: in each line ``text``, the audio under one of ``AUDIO_KEYS`` as a path
            within the folder, and where they are known ``id`` (else the audio's name), ``language`` and ``speaker``.
        language: ISO 639-1, of lines that name none.

    Raises:
        ReferenceSetError: naming the line and what is wrong in it.
    """
    manifest = run / MANIFEST
    try:
        lines = manifest.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise ReferenceSetError(f"cannot read {manifest}: {reason}; a run is a folder with {MANIFEST}") from error
    found: list[Recorded] = []
    taken: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{manifest}, line {number}"
        recorded = _recorded(run, line, where, language)
        for name in {recorded.entry.id, recorded.entry.audio}:
            if name in taken:
                raise ReferenceSetError(
                    f"{where}: {name!r} stands in line {taken[name]} already; give each line an id of its own"
                )
            taken[name] = number
        found.append(recorded)
    if not found:
        raise ReferenceSetError(f"{manifest} holds no line; a set has at least one recording")
    return tuple(found)


def recorded_as(path: Path, *, id: str, text: str, language: str, speaker: str | None) -> Recorded:
    """An output, and the entry that it becomes: its file is named by its id."""
    audio = f"audio/{_UNSAFE.sub('_', id)}{path.suffix.lower()}"
    return Recorded(path, Entry(id=id, text=text, language=language, speaker=speaker, audio=audio))


def write_set(
    folder: Path, recorded: tuple[Recorded, ...], *, id: str, summary: str, licence: str, source: str
) -> None:
    """Write a set, whole or not at all.

    Args:
        folder: must not be there yet.
        recorded: what goes in.
        id: of the set.
        summary: one sentence.
        licence: SPDX identifier, of audio and texts.
        source: where they come from: the model, its revision, the command.

    Raises:
        ReferenceSetError: a word is empty, the folder is there, or it cannot be written.
    """
    words = {"id": id, "summary": summary, "licence": licence, "source": source}
    if odd := [key for key, value in words.items() if not is_text(value)]:
        raise ReferenceSetError(f"{odd[0]} holds bytes that are not UTF-8; write it as text")
    if empty := [key for key, value in words.items() if not value.strip()]:
        raise ReferenceSetError(f"{empty[0]} is empty; a set must say it")
    if folder.exists():
        raise ReferenceSetError(f"{folder} is there already; name a new folder")
    try:
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".mediacheck-") as held:
            made = Path(held) / "set"
            _write(made, recorded, words)
            os.rename(made, folder)
    except OSError as error:
        raise ReferenceSetError(f"cannot write {folder}: {error.strerror or error}") from error


def _write(made: Path, recorded: tuple[Recorded, ...], words: dict[str, str]) -> None:
    (made / "audio").mkdir(parents=True)
    manifest = "".join(json.dumps(_line(item.entry), ensure_ascii=False) + "\n" for item in recorded)
    (made / MANIFEST).write_text(manifest, encoding="utf-8")
    for item in recorded:
        shutil.copyfile(item.source, made / item.entry.audio)
    # A JSON string is a TOML string too.
    head = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in words.items())
    digests = "".join(
        f"{json.dumps(path)} = {json.dumps(digest_of(made / path))}\n"
        for path in (MANIFEST, *sorted(item.entry.audio for item in recorded))
    )
    (made / ABOUT).write_text(f"{head}\n[digests]\n{digests}", encoding="utf-8")


def _line(entry: Entry) -> dict[str, str]:
    values = {name: getattr(entry, name) for name in Entry.__struct_fields__}
    return {name: value for name, value in values.items() if value is not None}


def _recorded(run: Path, line: str, where: str, language: str) -> Recorded:
    try:
        given: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ReferenceSetError(f"{where} is not JSON: {error}") from error
    if not is_text(json.dumps(given, ensure_ascii=False)):
        raise ReferenceSetError(f"{where}: a string holds half a character")
    if not isinstance(given, dict) or not isinstance(given.get("text"), str):
        raise ReferenceSetError(f"{where}: write an object with text and one of {', '.join(AUDIO_KEYS)}, all strings")
    audio = next((given[key] for key in AUDIO_KEYS if isinstance(given.get(key), str)), None)
    if not audio:
        raise ReferenceSetError(f"{where}: no audio is named; write one of {', '.join(AUDIO_KEYS)}")
    path = run / audio
    if not path.resolve().is_relative_to(run.resolve()):
        raise ReferenceSetError(f"{where}: {audio!r} leads out of {run}; write a path within it")
    if not path.is_file():
        raise ReferenceSetError(f"{where}: {path} is not there")
    for key in ("id", "language", "speaker"):
        if given.get(key) is not None and not (isinstance(given[key], str) and given[key]):
            raise ReferenceSetError(f"{where}: {key} must be a string that is not empty")
    id = given.get("id") or PurePosixPath(audio).stem
    return recorded_as(
        path, id=id, text=given["text"], language=given.get("language") or language, speaker=given.get("speaker")
    )
