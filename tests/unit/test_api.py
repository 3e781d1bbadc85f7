from __future__ import annotations

import io
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import mediacheck
from mediacheck import serialise
from mediacheck.api import expectation
from mediacheck.expectation import Expectation
from tests.cli.run import mediacheck as run_mediacheck
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


@pytest.mark.parametrize(
    "arguments",
    [
        {"validator": 5},
        {"validator": b"v2"},
        {"validator": ""},
        {"contract": 5},
        {"contract": ""},
        {"expect": "duration=3"},
        {"expect": [("duration", 3)]},
        {"expect": {"duration": float("nan")}},
        {"expect": Expectation(duration=-1)},
        {"expect": Expectation(duration=float("nan"))},
        {"raw": 5},
        {"raw": ""},
        {"name": 5},
    ],
)
def test_arguments_of_a_wrong_kind_are_told_in_a_sentence(arguments: dict[str, object], wav: Path) -> None:
    with pytest.raises(mediacheck.UsageError):
        mediacheck.validate(wav, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("source", [None, 5, [], {}, "", "a\0b", io.StringIO("x")])
def test_sources_of_a_wrong_kind_are_told_in_a_sentence(source: object) -> None:
    with pytest.raises(mediacheck.UsageError):
        mediacheck.measure(source)  # type: ignore[arg-type]
    with pytest.raises(mediacheck.MediacheckError):
        mediacheck.judge(source)  # type: ignore[arg-type]


def test_files_that_are_closed_or_open_for_writing(wav: Path, tmp_path: Path) -> None:
    with wav.open("rb") as closed:
        pass
    with pytest.raises(mediacheck.UsageError, match="cannot be read"):
        mediacheck.measure(closed)
    with (tmp_path / "w").open("wb") as writing, pytest.raises(mediacheck.UsageError, match="cannot be read"):
        mediacheck.measure(writing)


def test_an_expectation_is_checked_as_a_mapping_is() -> None:
    assert expectation(Expectation(duration=15.075)) == Expectation(duration=Fraction("15.075"))  # type: ignore[arg-type]
    assert expectation({"tolerance": 1e-7}) == Expectation(tolerance=Fraction(1, 10**7))
    assert expectation({"duration": np.float64(0.1)}) == Expectation(duration=Fraction(1, 10))


def test_a_name_that_utf8_cannot_hold_is_escaped(wav: Path) -> None:
    assert mediacheck.measure(wav, name="a\ud800").file.name == "a\\ud800"


def test_a_strided_memoryview_and_a_numpy_string(wav: Path) -> None:
    data = wav.read_bytes()
    doubled = memoryview(b"".join(bytes([value, 0]) for value in data))[::2]
    assert mediacheck.measure(doubled).file.sha256 == mediacheck.measure(data).file.sha256
    assert mediacheck.measure(np.str_(wav)).audio[0].samples == 8000


def test_a_file_that_is_cut_while_it_is_measured_is_not_judged(wav: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mediacheck.media import measurement

    measure = measurement.measure

    def cut_after(path: Path, **arguments: object) -> mediacheck.MediaFacts:
        facts = measure(path, **arguments)  # type: ignore[arg-type]
        os.truncate(path, 1000)
        return facts

    monkeypatch.setattr(measurement, "measure", cut_after)
    with pytest.raises(mediacheck.PathError, match="changed while it was measured"):
        mediacheck.validate(wav)


def test_a_disk_that_gives_out_is_a_path_error(wav: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mediacheck.media import measurement

    def broken(path: Path, **_: object) -> mediacheck.MediaFacts:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(measurement, "measure", broken)
    with pytest.raises(mediacheck.PathError, match="Input/output error"):
        mediacheck.measure(wav)


def test_to_json_gives_the_bytes_of_the_command_line(wav: Path) -> None:
    assert (
        mediacheck.to_json(mediacheck.validate(wav))
        == run_mediacheck("validate", wav, "--json", "-", cwd=wav.parent).out
    )
