"""The composite action: its steps are plain commands, and are run here as a runner runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.batch.runs import write_manifest
from tests.cli.run import ROOT, environment, write_cut_wav
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


@dataclass(frozen=True)
class Stepped:
    code: int
    outputs: str
    printed: str


def steps() -> list[dict[str, Any]]:
    import yaml

    found: list[dict[str, Any]] = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    return found


def run_action(folder: Path, **given: str) -> dict[str, Stepped]:
    """Every step whose condition holds, one after the other until one fails; but the one that installs."""
    import yaml

    action = yaml.safe_load((ROOT / "action.yml").read_text())
    inputs = {name: str(about["default"]) for name, about in action["inputs"].items()}
    inputs |= {"python": sys.executable, **given}
    assert inputs.keys() == action["inputs"].keys()
    done: dict[str, Stepped] = {}
    for step in action["runs"]["steps"][1:]:
        wanted = re.fullmatch(r"inputs\.(\w+) != ''", step["if"])
        assert wanted is not None
        if not inputs[wanted[1]]:
            continue
        variables = {}
        for name, value in step["env"].items():
            named = re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", value)
            assert named is not None
            variables[name] = inputs[named[1]]
        output = folder / f"{step['id']}.output"
        summary = folder / f"{step['id']}.summary"
        output.touch()
        summary.touch()
        ran = subprocess.run(
            # As the runner calls it.
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=folder,
            env=environment(
                **variables,
                GITHUB_ACTIONS="true",
                GITHUB_OUTPUT=str(output),
                GITHUB_STEP_SUMMARY=str(summary),
                PATH=os.environ["PATH"],
            ),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        done[step["id"]] = Stepped(ran.returncode, output.read_text(), ran.stdout.decode())
        if ran.returncode:
            break
    return done


def test_no_input_stands_in_the_text_of_a_script() -> None:
    for step in steps():
        assert "${{" not in step["run"]
        assert step["shell"] == "bash"


def test_paths_are_validated_whatever_their_names(tmp_path: Path) -> None:
    write_manifest(tmp_path / "two words; $(touch oops)", 2)
    done = run_action(tmp_path, paths="two words; $(touch oops)/0000.wav\n\ntwo words; $(touch oops)/0001.wav\n")
    assert done["validate"].code == 0, done["validate"].printed
    assert done["validate"].outputs == "verdict=pass\n"
    assert (tmp_path / "mediacheck.junit.xml").is_file()
    assert not (tmp_path / "oops").exists()


def test_a_bad_file_fails_the_step_and_says_so(tmp_path: Path) -> None:
    write_cut_wav(tmp_path / "cut.wav")
    done = run_action(tmp_path, paths="cut.wav", options="--jobs\n1")
    assert (done["validate"].code, done["validate"].outputs) == (1, "verdict=fail\n")


def test_a_question_that_is_wrong_gives_no_verdict(tmp_path: Path) -> None:
    done = run_action(tmp_path, paths="nowhere.wav")
    assert (done["validate"].code, done["validate"].outputs) == (2, "")


def test_a_batch_without_a_policy_is_judged_by_its_items(tmp_path: Path) -> None:
    write_manifest(tmp_path / "media", 6)
    (tmp_path / "media" / "0001.wav").unlink()
    done = run_action(tmp_path, manifest="media/manifest.jsonl", scorers="loudness\n")
    assert (done["batch"].code, done["batch"].outputs) == (1, "verdict=fail\n")
    assert "loudness: 5/6 scored" in done["batch"].printed


def test_with_a_policy_the_gate_decides(tmp_path: Path) -> None:
    write_manifest(tmp_path / "media", 30)
    (tmp_path / "media" / "0001.wav").unlink()
    (tmp_path / "policy.toml").write_text(POLICY)
    done = run_action(tmp_path, manifest="media/manifest.jsonl", policy="policy.toml", workload="test")
    assert (done["batch"].code, done["batch"].outputs) == (0, "verdict=fail\n")
    assert (done["gate"].code, done["gate"].outputs) == (0, "verdict=pass\n"), done["gate"].printed
    assert "::notice" in done["gate"].printed
    assert "valid" in (tmp_path / "gate.summary").read_text()
    assert {"mediacheck-gate.json", "mediacheck-gate.junit.xml", "mediacheck-gate.md"} <= set(os.listdir(tmp_path))
