"""The composite action: its steps are plain commands, and are run here as a runner runs them."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.batch.runs import write_manifest
from tests.cli.action import run_action, steps, verdict
from tests.cli.run import write_cut_wav, write_wav
from tests.needs import needs_module

pytestmark = needs_module("yaml")

POLICY = """\
schema = "mediacheck.policy/1"
id = "valid"
summary = "Every output is valid."

[approval]
by = "Kim"
date = "2026-11-30"
workload = "test"

[[rules]]
id = "valid"
metric = "validity_rate"
statistic = "rate"
at_least = 0.5
unit = "fraction"
minimum_count = 5
"""


def test_no_input_stands_in_the_text_of_a_script() -> None:
    for step in steps():
        assert "${{" not in step["run"]
        assert step["shell"] == "bash"


def test_it_installs_what_lies_beside_it(tmp_path: Path) -> None:
    python = tmp_path / "python 3"
    python.write_text('#!/bin/sh\nfor word; do echo "$word" >> said; done\necho >> said\n')
    python.chmod(0o755)
    folder = "/actions of/my org/mediacheck"
    for extras in ("", "whisper,speaker", "; touch oops"):
        (tmp_path / "said").unlink(missing_ok=True)
        variables = {"ACTION_FOLDER": folder, "EXTRAS": extras, "PYTHON": str(python), "PATH": os.environ["PATH"]}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", steps()[0]["run"]]
        subprocess.run(command, cwd=tmp_path, env=variables, check=True)
        installing, asking = (tmp_path / "said").read_text().strip().split("\n\n")
        assert installing.split("\n")[:3] == ["-m", "pip", "install"]
        assert installing.split("\n")[-1] == (f"{folder}[{extras}]" if extras else folder)
        assert asking.split("\n") == ["-P", "-m", "mediacheck", "--version"]


def test_paths_are_validated_whatever_their_names(tmp_path: Path) -> None:
    write_manifest(tmp_path / "two words; $(touch oops)", 2)
    done = run_action(tmp_path, paths="two words; $(touch oops)/0000.wav\n\ntwo words; $(touch oops)/0001.wav\n")
    assert done["validate"].code == 0, done["validate"].printed
    assert verdict(done) == "pass"
    assert (tmp_path / "mediacheck.junit.xml").is_file()
    assert not (tmp_path / "oops").exists()


def test_a_bad_file_fails_the_step_and_says_so(tmp_path: Path) -> None:
    write_cut_wav(tmp_path / "cut.wav")
    done = run_action(tmp_path, paths="cut.wav", options="--jobs\n1")
    assert (done["validate"].code, verdict(done)) == (1, "fail")
    assert re.search(r"(?m)^FAIL +cut.wav", done["validate"].printed)


def test_what_could_not_be_determined_is_no_pass(tmp_path: Path) -> None:
    write_wav(tmp_path / "good.wav")
    done = run_action(tmp_path, paths="good.wav", options="--expect\nlatents=3")
    assert (done["validate"].code, verdict(done)) == (3, "inconclusive")


@pytest.mark.parametrize("given", [{"paths": "nowhere.wav"}, {"paths": " \n"}, {"manifest": "nowhere.jsonl"}])
def test_a_question_that_is_wrong_decides_nothing(given: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "mediacheck.json").write_text("of an earlier call")
    done = run_action(tmp_path, **given)
    (step,) = done.values()
    assert (step.code, verdict(done)) == (2, "error"), step.printed
    assert not (tmp_path / "mediacheck.json").exists() or "manifest" in given


def test_a_gate_that_did_not_take_place_is_not_covered_up_by_its_batch(tmp_path: Path) -> None:
    write_manifest(tmp_path / "media", 2)
    (tmp_path / "policy.toml").write_text(POLICY)
    (tmp_path / "mediacheck-gate.md").write_text("of an earlier call")
    done = run_action(tmp_path, manifest="media/manifest.jsonl", policy="policy.toml", workload="another")
    assert done["batch"].verdict == "pass"
    assert (done["gate"].code, verdict(done)) == (2, "error")
    assert not list(tmp_path.glob("mediacheck-gate.*")), "what an earlier call left is shown as this one's"


NASTY = "a 'b' \"c\" $(touch oops) `touch oops`; touch oops & ${HOME} * \\"


@pytest.mark.parametrize("name", ["validator", "contract", "manifest", "policy", "baseline", "workload"])
def test_an_input_is_one_word_and_never_run(name: str, tmp_path: Path) -> None:
    write_manifest(tmp_path / "media", 1)
    (tmp_path / "policy.toml").write_text(POLICY)
    given = {"manifest": "media/manifest.jsonl", "policy": "policy.toml", "workload": "test", name: NASTY}
    done = run_action(tmp_path, **given)
    assert not list(tmp_path.rglob("oops"))
    last = list(done.values())[-1]
    # Refused by the name as a whole, which the sentence repeats.
    assert last.code == 2
    assert NASTY in last.printed or repr(NASTY) in last.printed


def test_inputs_of_several_words_are_a_word_a_line(tmp_path: Path) -> None:
    write_manifest(tmp_path / "media", 1)
    options = f"--source-revision\n{NASTY}\n\n--quiet\n"
    done = run_action(tmp_path, manifest="media/manifest.jsonl", run=NASTY, options=options, scorers="loudness\n")
    assert (done["batch"].code, verdict(done)) == (0, "pass"), done["batch"].printed
    record = tomllib.loads((tmp_path / NASTY / "run.toml").read_text())
    assert record["source_revision"] == NASTY
    assert not list(tmp_path.rglob("oops"))


def test_names_that_look_like_options_are_names(tmp_path: Path) -> None:
    write_manifest(tmp_path / "media", 2)
    (tmp_path / "media" / "manifest.jsonl").rename(tmp_path / "--help")
    for media in (tmp_path / "media").glob("*.wav"):
        media.rename(tmp_path / media.name)
    (tmp_path / "policy.toml").write_text(POLICY)
    done = run_action(tmp_path, manifest="--help", run="--version", policy="policy.toml", workload="test")
    assert (done["batch"].code, done["gate"].code) == (0, 3), done
    assert verdict(done) == "inconclusive"
    (tmp_path / "--help").rename(tmp_path / "merge")
    done = run_action(tmp_path, manifest="merge", run="another")
    assert (done["batch"].code, verdict(done)) == (0, "pass"), done


def test_modules_of_the_project_are_not_taken_for_ours(tmp_path: Path) -> None:
    write_wav(tmp_path / "good.wav")
    for name in ("click", "mediacheck", "random"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong module')")
    done = run_action(tmp_path, paths="good.wav")
    assert (done["validate"].code, verdict(done)) == (0, "pass"), done["validate"].printed


def test_the_same_again_in_a_workspace_with_a_space(tmp_path: Path) -> None:
    work = tmp_path / "my work"
    write_manifest(work / "media", 30)
    (work / "policy.toml").write_text(POLICY)
    for _ in range(2):
        done = run_action(work, manifest="media/manifest.jsonl", policy="policy.toml", workload="test")
        assert (done["gate"].code, verdict(done)) == (0, "pass")
    for number in range(20):
        write_cut_wav(work / "media" / f"{number:04}.wav")
    done = run_action(work, manifest="media/manifest.jsonl", policy="policy.toml", workload="test")
    assert (done["batch"].verdict, done["gate"].code, verdict(done)) == ("fail", 1, "fail")
    assert done["gate"].printed.count("::error ") == 2


def test_a_batch_without_a_policy_is_judged_by_its_items(tmp_path: Path) -> None:
    write_manifest(tmp_path / "media", 6)
    (tmp_path / "media" / "0001.wav").unlink()
    done = run_action(tmp_path, manifest="media/manifest.jsonl", scorers="loudness\n")
    assert (done["batch"].code, verdict(done)) == (1, "fail")
    assert "loudness: 5/6 scored" in done["batch"].printed


def test_with_a_policy_the_gate_decides(tmp_path: Path) -> None:
    write_manifest(tmp_path / "media", 30)
    (tmp_path / "media" / "0001.wav").unlink()
    (tmp_path / "policy.toml").write_text(POLICY)
    done = run_action(tmp_path, manifest="media/manifest.jsonl", policy="policy.toml", workload="test")
    assert (done["batch"].code, done["batch"].verdict) == (0, "fail")
    assert (done["gate"].code, verdict(done)) == (0, "pass"), done["gate"].printed
    assert "::notice" in done["gate"].printed
    assert "valid" in (tmp_path / "gate.summary").read_text()
    assert {"mediacheck-gate.json", "mediacheck-gate.junit.xml", "mediacheck-gate.md"} <= set(os.listdir(tmp_path))
