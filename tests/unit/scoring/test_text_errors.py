"""wer and cer around a recogniser that says what the test wants: edges, silence, languages, identities."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from mediacheck.facts import Tag
from mediacheck.scoring import (
    ErrorCounts,
    Item,
    Measured,
    NotMeasured,
    Recording,
    Score,
    ScoringOptions,
    prepare,
    score_item,
    text_errors,
)
from mediacheck.scoring.backends.transcriber import TranscriberIdentity
from mediacheck.scoring.score import ModelIdentity
from mediacheck.scoring.scorer import Unmeasurable
from mediacheck.scoring.transcripts import Listener
from tests.needs import needs_module
from tests.synthesis import speechlike, write_wav

pytestmark = needs_module("jiwer", "soxr")
RATE = 16000


@dataclass
class Parrot:
    """A recogniser that always hears the same."""

    says: str
    asked: list[int] = field(default_factory=list)

    def load(self) -> None:
        pass

    @property
    def identity(self) -> TranscriberIdentity:
        return TranscriberIdentity(
            backend="parrot",
            model=ModelIdentity(id="none", sha256=None),
            options=(Tag(key="beam_size", value="1"),),
            libraries=(),
        )

    def transcribe(self, samples: np.ndarray) -> str:
        assert samples.dtype == np.float32
        self.asked.append(len(samples))
        return self.says


@pytest.fixture
def speech(tmp_path: Path) -> Path:
    return write_wav(tmp_path / "speech.wav", speechlike(24000, 24000), 24000)


def heard(
    monkeypatch: pytest.MonkeyPatch,
    path: Path,
    text: str,
    parrot: Parrot,
    *ids: str,
    silent: bool = False,
    language: str = "en",
    protocol: str | None = "whisper-basic",
) -> tuple[Score, ...]:
    shared = Listener(parrot)
    monkeypatch.setattr(text_errors, "listener", lambda options: shared)
    options = ScoringOptions(language=language, protocol=protocol)
    item = Item(Recording(path, path.name), text=text, silent=silent)
    return score_item(prepare(ids or ("wer",), options), item)


def test_words_and_characters_come_from_one_transcript(monkeypatch: pytest.MonkeyPatch, speech: Path) -> None:
    parrot = Parrot("A cat sat!")
    wer, cer = heard(monkeypatch, speech, "the cat sat.", parrot, "wer", "cer")
    assert isinstance(wer, Measured)
    assert isinstance(cer, Measured)
    assert wer.value == 1 / 3
    assert cer.value == 3 / 11
    assert wer.hypothesis == "A cat sat!"
    assert wer.text == "the cat sat."
    assert parrot.asked == [16000]


def test_nothing_heard_is_all_deleted(monkeypatch: pytest.MonkeyPatch, speech: Path) -> None:
    (wer,) = heard(monkeypatch, speech, "one two", Parrot(""))
    assert isinstance(wer, Measured)
    assert wer.value == 1.0
    assert wer.counts is not None
    assert wer.counts.deletions == 2
    assert wer.remark is None


@pytest.mark.parametrize("text", ["", "  ", "...", "[noise]"])
def test_words_out_of_nothing_have_no_rate(monkeypatch: pytest.MonkeyPatch, speech: Path, text: str) -> None:
    (wer,) = heard(monkeypatch, speech, text, Parrot("peaceful silence"))
    assert isinstance(wer, NotMeasured)
    assert wer.reason.endswith("words heard: 2")


@pytest.mark.parametrize("text", ["", "  ", "...", "[noise]"])
@pytest.mark.parametrize("silent", [False, True])
def test_nothing_heard_where_nothing_was_to_be_said_is_right(
    monkeypatch: pytest.MonkeyPatch, speech: Path, text: str, silent: bool
) -> None:
    (wer,) = heard(monkeypatch, speech, text, Parrot(""), silent=silent)
    assert isinstance(wer, Measured)
    assert wer.value == 0.0
    assert wer.counts == ErrorCounts(substitutions=0, deletions=0, insertions=0, hits=0, reference=0)
    assert wer.remark is not None
    assert wer.remark.startswith("nothing was to be said")


def test_more_is_heard_than_was_said(monkeypatch: pytest.MonkeyPatch, speech: Path) -> None:
    (wer,) = heard(monkeypatch, speech, "one", Parrot("one two three four"))
    assert isinstance(wer, Measured)
    assert wer.value == 3.0


@pytest.mark.parametrize("noise", [0.0, 10 ** (-66 / 20)])
def test_silence_is_not_sent_to_the_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, noise: float) -> None:
    parrot = Parrot("Thank you for watching.")
    path = write_wav(tmp_path / "a.wav", noise * np.random.default_rng(1).standard_normal(RATE), RATE, "f32")
    (wer,) = heard(monkeypatch, path, "one two", parrot)
    assert isinstance(wer, Measured)
    assert (wer.value, wer.hypothesis) == (1.0, "")
    assert wer.remark is not None
    assert parrot.asked == []


def test_a_file_that_the_validator_found_silent_is_not_opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (wer,) = heard(monkeypatch, tmp_path / "not there.wav", "one", Parrot("no"), silent=True)
    assert isinstance(wer, Measured)
    assert wer.value == 1.0


def test_channels_that_cancel_are_not_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    x = speechlike(RATE, RATE)
    path = write_wav(tmp_path / "a.wav", np.stack([x, -x], axis=1), RATE, "f32")
    (wer,) = heard(monkeypatch, path, "one", Parrot("one"))
    assert isinstance(wer, NotMeasured)
    assert "cancel" in wer.reason


def test_a_recogniser_without_an_answer_gives_no_value(monkeypatch: pytest.MonkeyPatch, speech: Path) -> None:
    class Dumb(Parrot):
        def transcribe(self, samples: np.ndarray) -> str:
            raise Unmeasurable("the endpoint answers 500")

    (wer,) = heard(monkeypatch, speech, "one", Dumb(""))
    assert wer == NotMeasured(scorer="wer", reason="the endpoint answers 500")


def test_a_bug_in_a_library_costs_one_file(monkeypatch: pytest.MonkeyPatch, speech: Path) -> None:
    class Broken(Parrot):
        def transcribe(self, samples: np.ndarray) -> str:
            raise IndexError("list index\nout of range")

    (wer,) = heard(monkeypatch, speech, "one", Broken(""))
    reason = "the scorer failed (IndexError: list index out of range)"
    assert wer == NotMeasured(scorer="wer", reason=reason, transient=True)


def test_japanese_has_no_words_to_count(monkeypatch: pytest.MonkeyPatch, speech: Path) -> None:
    parrot = Parrot("今日は晴れ。")
    wer, cer = heard(monkeypatch, speech, "今日は 晴れ", parrot, "wer", "cer", language="ja", protocol=None)
    assert isinstance(wer, NotMeasured)
    assert "see cer" in wer.reason
    assert isinstance(cer, Measured)
    assert cer.value == 0.0
    assert Tag(key="spaces", value="left out") in cer.identity.options


def test_the_identity_says_all_that_changes_the_value(monkeypatch: pytest.MonkeyPatch, speech: Path) -> None:
    (wer,) = heard(monkeypatch, speech, "one", Parrot("one"))
    assert isinstance(wer, Measured)
    identity = wer.identity
    assert (identity.scorer, identity.backend, identity.language) == ("wer", "parrot", "en")
    assert identity.normaliser is not None
    assert identity.normaliser.id == "whisper-basic"
    assert {tag.key for tag in identity.options} == {"beam_size", "downmix", "resampler", "silence_dbfs"}
    assert {tag.key for tag in identity.libraries} == {"jiwer", "soxr"}
