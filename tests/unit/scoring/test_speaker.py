"""Which references count, the control, too little speech: with a voice that the test makes of a file's first sample."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mediacheck.facts import Libraries, Tag
from mediacheck.scoring import (
    Item,
    Measured,
    ModelIdentity,
    NotMeasured,
    Recording,
    Score,
    ScoringOptions,
    Unmeasurable,
    inventory,
    prepare,
    score_item,
    speaker,
)
from mediacheck.scoring.encoders.encoder import EncoderIdentity
from mediacheck.scoring.score import Identity, ScoredFile, Scores, ScoringTool, Validation
from mediacheck.scoring.speech import seconds_of_speech
from mediacheck.scoring.summary import summarise
from tests.needs import needs_module
from tests.unit.scoring.speech import noise

RATE = 16000


class Angle:
    """An embedding whose angle, in degrees, stands in the first sample."""

    def __init__(self, options: ScoringOptions) -> None:
        self.embedded = 0

    def load(self) -> None:
        pass

    identity = EncoderIdentity(
        backend="angle",
        model=ModelIdentity(id="none", sha256="0" * 64),
        options=(Tag(key="precision", value="exact"),),
        libraries=("numpy",),
    )

    def embed(self, samples: np.ndarray) -> np.ndarray:
        self.embedded += 1
        if samples[0] > 0.99:
            raise Unmeasurable("the model hears no voice")
        angle = np.deg2rad(float(samples[0]) * 360)
        return np.array([np.cos(angle), np.sin(angle)])


@pytest.fixture
def angle(monkeypatch: pytest.MonkeyPatch) -> Angle:
    encoder = Angle(ScoringOptions())
    monkeypatch.setattr(speaker, "make_encoder", lambda options: encoder)
    monkeypatch.setattr(speaker, "require_library", lambda *arguments, **more: None)
    return encoder


def voice(folder: Path, name: str, degrees: float, whose: str | None = None, seconds: float = 2.0) -> Recording:
    from tests.synthesis import write_wav

    samples = 0.2 * noise(np.ones(round(seconds * RATE)))
    samples[0] = degrees / 360
    return Recording(write_wav(folder / f"{name}.wav", samples, RATE, "f32"), f"{name}.wav", speaker=whose)


def score(candidate: Recording, *references: Recording) -> Score:
    (found,) = score_item(prepare(["speaker"], ScoringOptions()), Item(candidate, references=references))
    return found


def cosine(degrees: float) -> object:
    return pytest.approx(np.cos(np.deg2rad(degrees)), abs=1e-6)


def test_centroid_and_max_are_two_things(angle: Angle, tmp_path: Path) -> None:
    found = score(voice(tmp_path, "a", 0), voice(tmp_path, "b", 10), voice(tmp_path, "c", 50))
    assert isinstance(found, Measured)
    assert found.value == cosine(30)
    assert {detail.name: detail.value for detail in found.details} == {
        "centroid": cosine(30),
        "max": cosine(10),
        "references": 2,
    }
    assert found.control is None


def test_other_speakers_are_the_control(angle: Angle, tmp_path: Path) -> None:
    """The mean over the others, each counted once, however many recordings there are of each."""
    others = [("x", 90, "carl"), ("y", 90, "carl"), ("z", 60, "dora")]
    found = score(
        voice(tmp_path, "a", 0, "anna"),
        voice(tmp_path, "b", 20, "anna"),
        voice(tmp_path, "c", 40),
        *(voice(tmp_path, *other) for other in others),
    )
    assert isinstance(found, Measured)
    assert found.value == cosine(30)
    assert found.control == pytest.approx((0.0 + 0.5) / 2, abs=1e-6)


def test_nobody_guesses_whose_voice_it_should_be(angle: Angle, tmp_path: Path) -> None:
    two = voice(tmp_path, "b", 0, "anna"), voice(tmp_path, "c", 0, "carl")
    unnamed = score(voice(tmp_path, "a", 0), *two)
    assert isinstance(unnamed, NotMeasured)
    assert unnamed.reason == "the references are of 2 speakers, and it is not said which is the candidate's"
    stranger = score(voice(tmp_path, "a", 0, "dora"), *two)
    assert isinstance(stranger, NotMeasured)
    assert stranger.reason == "no reference is of the candidate's speaker dora"
    assert isinstance(score(voice(tmp_path, "a", 0), two[0]), Measured)


def with_digest(recording: Recording) -> Recording:
    from mediacheck.media.files import file_facts

    digest = file_facts(recording.path, recording.name).sha256
    return Recording(recording.path, recording.name, digest, recording.speaker)


@pytest.mark.parametrize("whose", [None, "anna"])
def test_a_candidate_is_not_its_own_reference(whose: str | None, angle: Angle, tmp_path: Path) -> None:
    own, other = with_digest(voice(tmp_path, "a", 0, whose)), with_digest(voice(tmp_path, "b", 60, whose))
    found = score(own, own, other)
    assert isinstance(found, Measured)
    assert found.value == cosine(60)
    alone = score(own, own)
    # Held against itself, any voice would be the right one.
    assert alone == NotMeasured(scorer="speaker", reason="the only reference is the candidate itself")


def test_references_are_embedded_once(angle: Angle, tmp_path: Path) -> None:
    scorers = prepare(["speaker"], ScoringOptions())
    references = tuple(with_digest(voice(tmp_path, name, 10)) for name in ("r", "s"))
    (tmp_path / "s.wav").write_bytes((tmp_path / "s.wav").read_bytes() + b"")
    for name in ("a", "b", "c"):
        score_item(scorers, Item(voice(tmp_path, name, 0), references=references))
    # Both references hold the same bytes: one embedding, and three candidates.
    assert angle.embedded == 4


def test_too_little_speech(angle: Angle, tmp_path: Path) -> None:
    found = score(voice(tmp_path, "a", 0, seconds=1.5), voice(tmp_path, "b", 0))
    assert isinstance(found, NotMeasured)
    assert found.reason == "a.wav holds 1.50 s of speech; 1.6 s are needed"
    found = score(voice(tmp_path, "a", 0), voice(tmp_path, "b", 0, seconds=1.5))
    assert isinstance(found, NotMeasured)
    assert found.reason.startswith("b.wav holds 1.50 s")
    assert angle.embedded == 1


def test_the_models_own_reason_names_the_file(angle: Angle, tmp_path: Path) -> None:
    found = score(voice(tmp_path, "a", 0), voice(tmp_path, "b", 359))
    assert found == NotMeasured(scorer="speaker", reason="b.wav: the model hears no voice")


def test_embeddings_that_cancel_have_no_centroid(angle: Angle, tmp_path: Path) -> None:
    found = score(voice(tmp_path, "a", 0), voice(tmp_path, "b", 0), voice(tmp_path, "c", 180))
    # Up to the rounding of a sample there is one, and it would say nothing.
    assert isinstance(found, NotMeasured)
    assert "cancel one another" in found.reason


@needs_module("soxr")
def test_only_the_first_two_minutes_are_heard(angle: Angle, tmp_path: Path) -> None:
    found = score(voice(tmp_path, "a", 0, seconds=121), voice(tmp_path, "b", 0))
    assert isinstance(found, Measured)
    assert found.remark == "only the first 120 s of the candidate were heard"


@pytest.mark.parametrize(
    ("levels_db", "speech"), [((0, -39), 2.0), ((0, -41), 1.0), ((-50, -59), 2.0), ((-50, -61), 1.0), ((-70, -61), 0.0)]
)
def test_speech_is_what_lies_within_40_db_and_above_60_dbfs(levels_db: tuple[float, float], speech: float) -> None:
    sign = np.where(np.arange(RATE) % 2, 1.0, -1.0)
    samples = np.concatenate([sign * 10 ** (level / 20) for level in levels_db]).astype(np.float32)
    assert seconds_of_speech(samples, RATE) == pytest.approx(speech)
    assert seconds_of_speech(samples[:100], RATE) == 0.0


def result(name: str, value: float, control: float | None) -> Scores:
    return Scores(
        tool=ScoringTool(name="mediacheck", version="0", libraries=Libraries()),
        subject=ScoredFile(name=name, bytes=1, sha256=None),
        validation=Validation(validator="v2", digest="sha256:0", verdict="pass"),
        scores=(
            Measured(
                scorer="speaker",
                value=value,
                unit="cosine",
                control=control,
                identity=Identity(scorer="speaker", version=1, unit="cosine"),
            ),
        ),
    )


def test_a_run_states_its_margin() -> None:
    summary = summarise("speaker", "cosine", [result("a", 0.9, 0.6), result("b", 0.8, 0.7), result("c", 0.1, None)])
    assert summary.mean is not None
    assert summary.mean.value == pytest.approx(0.6)
    assert summary.control is not None
    # The file without a control is in neither of the two.
    assert summary.control.files == 2
    assert summary.control.same.value == pytest.approx(0.85)
    assert summary.control.other.value == pytest.approx(0.65)
    assert summary.control.margin == pytest.approx(0.2)


def test_one_speaker_has_no_control() -> None:
    assert summarise("speaker", "cosine", [result("a", 0.9, None)]).control is None


def test_a_control_is_a_number() -> None:
    with pytest.raises(ValueError, match="the control of speaker is nan"):
        result("a", 0.9, float("nan"))


def test_the_doctor_finds_speaker_models(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for place in (
        "models--speechbrain--spkrec-ecapa-voxceleb/snapshots/0/embedding_model.ckpt",
        "models--a--whisper/snapshots/0/model.bin",
    ):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).touch()
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(inventory, "find_spec", lambda name: None if name == "resemblyzer" else object())
    found = {model.id: model for model in inventory.speaker_models()}
    assert found["speechbrain"].models == ("speechbrain/spkrec-ecapa-voxceleb",)
    assert found["resemblyzer"].available is False
    assert found["resemblyzer"].models == ()
