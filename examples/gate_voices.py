"""Make three versions of four real voices: ``python -m examples.gate_voices FOLDER``. docs/tutorial/gate-a-candidate.md
gates them.

32 prompts each of four speakers, from Debian's packages asterisk-core-sounds-{en,fr,it,ru}-wav (CC-BY-SA):

- voices-1, voices-2: today's system, twice. Each take of a prompt has a level and a hiss of its own.
- odd-voice: the same, but one voice of four comes out 4 % too fast and too high, as from a wrong sample rate.

Each version has a manifest beside its folder. Six more prompts of each speaker are the references.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from examples.asterisk_voices import SOUNDS, VOICES
from examples.gate_prompts import Samples, read, take, write

VERSIONS = ("voices-1", "voices-2", "odd-voice")
ODD = "Carlo"
TOO_FAST = 1.04
EACH = 32
"""Prompts of a speaker."""
REFERENCES = 6
BYTES = (48_000, 130_000)
"""Of the files: at 8 kHz and 16 bits, 3 to 8 s."""
HISS_DB = (-36.0, -30.0)


def chosen(speaker: str) -> list[Path]:
    """References, then items: the first prompts of a speaker, by name, that last 3 to 8 s."""
    found = [
        path for path in sorted((SOUNDS / VOICES[speaker]).glob("*.wav")) if BYTES[0] < path.stat().st_size < BYTES[1]
    ]
    return found[: REFERENCES + EACH]


def faster(samples: Samples, factor: float) -> Samples:
    """As if played at a rate that is higher by this factor."""
    places = np.arange(0.0, len(samples) - 1, factor)
    return np.interp(places, np.arange(len(samples)), samples)


def make(folder: Path) -> None:
    """Write references and every version with its manifest into ``folder``."""
    lines: dict[str, list[str]] = {version: [] for version in VERSIONS}
    for voice, speaker in enumerate(VOICES):
        paths = chosen(speaker)
        references = [f"references/{speaker}/{path.name}" for path in paths[:REFERENCES]]
        for path, name in zip(paths, references, strict=False):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            write(folder / name, read(path))
        for number, version in enumerate(VERSIONS):
            (folder / version / speaker).mkdir(parents=True, exist_ok=True)
            for index, path in enumerate(paths[REFERENCES:]):
                samples = read(path)
                if version == "odd-voice" and speaker == ODD:
                    samples = faster(samples, TOO_FAST)
                random = np.random.default_rng([number, voice, index])
                media = f"{version}/{speaker}/{path.name}"
                write(folder / media, take(samples, random, HISS_DB))
                line = {"id": f"{speaker}/{path.stem}", "media": media, "speaker": speaker, "reference": references}
                lines[version].append(f"{json.dumps(line)}\n")
    for version, own in lines.items():
        (folder / f"{version}.jsonl").write_text("".join(own), encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]))
