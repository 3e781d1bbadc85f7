"""Gather real voices: ``python examples/asterisk_voices.py FOLDER`` copies twelve prompts of each of four speakers.

They come from Debian's packages asterisk-core-sounds-{en,fr,it,ru}-wav (CC-BY-SA). The first six of each speaker go to
``candidates``, the rest to ``references``; ``manifest.jsonl`` says whose voice each is. The Spanish prompts are not
taken: the English speaker reads them too.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

SOUNDS = Path("/usr/share/asterisk/sounds")
VOICES = {
    "Allison": "en_US_f_Allison",
    "June": "fr_CA_f_June",
    "Carlo": "it_IT_m_Carlo",
    "IvrvoiceRU": "ru_RU_f_IvrvoiceRU",
}
CLIPS = 6
BYTES = (64_000, 192_000)
"""Of the files: at 8 kHz and 16 bits, 4 to 12 s."""


def clips(speaker: str) -> list[Path]:
    """The first twelve prompts of a speaker, by name, that last 4 to 12 s."""
    found = [
        path for path in sorted((SOUNDS / VOICES[speaker]).glob("*.wav")) if BYTES[0] < path.stat().st_size < BYTES[1]
    ]
    return found[: 2 * CLIPS]


def gather(folder: Path) -> None:
    """Copy the prompts into ``folder``, with a manifest.jsonl of their speakers."""
    lines = []
    for speaker in VOICES:
        for number, path in enumerate(clips(speaker)):
            name = Path("candidates" if number < CLIPS else "references", speaker, path.name)
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, folder / name)
            lines.append(json.dumps({"audio": name.as_posix(), "speaker": speaker}))
    (folder / "manifest.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    gather(Path(sys.argv[1]))
