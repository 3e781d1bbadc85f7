from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.run import mediacheck, one_line, samples, write_cut_wav, write_wav


@pytest.fixture
def media(tmp_path: Path) -> Path:
    write_wav(tmp_path / "good.wav")
    write_cut_wav(tmp_path / "cut.wav")
    return tmp_path


def test_a_good_file_passes(media: Path) -> None:
    ran = mediacheck("validate", "good.wav", cwd=media)
    assert ran.code == 0
    assert ran.text.startswith("PASS  good.wav\n  wav; pcm_s16le 8000 Hz mono, 0:00:01.000 (8000 samples); 16.0 kB\n")
    assert ran.err == ""


def test_a_cut_file_fails_and_says_so(media: Path) -> None:
    ran = mediacheck("validate", "cut.wav", cwd=media)
    assert ran.code == 1
    assert ran.text.startswith("FAIL  cut.wav\n")
    assert "fail  media.complete:" in ran.text


@pytest.mark.parametrize("content", [b"", b"<html>no media</html>", b"RIFF"])
def test_what_is_not_media_fails_with_a_report(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.mp3").write_bytes(content)
    ran = mediacheck("validate", "x.mp3", "--json", "-", cwd=tmp_path)
    assert ran.code == 1
    assert ran.json["verdict"] == "fail"
    failed = [finding["check"] for finding in ran.json["findings"] if finding["outcome"] == "fail"]
    assert "media.decodable" in failed


def test_several_files_give_a_list_a_table_and_the_worst_exit_code(media: Path) -> None:
    ran = mediacheck("validate", "good.wav", "cut.wav", "-o", "r.json", cwd=media)
    assert ran.code == 1
    document = json.loads((media / "r.json").read_text())
    assert document["schema"] == "mediacheck.reports/1"
    assert [report["subject"]["name"] for report in document["reports"]] == ["good.wav", "cut.wav"]
    assert "2 files: 1 fail, 0 inconclusive, 1 pass" in ran.text


def test_json_alone_owns_standard_output(media: Path) -> None:
    (media / "notes.txt").write_text("not media")
    ran = mediacheck("validate", ".", "--json", "-", cwd=media)
    assert ran.json["schema"] == "mediacheck.reports/1"
    assert ran.err == "mediacheck: 1 file is not media by the suffix, and left out\n"


def test_two_runs_give_the_same_bytes_whatever_the_jobs(media: Path) -> None:
    first = mediacheck("validate", ".", "--json", "-", "--jobs", "1", cwd=media)
    second = mediacheck("validate", ".", "--json", "-", "--jobs", "3", cwd=media)
    assert first.out == second.out
    assert str(media).encode() not in first.out


def test_judging_saved_facts_gives_the_same_bytes(media: Path) -> None:
    first = mediacheck("validate", "cut.wav", "--json", "-", "--facts", "facts", "--expect", "samples=8000", cwd=media)
    again = mediacheck("judge", "facts/cut.wav.facts.json", "--json", "-", "--expect", "samples=8000", cwd=media)
    assert again.out == first.out
    assert again.code == first.code == 1


def test_standard_input_is_measured(media: Path) -> None:
    ran = mediacheck("validate", "-", "--json", "-", cwd=media, input=(media / "good.wav").read_bytes())
    assert ran.code == 0
    assert ran.json["subject"]["name"] == "stdin"


def test_raw_pcm_is_measured(tmp_path: Path) -> None:
    values = samples(1.0, 8000)
    (tmp_path / "x.pcm").write_bytes(b"".join(value.to_bytes(2, "little", signed=True) for value in values))
    ran = mediacheck(
        "validate", "x.pcm", "--raw", "s16le:8000:1", "--expect", "samples=8000", "--json", "-", cwd=tmp_path
    )
    assert ran.code == 0
    assert ran.json["facts"]["streams"][0]["samples"] == 8000


def test_junit_is_written(media: Path) -> None:
    assert mediacheck("validate", ".", "--junit", "a.xml", "-o", "b.junit.xml", cwd=media).code == 1
    root = ElementTree.parse(media / "a.xml").getroot()
    assert [suite.get("name") for suite in root] == ["cut.wav", "good.wav"]
    assert int(root.get("failures", "0")) >= 1
    assert (media / "a.xml").read_bytes() == (media / "b.junit.xml").read_bytes()


def test_quiet_prints_nothing(media: Path) -> None:
    ran = mediacheck("validate", "good.wav", "--quiet", cwd=media)
    assert (ran.code, ran.out, ran.err) == (0, b"", "")


def test_equal_names_in_different_folders_stay_apart(media: Path) -> None:
    for folder in ("a", "b"):
        (media / folder).mkdir()
        write_wav(media / folder / "x.wav")
    ran = mediacheck("validate", "a/x.wav", "b/x.wav", "--json", "-", "--facts", "facts", cwd=media)
    assert [report["subject"]["name"] for report in ran.json["reports"]] == ["a/x.wav", "b/x.wav"]
    assert sorted(path.relative_to(media).as_posix() for path in media.glob("facts/*/*")) == [
        "facts/a/x.wav.facts.json",
        "facts/b/x.wav.facts.json",
    ]


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="file names are not bytes there")
def test_hostile_names_break_no_output(tmp_path: Path) -> None:
    names = [b"line\nbreak.wav", b"\x1b[31mred.wav", b"latin-\xe9.wav", b"[bold]markup.wav", b'<&">.wav', b"-\x01.wav"]
    for name in names:
        write_wav(os.path.join(os.fsencode(tmp_path), name))
    ran = mediacheck("validate", ".", "-o", "r.json", "-o", "r.xml", "--facts", "facts", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "\x1b" not in ran.text
    assert "[bold]markup.wav" in ran.text
    reports = json.loads((tmp_path / "r.json").read_bytes())["reports"]
    assert "latin-\\xe9.wav" in [report["subject"]["name"] for report in reports]
    assert len(ElementTree.parse(tmp_path / "r.xml").getroot()) == len(names)
    assert len(os.listdir(tmp_path / "facts")) == len(names)


def test_colours_only_where_wanted(media: Path) -> None:
    assert b"\x1b" not in mediacheck("validate", "good.wav", cwd=media).out


def refusals(media: Path) -> dict[tuple[str, ...], str]:
    return {
        ("nope.wav",): "nope.wav does not exist",
        ("good.wav", "--validator", "v99"): "v99",
        ("good.wav", "--contract", "no-such-model"): "no-such-model",
        ("good.wav", "--expect", "durtion=1"): "durtion",
        ("good.wav", "--expect", "samples=1.5"): "whole number",
        ("good.wav", "--raw", "s99:1"): "s99",
        ("good.wav", "--jobs", "0"): "--jobs",
        ("good.wav", "--frob"): "--frob",
        ("good.wav", "-o", "r.pdf"): ".junit.xml",
        ("good.wav", "--json", "nowhere/r.json"): "nowhere",
        ("good.wav", "--json", "good.wav"): "good.wav",
        ("good.wav", "--json", "a", "--junit", "a"): "two results",
        ("empty",): "holds no media file",
        ("",): "empty path",
    }


def test_wrong_usage_is_one_line_and_exit_code_2(media: Path) -> None:
    (media / "empty").mkdir()
    before = (media / "good.wav").read_bytes()
    for arguments, part in refusals(media).items():
        ran = mediacheck("validate", *arguments, "--facts", "facts", cwd=media)
        assert ran.code == 2, arguments
        assert part in one_line(ran), arguments
        assert not list(media.glob("facts/*")), arguments
    assert (media / "good.wav").read_bytes() == before


def test_a_malformed_contract_is_refused(media: Path) -> None:
    (media / "c.toml").write_text("schema = 1")
    ran = mediacheck("validate", "good.wav", "--contract", "c.toml", cwd=media)
    assert ran.code == 2
    assert "c.toml" in one_line(ran)


def test_no_path_at_all_is_refused(tmp_path: Path) -> None:
    ran = mediacheck("validate", cwd=tmp_path)
    assert ran.code == 2
    one_line(ran)
