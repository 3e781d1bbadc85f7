"""False alarms on real recordings and on synthetic speech: at most 0.5 % of the good files may have a failing finding.

Every one that is left is named here and explained in validators/v2/README.md.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import mediacheck
from tests.needs import PROMPT_FOLDERS, needs_path, needs_program

ALLOWED_SHARE = 0.005

# Listened to and looked at: the findings are right, the recordings are not as they should be.
KNOWN = {
    ("en_US_f_Allison", "demo-moreinfo.wav"): {"audio.leading_silence"},  # 1.05 s of silence before the first word
    ("ru_RU_f_IvrvoiceRU", "is.wav"): {"media.decodable", "audio.silent"},  # a header of 44 bytes and no sample
}


def failing(path: Path) -> set[str]:
    return {f.check for f in mediacheck.validate(path, validator="v2").findings if f.outcome == "fail"}


@pytest.mark.parametrize(
    "folder", [pytest.param(f, id=f.name, marks=needs_path(f, f"prompts {f.name}")) for f in PROMPT_FOLDERS]
)
def test_real_prompts(folder: Path) -> None:
    good = sorted(p for p in folder.rglob("*.wav") if "silence" not in p.parts)
    silent = sorted(p for p in folder.rglob("*.wav") if "silence" in p.parts)
    found = {path: checks for path in good if (checks := failing(path))}
    unexplained = {
        str(path.relative_to(folder)): checks
        for path, checks in found.items()
        if KNOWN.get((folder.name, str(path.relative_to(folder)))) != checks
    }
    assert unexplained == {}
    assert len(good) > 400
    assert len(found) <= ALLOWED_SHARE * len(good)
    assert len(silent) == 10
    for path in silent:
        assert "audio.silent" in failing(path), path


SENTENCES = {
    "en-us": [
        "The quick brown fox jumps over the lazy dog.",
        "Please hold the line, your call is important to us.",
        "At noon, nine nimble robots measured 482,400 samples; none was missing.",
        "Stop! Why would anybody do that?",
        "She sells sea shells by the sea shore, and the shells she sells are sea shells, I am sure.",
    ],
    "es": [
        "El veloz murciélago hindú comía feliz cardillo y kiwi.",
        "Su llamada es muy importante para nosotros.",
        "Mañana por la mañana saldremos hacia el norte, si el tiempo lo permite.",
        "¿Quién ha cerrado la puerta?",
        "Tres tristes tigres tragaban trigo en un trigal.",
    ],
    "fr": [
        "Portez ce vieux whisky au juge blond qui fume.",
        "Votre appel est important, veuillez patienter.",
        "Le petit chat dort sur le grand fauteuil, près de la fenêtre ouverte.",
        "Où est la gare, s'il vous plaît ?",
        "Les chaussettes de l'archiduchesse sont-elles sèches, archisèches ?",
    ],
    "it": [
        "Quel vituperabile xenofobo zelante assaggia il whisky ed esclama alleluja.",
        "La sua chiamata è importante per noi.",
        "Domani mattina partiremo presto, prima che faccia caldo.",
        "Perché non rispondi?",
        "Trentatré trentini entrarono a Trento tutti e trentatré trotterellando.",
    ],
    "ru": [
        "Съешь же ещё этих мягких французских булок, да выпей чаю.",
        "Ваш звонок очень важен для нас.",
        "Завтра утром мы поедем на север, если позволит погода.",
        "Кто закрыл дверь?",
        "Карл у Клары украл кораллы, а Клара у Карла украла кларнет.",
    ],
}


@needs_program("espeak-ng")
@pytest.mark.parametrize("voice", SENTENCES)
def test_synthetic_speech(tmp_path: Path, voice: str) -> None:
    for variant in ("", "+f3", "+m5", "+croak", "+whisper"):
        for k, sentence in enumerate(SENTENCES[voice]):
            path = tmp_path / f"{voice}{variant}-{k}.wav"
            subprocess.run(["espeak-ng", "-v", voice + variant, "-w", path, sentence], check=True, timeout=60)
            assert failing(path) == set(), path.name
