"""``mediacheck contracts``, through its click group."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mediacheck.cli.contracts import contracts_group
from mediacheck.errors import ContractError, MediacheckError, UsageError


def run(*arguments: str) -> Result:
    return CliRunner().invoke(contracts_group, arguments)


def test_expect_tells_the_story() -> None:
    result = run("expect", "minimax-h3-ref2va", "--frames", "362")
    assert result.exit_code == 0
    words = [line.split(maxsplit=1) for line in result.output.splitlines()]
    assert ["latents", "603"] in words
    assert ["samples", "482400"] in words
    assert ["audio_seconds", "603/40 s (15.075 s)"] in words


def test_expect_as_json() -> None:
    answer = json.loads(run("expect", "ltx-2-24k", "--frames", "249", "--fps", "50", "--json").output)
    assert answer["contract"]["id"] == "ltx-2-24k"
    assert answer["outcome"]["samples"] == 119280
    assert answer["outcome"]["audio_seconds"] == "497/100"
    assert answer["reachability"] is None


@pytest.mark.parametrize(
    ("arguments", "samples"),
    [
        (("mmaudio-44k", "--seconds", "8"), 353280),
        (("cosyvoice-2", "--tokens", "125"), 120000),
        (("cosyvoice-2", "--tokens", "125", "--set", "speed=1.2"), 99840),
        (("dac-24khz", "--input-samples", "24000"), 23992),
        (("mimi-moshi", "--input-samples", "24000", "--route", "sliced"), 24000),
        (("qwen3-omni-code2wav-transformers", "--latents", "301"), 576810),
        (("stable-audio-open-1.0", "--set", "start=0", "--set", "end=10"), 441000),
        (("minimax-h3-ref2va", "--latents", "603"), 482400),
    ],
)
def test_every_kind_of_request(arguments: tuple[str, ...], samples: int) -> None:
    assert json.loads(run("expect", *arguments, "--json").output)["outcome"]["samples"] == samples


def test_samples_ask_backward() -> None:
    found = run("expect", "minimax-h3-ref2va", "--samples", "482400", "--frames", "362")
    assert found.exit_code == 0
    assert "482400 samples with 362 frames: reachable" in found.output
    missed = run("expect", "minimax-h3-ref2va", "--samples", "483200", "--frames", "362")
    assert missed.exit_code == 1
    assert "no request of minimax-h3-ref2va gives this" in missed.output
    assert "these frames: frames = 362" in missed.output
    answer = json.loads(run("expect", "dac-24khz", "--samples", "24000", "--json").output)
    assert answer["reachability"]["below"]["samples"] == 23992


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (("expect", "minimax-h3-ref2va", "--frames", "361"), ContractError),
        (("expect", "minimax-h3-ref2va", "--frames", "x"), ContractError),
        (("expect", "minimax-h3-ref2va", "--frames", "1.5"), UsageError),
        (("expect", "minimax-h3-ref2va", "--frames", "1e999999999"), ContractError),
        (("expect", "minimax-h3-ref2va", "--set", "frames"), UsageError),
        (("expect", "minimax-h3-ref2va", "--frames", "362", "--set", "frames=362"), UsageError),
        (("expect", "minimax-h3-ref2va", "--samples", "1", "--latents", "3"), UsageError),
        (("expect", "minimax-h3-ref2va", "--samples", "-1"), UsageError),
        (("expect", "minimax-h3-ref2va"), ContractError),
        (("show", "no-such-contract"), ContractError),
        (("show", "no/such/file.toml"), ContractError),
    ],
)
def test_a_mistake_is_one_sentence(arguments: tuple[str, ...], kind: type[MediacheckError]) -> None:
    result = run(*arguments)
    assert isinstance(result.exception, kind)
    assert "\n" not in str(result.exception)
    assert not result.output


def test_list() -> None:
    lines = run("list").output.splitlines()
    assert len(lines) == 58
    assert any(line.split()[:2] == ["minimax-h3-ref2va", "verified-in-source"] for line in lines)
    assert all(item["digest"].startswith("sha256:") for item in json.loads(run("list", "--json").output))


def test_show_has_every_part() -> None:
    output = run("show", "minimax-h3-ref2va").output
    for part in (
        "status     verified-in-source: files can fail by it",
        "32000 Hz, channels 2",
        "grid 17n + 5",
        "latents = round_half_even(frames / fps * latent_rate)",
        "frames = 362 gives latents = 603",
        "diffusers: 124 to 345 frames",
        "Comfy-Org/ComfyUI PR #15224",
        "ComfyUI accepts it",
    ):
        assert part in output, part
    assert "never fails a file" in run("show", "fish_omni").output
    assert json.loads(run("show", "dac-24khz", "--json").output)["id"] == "dac-24khz"


def test_a_users_file_cannot_steer_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'schema = "mediacheck.contract/1"\nid = "mine"\nnotes = "\\u001b[2Jgone"\n[audio]\n[request]\nlatents = {}\n'
        '[formulas]\nsamples = "latents"\n'
    )
    output = run("show", str(path)).output
    assert "\x1b" not in output
    assert "gone" in output
