"""Gather real speech with transcripts: ``python examples/asterisk_prompts.py FOLDER`` copies 100 English prompts there.

They come from Debian's packages asterisk-core-sounds-en and asterisk-core-sounds-en-wav (CC-BY-SA): the first hundred
by name whose text has at least six words and speaks of nothing but speech.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sys
from pathlib import Path

SOUNDS = Path("/usr/share/asterisk/sounds/en_US_f_Allison")
TEXTS = Path("/usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz")
LEAST_WORDS = 6
LEFT_OUT = {"demo-moreinfo"}
"""It begins with more than a second of silence, which the validator v2 refuses."""


def prompts(count: int = 100) -> list[tuple[Path, str]]:
    """Files with what is said in them."""
    found: dict[Path, str] = {}
    with gzip.open(TEXTS, "rt", encoding="utf-8", errors="replace") as texts:
        lines = texts.readlines()
    for line in lines:
        name, colon, text = line.strip().partition(": ")
        path = SOUNDS / f"{name}.wav"
        # Brackets say what is heard besides speech: a tone, a beep.
        if colon and "[" not in text and len(text.split()) >= LEAST_WORDS and name not in LEFT_OUT and path.is_file():
            found[path] = " ".join(text.split())
    return sorted(found.items())[:count]


def gather(folder: Path, count: int = 100) -> None:
    """Copy the prompts into ``folder``, with a manifest.jsonl of their texts."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for path, text in prompts(count):
        name = path.relative_to(SOUNDS)
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, folder / name)
        lines.append(json.dumps({"audio": name.as_posix(), "text": text, "language": "en"}))
    (folder / "manifest.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    gather(Path(sys.argv[1]))
