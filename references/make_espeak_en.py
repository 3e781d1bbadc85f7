"""Make the reference set ``espeak-en`` anew: ``python references/make_espeak_en.py FOLDER`` (needs espeak-ng).

Other releases of espeak-ng give other samples; the digests in reference.toml are those of the files in the repository.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import soundfile

SENTENCES = {
    "boats": "The boats left the harbour before the sun came up over the hills.",
    "kitchen": "Please put the bread, the butter and two apples on the kitchen table.",
    "train": "The next train to the city leaves from platform seven at half past nine.",
    "letter": "She wrote a long letter to her brother and told him about the garden.",
}
VOICES = {"man": "en-us", "woman": "en-us+f3"}


def make(folder: Path) -> None:
    """Write audio, manifest and reference.toml into ``folder``."""
    audio = folder / "audio"
    audio.mkdir(parents=True, exist_ok=True)
    lines = []
    for speaker, voice in VOICES.items():
        for name, text in SENTENCES.items():
            wav = audio / f"{name}-{speaker}.wav"
            subprocess.run(["espeak-ng", "-v", voice, "-s", "150", "-w", str(wav), text], check=True)
            samples, rate = soundfile.read(wav, dtype="int16")
            soundfile.write(wav.with_suffix(".flac"), samples, rate, subtype="PCM_16")
            wav.unlink()
            entry = {
                "id": f"{name}-{speaker}",
                "text": text,
                "language": "en",
                "speaker": speaker,
                "audio": f"audio/{name}-{speaker}.flac",
            }
            lines.append(json.dumps(entry))
    manifest = folder / "manifest.jsonl"
    manifest.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    files = [manifest, *sorted(audio.iterdir())]
    table = "".join(f'"{path.relative_to(folder)}" = "{_digest(path)}"\n' for path in files)
    (folder / "reference.toml").write_text(HEAD + table, encoding="utf-8")


def _digest(path: Path) -> str:
    return "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()


HEAD = '''id = "espeak-en"
summary = "Four English sentences in two synthetic voices, a man's and a woman's, for demonstrations and tests."
licence = "CC0-1.0"
source = "Sentences written for mediacheck, spoken by espeak-ng 1.51 (references/make_espeak_en.py)."

[digests]
'''


if __name__ == "__main__":
    make(Path(sys.argv[1]))
