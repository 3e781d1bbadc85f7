"""``mediacheck score`` with voices: manifests of speakers, the control in the result, models that are not here."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from mediacheck import schema
from mediacheck.cli.speakers import read_speakers
from mediacheck.errors import UsageError
from mediacheck.scoring.score import ScoresList
from tests.cli.run import ROOT, mediacheck, one_line, write_wav
from tests.needs import needs_module

SET = ROOT / "references" / "espeak-en"


@needs_module("resemblyzer", "soxr", "torch")
@pytest.mark.xdist_group("resemblyzer")
def test_a_set_of_two_voices_has_a_control(tmp_path: Path) -> None:
    """Each recording against the others of its own voice, beside those of the other."""
    ran = mediacheck(
        "score", str(SET / "audio"), "--reference", str(SET / "audio"), "--speakers", str(SET / "manifest.jsonl"),
        "--scorer", "speaker", "--speaker-model", "resemblyzer", "--device", "cpu", "--json", "out.json", cwd=tmp_path,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    document = json.loads((tmp_path / "out.json").read_bytes())
    jsonschema.validate(document, schema.schema_of(ScoresList))
    (summary,) = document["summaries"]
    assert summary["coverage"] == "8/8"
    assert summary["control"]["files"] == 8
    assert summary["control"]["margin"] > 0.15
    first = document["results"][0]["scores"][0]
    assert {detail["name"]: detail["value"] for detail in first["details"]}["references"] == 3
    assert first["control"] < first["value"] < 1.0
    assert "same speaker 0.9" in ran.text
    assert "over 8 files" in ran.text


@needs_module("soxr", "torch")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--scorer", "speaker"), "the scorer speaker needs --reference"),
        (("--scorer", "si_sdr"), "the scorer si_sdr needs --reference"),
        (("--scorer", "loudness", "--speakers", "none.jsonl"), "cannot read --speakers none.jsonl"),
        (("--scorer", "speaker", "--reference", "a.wav", "--speaker-model", "./none"), "lacks hyperparams.yaml"),
    ],
)
def test_a_wrong_question_is_one_sentence(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    if "./none" in arguments:
        pytest.importorskip("speechbrain")
    write_wav(tmp_path / "a.wav")
    ran = mediacheck("score", "a.wav", *arguments, cwd=tmp_path)
    assert ran.code == 2
    assert said in one_line(ran)


def test_scorers_of_signals_run_when_they_are_asked(tmp_path: Path) -> None:
    """Loudness of a candidate, and not of everything that has a reference: most references are not the same signal."""
    write_wav(tmp_path / "a.wav", 1.5)
    asked = mediacheck("score", "a.wav", "--scorer", "loudness", cwd=tmp_path)
    assert asked.code == 0
    assert "LUFS" in asked.text
    unasked = mediacheck("score", "a.wav", "--reference", "a.wav", "--json", "-", cwd=tmp_path)
    assert [score["scorer"] for score in unasked.json["scores"]] == ["duration_ratio"]


def test_a_missing_library_names_the_extra(tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav")
    hide = (
        "import importlib.util as u\nreal = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'pystoi' else real(name, *more)"
    )
    ran = mediacheck("score", "a.wav", "--reference", "a.wav", "--scorer", "stoi", cwd=tmp_path, before=hide)
    assert ran.code == 2
    assert "pip install 'mediacheck[quality]'" in one_line(ran)


def manifest(folder: Path, *lines: str) -> str:
    path = folder / "m.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def test_a_manifest_names_files_from_its_own_folder(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    found = read_speakers(
        [
            manifest(
                tmp_path,
                '{"audio": "x/a.wav", "speaker": "anna"}',
                "",
                '{"audio_filepath": "' + str(tmp_path / "b.wav") + '", "speaker": "carl", "text": "hi"}',
                '{"file_name": "c.wav", "speaker": null}',
                '{"file_name": "d.wav", "text": "nobody"}',
            )
        ]
    )
    assert found.of(tmp_path / "x" / "a.wav") == "anna"
    assert found.of(tmp_path / "link" / "x" / "a.wav") == "anna"
    assert found.of(tmp_path / "b.wav") == "carl"
    assert found.of(tmp_path / "c.wav") is None
    assert found.of(tmp_path / "d.wav") is None
    assert found.of(tmp_path / "elsewhere" / "a.wav") is None


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            ('{"audio": "a.wav", "speaker": "anna"}', '{"audio": "./a.wav", "speaker": "carl"}'),
            "line 2: ./a.wav is carl",
        ),
        (("no json",), "line 1 is not JSON"),
        (("[]",), "line 1: write an object with speaker"),
        (('{"audio": "a.wav", "speaker": 3}',), "line 1: write an object with speaker"),
        (('{"speaker": "anna"}',), "line 1: write an object with speaker"),
        (('{"audio": "a.wav", "text": "x"}',), "names no speaker"),
    ],
)
def test_a_wrong_manifest(lines: tuple[str, ...], said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        read_speakers([manifest(tmp_path, *lines)])
