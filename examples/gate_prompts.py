"""Make four versions of real prompts: ``python -m examples.gate_prompts FOLDER``. docs/tutorial/gate-a-candidate.md
gates them.

60 English prompts of Debian's packages asterisk-core-sounds-en and asterisk-core-sounds-en-wav (CC-BY-SA), the twenty
shortest each of voicemail, of conferences and of all else, as a telephone line would bring them:

- base-1, base-2: today's system, twice. Each take of a prompt has a level and a hiss of its own.
- candidate: the same system a third time: a release that changed nothing of that.
- worse: with more hiss, and of every third prompt the end is missing.

Each version has a manifest beside its folder: base-1.jsonl, …
"""

from __future__ import annotations

import json
import sys
import wave
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from examples.asterisk_prompts import SOUNDS, prompts

RATE = 8000
EACH = 20
"""Prompts of an area."""
AREAS = {"vm-": "voicemail", "conf": "conference"}
VERSIONS = ("base-1", "base-2", "candidate", "worse")
LEVEL_DB = 2.0
"""By how much a take is louder or softer, at most."""
HISS_DB = (-24.0, -18.0)
"""Of a take, below the speech."""
MORE_HISS_DB = (-15.0, -9.0)
CUT_EVERY = 3

Samples = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Prompt:
    name: str
    text: str
    area: str
    path: Path


def chosen() -> list[Prompt]:
    """The shortest of each area, every text once, by name."""
    found: dict[str, list[Prompt]] = {}
    texts = set()
    for path, text in sorted(prompts(1000), key=lambda prompt: (len(prompt[1].split()), prompt[0])):
        area = next((area for start, area in AREAS.items() if path.name.startswith(start)), "other")
        own = found.setdefault(area, [])
        said = "".join(letter for letter in text.lower() if letter.isalnum())
        if path.parent == SOUNDS and "(" not in text and said not in texts and len(own) < EACH:
            texts.add(said)
            own.append(Prompt(path.stem, text, area, path))
    return sorted((prompt for own in found.values() for prompt in own), key=lambda prompt: prompt.name)


def read(path: Path) -> Samples:
    with wave.open(str(path)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (RATE, 1, 2)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768


def write(path: Path, samples: Samples) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(np.clip(np.round(samples * 32768), -32768, 32767).astype("<i2").tobytes())


def cut(samples: Samples) -> Samples:
    """Without what comes after the quietest 40 ms between 0.4 and 0.7 of its length."""
    width = RATE // 25
    starts = range(int(0.4 * len(samples)), int(0.7 * len(samples)) - width, width // 4)
    quietest = min(starts, key=lambda start: float(np.square(samples[start : start + width]).sum()))
    return samples[: quietest + width]


def take(samples: Samples, random: np.random.Generator, hiss_db: tuple[float, float]) -> Samples:
    """At some level, under some hiss."""
    loud = np.abs(samples) > 0.01
    speech = float(np.sqrt(np.square(samples[loud]).mean()))
    hiss = random.normal(0.0, speech * 10 ** (random.uniform(*hiss_db) / 20), len(samples))
    level = 10 ** (random.uniform(-LEVEL_DB, LEVEL_DB) / 20)
    return np.asarray(level * (samples + hiss))


def make(folder: Path) -> None:
    """Write every version with its manifest into ``folder``."""
    for number, version in enumerate(VERSIONS):
        (folder / version).mkdir(parents=True, exist_ok=True)
        lines = []
        for index, prompt in enumerate(chosen()):
            samples = read(prompt.path)
            worse = version == "worse"
            if worse and index % CUT_EVERY == 0:
                samples = cut(samples)
            random = np.random.default_rng([number, index])
            media = f"{version}/{prompt.name}.wav"
            write(folder / media, take(samples, random, MORE_HISS_DB if worse else HISS_DB))
            lines.append(
                {"id": prompt.name, "media": media, "text": prompt.text, "language": "en", "area": prompt.area}
            )
        manifest = "".join(f"{json.dumps(line)}\n" for line in lines)
        (folder / f"{version}.jsonl").write_text(manifest, encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]))
