"""Where the reference implementations' doubles part from exact arithmetic: the counts that the sources' table gives."""

from __future__ import annotations

from fractions import Fraction

import pytest

from mediacheck.arithmetic import compile_expression
from mediacheck.contracts import load_contract
from mediacheck.resources import validators_root

TENTHS = [Fraction(n, 10) for n in range(1, 6001)]
HUNDREDTHS = [Fraction(n, 100) for n in range(1, 4801)]
COUNTS = [Fraction(n) for n in range(1, 1001)]
GRID = [Fraction(n) for n in range(1, 2002, 8)]


def parting(name: str, formula: str, variable: str, values: list[Fraction], **given: int | Fraction) -> list[Fraction]:
    """The values for which ``formula`` gives another count without its ``float64``."""
    route = load_contract(name).routes[-1]
    text = next(f.expression for f in route.formulas if f.name == formula)
    assert "float64(" in text
    as_code, exact = compile_expression(text), compile_expression(text.replace("float64(", "("))
    known = {constant.name: constant.value for constant in route.constants}
    known |= {key: Fraction(value) for key, value in given.items()}
    return [x for x in values if as_code.evaluate({**known, variable: x}) != exact.evaluate({**known, variable: x})]


def test_ltx_2_at_50_fps() -> None:
    found = parting("ltx-2-24k", "latents", "frames", GRID, fps=50)
    assert len(found) == 16
    assert found[:6] == [249, 465, 473, 897, 905, 913]
    contract = load_contract("ltx-2-24k")
    half_up = compile_expression("round_half_up(frames / 50 * 25)")
    other = [x for x in GRID if half_up.evaluate({"frames": x}) != contract.forward(frames=x, fps=50).latents]
    assert (len(other), other[:6]) == (235, [1, 9, 17, 25, 33, 41])


def test_ltx_2_at_30_fps() -> None:
    assert parting("ltx-2-24k", "latents", "frames", GRID, fps=30) == [153, 537, 969, 1089, 1209, 1953]


@pytest.mark.parametrize("fps", [Fraction(24), Fraction(25), Fraction(60), Fraction(30000, 1001)])
def test_ltx_2_at_other_rates_agrees(fps: Fraction) -> None:
    assert parting("ltx-2-24k", "latents", "frames", GRID, fps=fps) == []


def test_hunyuanvideo_foley() -> None:
    found = parting("hunyuanvideo-foley", "latents", "frames", COUNTS)
    assert len(found) == 69
    assert found[:6] == [29, 57, 58, 113, 114, 115]
    contract = load_contract("hunyuanvideo-foley")
    assert contract.forward(frames=29).latents == 57
    assert contract.forward(frames=257).samples == 960 * 514 - 1


def test_ace_step() -> None:
    found = parting("ace-step-1.5", "latents", "seconds", TENTHS)
    assert len(found) == 231
    assert found[:6] == [Fraction(tenths, 10) for tenths in (22, 44, 88, 98, 166, 176)]
    assert parting("ace-step-v1", "latents", "seconds", TENTHS) == []


@pytest.mark.parametrize(
    ("name", "formula", "variable"),
    [("stable-audio-open-1.0", "last", "end"), ("stable-audio-3", "samples", "seconds")],
)
def test_stable_audio(name: str, formula: str, variable: str) -> None:
    found = parting(name, formula, variable, HUNDREDTHS, window=2048 * 1024)
    assert len(found) == 373
    assert found[:6] == [Fraction(n, 100) for n in (35, 57, 69, 70, 113, 114)]


@pytest.mark.parametrize("name", ["mmaudio-44k", "mmaudio-16k"])
def test_mmaudio_agrees(name: str) -> None:
    assert parting(name, "latents", "seconds", TENTHS[:300]) == []


@pytest.mark.parametrize("fps", [Fraction(24), Fraction(25), Fraction(30), Fraction(30000, 1001)])
def test_the_latents_of_cosmos_agree(fps: Fraction) -> None:
    contract = load_contract("cosmos3-omni-sound")
    exact = compile_expression("ceil(floor(frames / fps * 48000) / 1920)")
    assert [
        x for x in COUNTS if contract.forward(frames=x, fps=fps).latents != exact.evaluate({"frames": x, "fps": fps})
    ] == []


def test_minimax_h3_agrees() -> None:
    contract = load_contract("minimax-h3-ref2va")
    as_code = compile_expression("round_half_even(float64(frames / 24 * 40))")
    formula = compile_expression(contract.routes[0].formulas[1].expression)
    known = {constant.name: constant.value for constant in contract.routes[0].constants}
    for frames in range(5, 3601):
        x = {"frames": Fraction(frames)}
        assert formula.evaluate({**known, **x}) == as_code.evaluate(x)


def test_cosyvoice_1() -> None:
    found = parting("cosyvoice-1", "mel_frames", "tokens", [Fraction(n) for n in range(1, 20001)])
    assert found == [8960, 14592, 17664, 17920]


def test_cosyvoice_2_at_a_speed() -> None:
    tokens = [Fraction(n) for n in range(1, 2001)]
    found = parting("cosyvoice-2", "mel_frames", "tokens", tokens, speed=Fraction(11, 10))
    assert (len(found), found[:6]) == (104, [33, 55, 66, 99, 110, 121])
    for speed in (Fraction(12, 10), Fraction(9, 10)):
        assert parting("cosyvoice-2", "mel_frames", "tokens", tokens, speed=speed) == []


def test_longcat_agrees() -> None:
    assert parting("longcat-audio-dit", "latents", "seconds", TENTHS[:300]) == []


def test_f5_tts() -> None:
    assert parting("f5-tts-vocos", "total_mel_frames", "seconds", TENTHS[:600]) == [
        Fraction(tenths, 10) for tenths in (184, 328, 368, 408)
    ]


def test_the_readme_names_every_contract_that_computes_in_doubles() -> None:
    folder = validators_root() / "contracts"
    readme = (folder / "README.md").read_text(encoding="utf-8")
    for entry in folder.iterdir():
        if entry.name.endswith(".toml") and "float64(" in entry.read_text(encoding="utf-8"):
            assert f"`{entry.name.removesuffix('.toml')}`" in readme, entry.name
