"""docs/tutorial/gate-a-candidate.md, the part on voices, run as it stands: four real voices by Resemblyzer."""

from __future__ import annotations

import pytest

from examples.asterisk_voices import VOICES
from examples.gate_voices import EACH, ODD
from tests.models.following import Followed, figures, follow, outcomes, prints
from tests.models.test_gate_tutorial import PAGE
from tests.needs import PROMPTS, needs_module, needs_path, needs_program

pytestmark = [
    needs_module("resemblyzer", "soxr", "torch"),
    *(needs_path(PROMPTS / folder, f"prompts {folder}") for folder in VOICES.values()),
    needs_program("bash"),
    pytest.mark.xdist_group("resemblyzer"),
]
MAKE = "python -m examples.gate_voices"


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Followed:
    return follow(PAGE, "voices", MAKE, tmp_path_factory.mktemp("voices"))


def test_every_step_prints_what_the_page_says(followed: Followed) -> None:
    assert len(followed.steps) == 5
    for step, printed in followed.steps:
        assert prints(step.expected, printed, within=0.002), f"$ {step.command}\n{printed}"


def test_the_odd_voice_alone_fails(followed: Followed) -> None:
    code, decision = followed.gate("odd-voice", "voices-1", workload="voices")
    assert (code, decision["verdict"]) == (1, "fail")
    assert outcomes(decision) == {"validity_rate": "pass", "speaker": "inconclusive", "every-voice": "fail"}
    found = figures(decision, "every-voice")
    assert {group: figure["outcome"] for group, figure in found.items()} == {
        speaker: "fail" if speaker == ODD else "pass" for speaker in VOICES
    }
    assert {figure["n"] for figure in found.values()} == {EACH}


def test_an_equal_version_passes(followed: Followed) -> None:
    code, decision = followed.gate("voices-2", "voices-1", workload="voices")
    assert (code, decision["verdict"]) == (0, "pass")


def test_unapproved_nothing_is_decided(followed: Followed) -> None:
    code, decision = followed.gate("odd-voice", "voices-1", workload="voices", policy="open.toml")
    assert (code, decision["verdict"]) == (3, "inconclusive")


def test_the_page_prepares_what_the_test_prepares() -> None:
    assert f"{MAKE} build/voices\ncd build/voices\n" in PAGE.read_text()
