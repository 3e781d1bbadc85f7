"""From real prompts to a decision: batch, calibrate, approve, gate."""

from __future__ import annotations

import json
import wave
from pathlib import Path

import numpy as np
import pytest

from tests.cli.run import Ran, mediacheck
from tests.needs import PROMPTS, needs_module, needs_path

ENGLISH = PROMPTS / "en_US_f_Allison"
COUNT = 80

pytestmark = [needs_path(ENGLISH, "Debian's asterisk-core-sounds-en-wav"), needs_module("soxr")]


def read(path: Path) -> np.ndarray:
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(float)


def write(path: Path, samples: np.ndarray) -> None:
    path.parent.mkdir(exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(np.clip(np.round(samples), -32768, 32767).astype("<i2").tobytes())


def version(folder: Path, name: str, prompts: list[Path], *, noise: float, cut: bool = False) -> None:
    """The prompts as a system would speak them again: with noise, and with a word lost where it is a bad one."""
    lines = []
    for number, prompt in enumerate(prompts):
        random = np.random.default_rng([number, *name.encode()])
        samples = read(prompt)
        if cut:
            start = len(samples) // 3
            samples[start : start + len(samples) // 5] = 0.0
        write(folder / name / prompt.name, samples + random.normal(0.0, noise * random.uniform(0.8, 1.2), len(samples)))
        lines.append({"id": prompt.stem, "media": f"{name}/{prompt.name}", "reference": f"prompts/{prompt.name}"})
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("prompts")
    prompts = [path for path in sorted(ENGLISH.glob("*.wav")) if 16_000 < path.stat().st_size < 60_000][:COUNT]
    assert len(prompts) == COUNT
    (made / "prompts").mkdir()
    for prompt in prompts:
        (made / "prompts" / prompt.name).write_bytes(prompt.read_bytes())
    for name in ("base-1", "base-2", "base-3", "equal"):
        version(made, name, prompts, noise=20.0)
    version(made, "worse", prompts, noise=120.0, cut=True)
    for name in ("five", "base-five"):
        version(made, name, prompts[:5], noise=20.0)
    for manifest in sorted(made.glob("*.jsonl")):
        ran = mediacheck("batch", manifest.name, "--run", f"runs/{manifest.stem}", "--scorer", "si_sdr", "-q", cwd=made)
        assert ran.code in (0, 1), ran.err
    ran = mediacheck(
        "calibrate", "runs/base-1", "runs/base-2", "runs/base-3", "--out", "open.toml", "--id", "prompts", cwd=made
    )
    assert ran.code == 0, ran.err
    # Who approves takes the marks away.
    text = (made / "open.toml").read_text()
    text = text.replace("# [approval]", "[approval]").replace('# by = "…"', 'by = "Ada"').replace("# date", "date")
    (made / "policy.toml").write_text(text.replace("# workload", "workload"))
    return made


def gate(folder: Path, run: str, *, policy: str = "policy.toml", baseline: str = "base-1") -> Ran:
    return mediacheck("gate", f"runs/{run}", "--baseline", f"runs/{baseline}", "--policy", policy, "--json", "-",
                      cwd=folder)  # fmt: skip


def outcomes(ran: Ran) -> dict[str, str]:
    return {rule["id"]: rule["outcome"] for rule in ran.json["rules"]}


def test_an_equal_version_passes(folder: Path) -> None:
    ran = gate(folder, "equal")
    assert (ran.code, ran.json["verdict"]) == (0, "pass")
    assert outcomes(ran) == {"validity_rate": "pass", "si_sdr": "pass"}


def test_one_with_noise_and_lost_words_fails(folder: Path) -> None:
    ran = gate(folder, "worse")
    assert (ran.code, ran.json["verdict"]) == (1, "fail")
    assert outcomes(ran)["si_sdr"] == "fail"


@pytest.mark.parametrize("run", ["equal", "worse"])
def test_unapproved_nothing_is_decided(folder: Path, run: str) -> None:
    ran = gate(folder, run, policy="open.toml")
    assert (ran.code, ran.json["verdict"]) == (3, "inconclusive")
    computed = {rule["id"]: rule["computed"] for rule in ran.json["rules"]}
    assert computed["si_sdr"] == ("pass" if run == "equal" else "fail")


def test_five_items_decide_nothing_and_the_number_needed_is_stated(folder: Path) -> None:
    policy = (folder / "policy.toml").read_text()
    start = policy.index("workload = ")
    named = policy[:start] + 'workload = "five"' + policy[policy.index("\n", start) :]
    (folder / "five.toml").write_text(named)
    ran = mediacheck("gate", "runs/five", "--baseline", "runs/base-five", "--policy", "five.toml", "--workload", "five",
                     "--json", "-", cwd=folder)  # fmt: skip
    assert (ran.code, ran.json["verdict"]) == (3, "inconclusive")
    for rule in ran.json["rules"]:
        (figure,) = rule["figures"]
        assert figure["n"] == 5
        assert figure["needed"] >= 20


def test_the_policy_is_refused_for_other_prompts(folder: Path) -> None:
    ran = gate(folder, "five", baseline="base-five")
    assert ran.code == 2
    assert "was approved for another workload" in ran.err
