"""speaker on real weights (Resemblyzer) and real people, and the plumbing of speechbrain on random ones."""

from __future__ import annotations

import hashlib
import pickle
import shutil
import socket
from pathlib import Path

import numpy as np
import pytest

from examples.asterisk_voices import CLIPS, clips
from mediacheck.errors import UsageError
from mediacheck.scoring import Item, Measured, NotMeasured, Recording, Score, ScoringOptions, prepare, score_item
from mediacheck.scoring.candidate import measure_and_judge, score_candidate
from mediacheck.scoring.encoders import make_encoder
from mediacheck.scoring.scorer import ModelError
from mediacheck.scoring.summary import summarise
from mediacheck.validators import load_validator
from tests.models.conftest import ENGLISH
from tests.models.tiny_ecapa import save
from tests.needs import PROMPTS, needs_module, needs_path
from tests.unit.scoring.speech import RATE, noise, speech, wav

ITALIAN = PROMPTS / "it_IT_m_Carlo"
MARGIN = 0.15
"""By which the mean over clips of the same speaker lies above that of another speaker: 0.27 was seen."""
RESEMBLYZER = ScoringOptions(speaker_model="resemblyzer", device="cpu")

resemblyzer = [
    needs_module("resemblyzer", "soxr", "torch"),
    pytest.mark.xdist_group("resemblyzer"),
]
ecapa = [
    needs_module("soxr", "speechbrain", "torch", "torchaudio"),
    pytest.mark.xdist_group("speechbrain"),
]


def marked(marks: list[pytest.MarkDecorator]):  # type: ignore[no-untyped-def]
    def apply(test):  # type: ignore[no-untyped-def]
        for mark in marks:
            test = mark(test)
        return test

    return apply


def scored(options: ScoringOptions, candidate: Path | Recording, *references: Path) -> Score:
    recording = candidate if isinstance(candidate, Recording) else Recording(candidate, candidate.name)
    item = Item(recording, references=tuple(Recording(path, path.name) for path in references))
    (found,) = score_item(prepare(["speaker"], options), item)
    return found


def cosine(options: ScoringOptions, candidate: Path | Recording, *references: Path) -> float:
    found = scored(options, candidate, *references)
    assert isinstance(found, Measured), found
    return found.value


@marked([*resemblyzer, needs_path(ENGLISH, "prompts en_US_f_Allison"), needs_path(ITALIAN, "prompts it_IT_m_Carlo")])
def test_another_speaker_is_less_alike() -> None:
    """English against Italian, another person: by means over six clips each, and by each clip here."""
    validator = load_validator("v2")
    english = [measure_and_judge(path, validator, speaker="Allison") for path in clips("Allison")]
    italian = [measure_and_judge(path, validator, speaker="Carlo") for path in clips("Carlo")]
    assert len(english) == len(italian) == 2 * CLIPS
    scorers = prepare(["speaker"], RESEMBLYZER)
    references = [*english[CLIPS:], *italian[CLIPS:]]
    results = [score_candidate(scorers, one, references=references) for one in (*english[:CLIPS], *italian[:CLIPS])]
    summary = summarise("speaker", "cosine", results)
    assert summary.coverage == "12/12", summary.not_measured
    assert summary.control is not None
    assert summary.control.files == 12
    assert summary.control.same.value > 0.85
    assert summary.control.margin > MARGIN
    assert summary.control.same.interval is not None
    assert summary.control.other.interval is not None
    assert summary.control.same.interval.low > summary.control.other.interval.high


@marked(resemblyzer)
def test_the_similarity_by_hand(tmp_path: Path) -> None:
    """Cosines of Resemblyzer's own embeddings, with a centroid of unit vectors."""
    import soxr
    from resemblyzer import VoiceEncoder, preprocess_wav

    names = ("train-man", "boats-man", "letter-woman")
    recordings = [wav(tmp_path / f"{name}.wav", speech(name)) for name in names]
    encoder = VoiceEncoder("cpu", verbose=False)
    vectors = [
        encoder.embed_utterance(preprocess_wav(soxr.resample(speech(name).astype(np.float32), RATE, 16000)))
        for name in names
    ]
    a, b, c = (vector / np.linalg.norm(vector) for vector in vectors)
    found = scored(RESEMBLYZER, recordings[0], recordings[1].path, recordings[2].path)
    assert isinstance(found, Measured)
    centroid = (b + c) / np.linalg.norm(b + c)
    beside = {detail.name: detail.value for detail in found.details}
    assert found.value == beside["centroid"] == pytest.approx(float(a @ centroid), abs=1e-5)
    assert beside["max"] == pytest.approx(max(float(a @ b), float(a @ c)), abs=1e-5)
    assert beside["references"] == 2


@marked(resemblyzer)
def test_another_container_has_the_same_score(tmp_path: Path) -> None:
    import soundfile

    samples, reference = np.round(speech() * 32768) / 32768, wav(tmp_path / "r.wav", speech("boats-man")).path
    found = []
    for suffix in ("wav", "flac", "aiff", "caf"):
        soundfile.write(tmp_path / f"a.{suffix}", samples, RATE, subtype="PCM_16")
        found.append(cosine(RESEMBLYZER, tmp_path / f"a.{suffix}", reference))
    assert len(set(found)) == 1


@marked(resemblyzer)
def test_noise_is_no_voice(tmp_path: Path) -> None:
    found = scored(
        RESEMBLYZER, wav(tmp_path / "a.wav", 0.01 * noise(np.ones(5 * RATE))), wav(tmp_path / "r.wav", speech()).path
    )
    assert isinstance(found, NotMeasured)
    assert "its voice detector leaves" in found.reason


@marked(resemblyzer)
def test_full_scale_does_not_wrap_around(tmp_path: Path) -> None:
    """What lies beyond full scale is heard as a converter would play it: clipped."""
    loud = speech() / np.abs(speech()).max() * 1.5
    # At 16 kHz, so that nothing is resampled between the two.
    beyond = wav(tmp_path / "a.wav", loud, 16000)
    clipped = wav(tmp_path / "r.wav", np.clip(loud, -1.0, 1.0), 16000)
    assert cosine(RESEMBLYZER, beyond, clipped.path) == pytest.approx(1.0, abs=1e-9)


@marked(resemblyzer)
def test_pinned_weights(tmp_path: Path) -> None:
    import resemblyzer

    weights = Path(resemblyzer.__file__).parent / "pretrained.pt"
    digest = hashlib.sha256(weights.read_bytes()).hexdigest()
    (scorer,) = prepare(["speaker"], ScoringOptions(speaker_model="resemblyzer", speaker_model_sha256=digest))
    assert scorer.identity.model.sha256 == digest  # type: ignore[attr-defined]
    with pytest.raises(ModelError, match="not 0000"):
        prepare(["speaker"], ScoringOptions(speaker_model="resemblyzer", speaker_model_sha256="0" * 64))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("ecapa") / "tiny", names_the_hub=True)


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError(f"a connection was asked for: {arguments}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def ecapa_options(folder: Path) -> ScoringOptions:
    return ScoringOptions(speaker_model=str(folder), device="cpu")


@marked([*ecapa, pytest.mark.usefixtures("no_network")])
@pytest.mark.parametrize("names_the_hub", [False, True])
def test_a_folder_loads_without_a_network(names_the_hub: bool, tmp_path: Path) -> None:
    """Settings of published models name the Hub as the place of their weights; the folder's own are taken."""
    folder = save(tmp_path / "model", names_the_hub=names_the_hub)
    found = scored(ecapa_options(folder), wav(tmp_path / "a.wav", speech()), wav(tmp_path / "r.wav", speech()).path)
    assert isinstance(found, Measured)
    assert found.value == pytest.approx(1.0, abs=1e-6)
    assert found.identity.backend == "speechbrain"
    assert found.identity.model is not None
    assert found.identity.model.id == "model"
    assert found.identity.model.sha256 == hashlib.sha256((folder / "embedding_model.ckpt").read_bytes()).hexdigest()


@marked(ecapa)
def test_shape_and_repetition(tiny: Path) -> None:
    encoder = make_encoder(ecapa_options(tiny))
    encoder.load()
    samples = speech()[::2].astype(np.float32)
    first = encoder.embed(samples)
    assert first.shape == (24,)
    assert first.dtype == np.float64
    assert np.linalg.norm(first) == pytest.approx(1.0, abs=1e-12)
    encoder.embed(speech("boats-woman").astype(np.float32))
    assert np.array_equal(encoder.embed(samples), first)


@marked(ecapa)
def test_a_clip_alone_is_a_clip_in_a_batch_of_equal_lengths(tiny: Path) -> None:
    """And not one that is padded to another's length: that is why clips go one by one."""
    import torch

    encoder = make_encoder(ecapa_options(tiny))
    encoder.load()
    a, b = (speech(name)[:60000].astype(np.float32) for name in ("train-man", "letter-woman"))
    classifier = encoder._classifier  # type: ignore[attr-defined]
    with torch.inference_mode():
        both = classifier.encode_batch(torch.from_numpy(np.stack((a, b)))).numpy()[:, 0].astype(np.float64)
        padded = classifier.encode_batch(torch.from_numpy(np.stack((np.pad(a[:30000], (0, 30000)), b)))).numpy()[0, 0]
    for alone, row in zip((encoder.embed(a), encoder.embed(b)), both, strict=True):
        assert alone == pytest.approx(row / np.linalg.norm(row), abs=1e-5)
    assert not np.allclose(encoder.embed(a[:30000]), padded / np.linalg.norm(padded), atol=1e-3)


@marked(ecapa)
@pytest.mark.parametrize("lacks", ["folder", "hyperparams.yaml", "embedding_model.ckpt"])
def test_a_missing_model_is_one_sentence(lacks: str, tiny: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    if lacks != "folder":
        shutil.copytree(tiny, folder)
        (folder / lacks).unlink()
    with pytest.raises(ModelError, match=r"name a folder with hyperparams\.yaml and embedding_model\.ckpt"):
        prepare(["speaker"], ecapa_options(folder))


@marked([*ecapa, pytest.mark.usefixtures("no_network")])
def test_the_hub_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match=r"spkrec-ecapa-voxceleb is not in the cache .* fetch it with --download"):
        prepare(["speaker"], ScoringOptions(device="cpu"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UsageError, match="HF_HUB_OFFLINE forbids it"):
        prepare(["speaker"], ScoringOptions(device="cpu", download=True))


@marked(ecapa)
def test_a_model_in_the_hubs_cache_is_found(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    repository = tmp_path / "models--speechbrain--spkrec-ecapa-voxceleb"
    revision = "0" * 40
    shutil.copytree(tiny, repository / "snapshots" / revision)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(revision)
    (scorer,) = prepare(["speaker"], ScoringOptions(device="cpu"))
    identity = scorer.identity  # type: ignore[attr-defined]
    assert identity.model.id == "speechbrain/spkrec-ecapa-voxceleb"


class Harmful:
    """What a pickle can do when it is loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self.path,)


@marked(ecapa)
def test_weights_run_no_code(tiny: Path, tmp_path: Path) -> None:
    folder, trace = tmp_path / "model", tmp_path / "trace"
    shutil.copytree(tiny, folder)
    (folder / "embedding_model.ckpt").write_bytes(pickle.dumps(Harmful(trace), protocol=2))
    with pytest.raises(ModelError, match="cannot be loaded by speechbrain"):
        prepare(["speaker"], ecapa_options(folder))
    assert not trace.exists()
