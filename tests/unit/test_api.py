from __future__ import annotations

import io
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import mediacheck
from mediacheck import serialise
from mediacheck.api import expectation
from mediacheck.expectation import Expectation
from tests.cli.run import samples, write_wav


@pytest.fixture
def wav(tmp_path: Path) -> Path:
    write_wav(tmp_path / "a.wav")
    return tmp_path / "a.wav"


def test_paths_bytes_files_and_arrays_give_the_same_samples(wav: Path) -> None:
    array = np.array(samples(1.0, 8000), dtype=np.int16)
    with wav.open("rb") as file:
        measured = [
            mediacheck.measure(wav),
            mediacheck.measure(str(wav)),
            mediacheck.measure(wav.read_bytes()),
            mediacheck.measure(io.BytesIO(wav.read_bytes())),
            mediacheck.measure(file),
            mediacheck.measure(array, sample_rate=8000),
        ]
    assert {facts.audio[0].samples for facts in measured} == {8000}
    assert len({facts.audio[0].digest for facts in measured}) == 1
    assert [facts.file.name for facts in measured] == ["a.wav", "a.wav", "bytes", "stream", "a.wav", "array"]


def test_a_file_that_cannot_be_decoded_is_a_report(tmp_path: Path) -> None:
    report = mediacheck.validate(b"no media", name="x.wav")
    assert report.verdict == "fail"
    assert report.subject.name == "x.wav"


def test_judging_facts_gives_the_same_bytes_from_memory_and_from_a_file(wav: Path, tmp_path: Path) -> None:
    facts = mediacheck.measure(wav)
    (tmp_path / "facts.json").write_bytes(serialise.to_json(facts))
    whole = serialise.to_json(mediacheck.validate(wav, expect={"samples": 8000}))
    assert serialise.to_json(mediacheck.judge(facts, expect={"samples": 8000})) == whole
    assert serialise.to_json(mediacheck.judge(tmp_path / "facts.json", expect={"samples": 8000})) == whole


def test_expectations_are_taken_exactly() -> None:
    asked = {"duration": 15.075, "fps": Fraction(24), "samples": 482400, "audio": True, "max_duration": "61/4"}
    assert expectation(asked) == Expectation(
        duration=Fraction(603, 40), fps=Fraction(24), samples=482400, audio=True, max_duration=Fraction(61, 4)
    )
    assert expectation({}) is None
    assert expectation(None) is None
    assert expectation(Expectation()) is None


@pytest.mark.parametrize(
    "asked", [{"durtion": 1}, {"duration": float("nan")}, {"duration": float("inf")}, {"samples": 1.5}]
)
def test_wrong_expectations_are_refused(asked: dict[str, float]) -> None:
    with pytest.raises(mediacheck.UsageError):
        expectation(asked)


def test_wrong_arguments_are_refused_before_anything_is_decoded(wav: Path) -> None:
    array = np.zeros(800, dtype=np.float32)
    with pytest.raises(mediacheck.UsageError, match="sample rate"):
        mediacheck.measure(array)
    with pytest.raises(mediacheck.UsageError, match="raw="):
        mediacheck.measure(array, sample_rate=8000, raw="s16le:8000:1")
    with pytest.raises(mediacheck.UsageError, match="sample_rate="):
        mediacheck.measure(wav, sample_rate=8000)
    with pytest.raises(mediacheck.UsageError, match="cannot be measured"):
        mediacheck.measure(3)  # type: ignore[arg-type]
    with wav.open("r", encoding="latin-1") as text, pytest.raises(mediacheck.UsageError, match="mode 'rb'"):
        mediacheck.measure(text)  # type: ignore[arg-type]
    with pytest.raises(mediacheck.PathError):
        mediacheck.measure(wav.parent / "missing.wav")
    with pytest.raises(mediacheck.ValidatorError):
        mediacheck.validate(wav.parent / "missing.wav", validator="v99")
    with pytest.raises(mediacheck.ContractError):
        mediacheck.validate(wav.parent / "missing.wav", contract="no-such-model")


def test_public_names_survive_the_import_of_modules_of_the_same_name() -> None:
    import mediacheck.judge

    assert callable(mediacheck.judge)
    assert all(getattr(mediacheck, name) is not None for name in mediacheck.__all__)
    assert set(mediacheck.__all__) <= set(dir(mediacheck))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        mediacheck.nothing  # noqa: B018


def test_the_type_marker_is_there() -> None:
    assert (Path(mediacheck.__file__).parent / "py.typed").is_file()


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "saved facts"), ("{}", "schema"), ('{"schema": "mediacheck.report/1"}', "--facts"), ("[1]", "saved facts")],
)
def test_what_is_not_saved_facts_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(mediacheck.FactsError, match=reason):
        mediacheck.judge(tmp_path / "x.json")
