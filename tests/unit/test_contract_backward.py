"""From a length back to a request: held against forward, against brute force, and against what lies beside."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacheck.contracts import Contract, Outcome, Route, list_contracts, load_contract
from mediacheck.contracts.reachability import simplest_between
from mediacheck.errors import ContractError
from tests.work import ends

SHIPPED = {contract.id: contract for contract in list_contracts()}
ROUTES = [(contract, route) for contract in SHIPPED.values() for route in contract.routes]
H3 = SHIPPED["minimax-h3-ref2va"]


def a_request(draw: st.DrawFn, route: Route) -> dict[str, Fraction]:
    """Values of the route's variables, inside of their domains."""
    request: dict[str, Fraction] = {}
    for variable in route.variables:
        if variable.assumed is not None:
            request[variable.name] = variable.assumed
        elif variable.domain in ("grid", "count"):
            request[variable.name] = variable.at(draw(st.integers(0, 20_000)))
        else:
            least = variable.minimum or Fraction(1, 100)
            request[variable.name] = least + draw(st.fractions(0, 600, max_denominator=1000))
    return request


@pytest.mark.parametrize(("contract", "route"), ROUTES, ids=[f"{c.id}:{r.name}" for c, r in ROUTES])
def test_what_a_request_gives_is_reachable(contract: Contract, route: Route) -> None:
    @settings(max_examples=15)
    @given(st.composite(a_request)(route))
    def holds(request: dict[str, Fraction]) -> None:
        outcome = contract.forward(request, route=route.name)
        samples = outcome.samples if route.gives("samples") else None
        frames = outcome.frames if route.gives("frames") else None
        if samples == 0 or (samples is None and frames is None):
            return
        answer = contract.only(route.name).backward(samples=samples, frames=frames)
        assert answer.reachable
        assert answer.outcome is not None
        assert (answer.outcome.samples, answer.outcome.frames) == (outcome.samples, outcome.frames)
        # The request that is named really gives it.
        named = {quantity.name: quantity.value for quantity in answer.outcome.values}
        again = contract.forward({v.name: named[v.name] for v in route.variables}, route=route.name)
        assert again == answer.outcome

    holds()


# Contracts of whole hops, the route that says so, and the samples that it loses at the end.
HOPS = {
    "minimax-h3-ref2va": ("default", 0),
    "dac-16khz": ("decode", 8),
    "dac-24khz": ("decode", 8),
    "dac-44khz": ("decode", 0),
    "encodec-24khz": ("round-trip", 0),
    "mimi-moshi": ("decode", 0),
    "snac-24khz": ("decode", 0),
    "xcodec2": ("round-trip", 0),
    "bigcodec": ("round-trip", 0),
    "fish-speech-s1-s2-dac": ("decode", 0),
    "qwen3-tts-tokenizer-12hz": ("decode", 0),
    "mmaudio-44k": ("default", 0),
    "ace-step-1.5": ("default", 0),
    "kokoro-82m": ("default", 0),
    "cosmos3-omni-sound": ("default", 0),
}


@pytest.mark.parametrize("name", sorted(HOPS))
@given(index=st.integers(1, 3000), off=st.sampled_from([-1, 1]))
@settings(max_examples=12)
def test_one_sample_beside_a_whole_hop_is_not_reachable(name: str, index: int, off: int) -> None:
    route, lost = HOPS[name]
    contract = load_contract(f"{name}:{route}")
    driver = contract.routes[0].driver
    assert driver is not None
    value = driver.at(index) if driver.domain in ("grid", "count") else Fraction(index, 10)
    samples = contract.forward({driver.name: value}).samples
    assert samples is not None
    assert (samples + lost) % int(contract.hop or 1) == 0
    answer = contract.backward(samples=samples + off)
    assert not answer.reachable
    assert answer.outcome is None
    neighbours = [answer.below, answer.above]
    assert samples in [outcome.samples for outcome in neighbours if outcome is not None]
    if answer.below is not None and answer.above is not None:
        assert (answer.below.samples or 0) < samples + off < (answer.above.samples or 0)


@pytest.mark.parametrize(
    "name",
    [
        "minimax-h3-ref2va:default",
        "minimax-h3-comfyui-savevideo:default",
        "ltx-2-24k:default",
        "cosmos3-omni-sound:default",
        "hunyuanvideo-foley:default",
        "dac-24khz:sliced",
        "qwen3-tts-tokenizer-12hz-legacy:default",
        "encodec-48khz:round-trip",
        "cosyvoice-1:default",
        "vocos-mel-24khz:round-trip",
    ],
)
def test_against_every_request_up_to_400(name: str) -> None:
    contract = load_contract(name)
    driver = contract.routes[0].driver
    assert driver is not None
    # The frames of a picture stand beside the samples and would decide: ask for the samples alone.
    counts = sorted({contract.forward({driver.name: driver.at(index)}).samples or 0 for index in range(400)})
    beyond = counts[-1]
    for samples in [n + off for n in counts[1:200:7] for off in (-1, 0, 1)]:
        answer = contract.backward(samples=samples)
        assert answer.reachable == (samples in counts), samples
        if not answer.reachable and samples < beyond:
            below = max((n for n in counts if 0 < n <= samples), default=None)
            assert (answer.below.samples if answer.below else None) == below
            assert answer.above is not None
            assert answer.above.samples == min(n for n in counts if n >= samples)


def counts(outcome: Outcome | None) -> tuple[int | None, int | None] | None:
    return None if outcome is None else (outcome.samples, outcome.frames)


def test_the_story_backwards() -> None:
    assert H3.backward(samples=482400, frames=362).reachable
    for samples in (482400 - 800, 482400 + 800, 482400 - 1, 482400 + 1, 362 * 32000 // 24):
        answer = H3.backward(samples=samples, frames=362)
        assert not answer.reachable
        assert counts(answer.at_frames) == (482400, 362)
    other = H3.backward(samples=460000, frames=362)
    assert not other.reachable, "460000 samples are those of 345 frames, not of 362"
    assert counts(other.below) == counts(other.above) == (460000, 345)
    off_grid = H3.backward(samples=482400, frames=361)
    assert not off_grid.reachable
    assert counts(off_grid.below) == (460000, 345)
    assert counts(off_grid.above) == (482400, 362)
    assert counts(off_grid.at_frames) == (481600, 361)


def test_samples_of_more_frames_are_not_those_of_fewer() -> None:
    answer = H3.backward(samples=505600, frames=362)
    assert not answer.reachable, "505600 samples are those of 379 frames"
    assert counts(answer.below) == (505600, 379)


def test_frames_and_samples_that_both_follow_from_seconds(tmp_path: Path) -> None:
    path = tmp_path / "clip.toml"
    path.write_text(
        'schema = "mediacheck.contract/1"\nid = "clip"\n[audio]\nsample_rate = 32000\n[video]\nfps = 24\n'
        '[request]\nseconds = { domain = "seconds" }\n'
        '[formulas]\nframes = "floor(seconds * fps)"\nsamples = "800 * ceil(seconds * 40)"\n'
    )
    contract = load_contract(path)
    # 48 frames: 2 s up to 49/24 s, so 80, 81 or 82 latents.
    for latents, reachable in ((79, False), (80, True), (81, True), (82, True), (83, False)):
        answer = contract.backward(samples=800 * latents, frames=48)
        assert answer.reachable == reachable, latents
        if answer.outcome is not None:
            assert counts(answer.outcome) == (800 * latents, 48)
            assert contract.forward(seconds=answer.outcome.value("seconds") or 0) == answer.outcome
    assert not contract.backward(samples=800 * 81 + 1, frames=48).reachable


def test_bounds_stand_for_what_a_container_cannot_say() -> None:
    assert H3.backward(samples=482405, frames=362, samples_low=482395, samples_high=482410).reachable
    assert not H3.backward(samples=483205, frames=362, samples_low=483195, samples_high=483210).reachable
    nearest = SHIPPED["higgs-audio-v2-tokenizer"].backward(samples=1500, samples_low=900, samples_high=2000)
    assert nearest.outcome is not None
    assert nearest.outcome.samples == 1920, "of two counts in bounds, the nearer one"
    assert H3.backward(samples_low=482390, samples_high=482410).reachable


def test_the_rate_of_the_file_decides_where_the_caller_chooses_it() -> None:
    ltx = SHIPPED["ltx-2-24k"]
    assert ltx.backward(samples=119280, frames=249, fps=Fraction(50)).reachable
    assert not ltx.backward(samples=119280, frames=249).reachable
    # Exact half-even rounding would give 124 latents: one latent off, and caught.
    assert not ltx.backward(samples=119280 - 960, frames=249, fps=Fraction(50)).reachable
    # MiniMax-H3 has one rate; another one is a fault of its own and changes no length.
    assert H3.backward(samples=482400, frames=362, fps=Fraction(25)).reachable


def test_fixed_lengths() -> None:
    ovi = SHIPPED["ovi-5s"]
    assert ovi.backward(samples=80384, frames=121).reachable
    assert not ovi.backward(samples=80384, frames=125).reachable
    wrong = ovi.backward(samples=80385, frames=121)
    assert not wrong.reachable
    assert counts(wrong.at_frames) == (80384, 121)
    assert counts(wrong.below) == (80384, 121)
    assert wrong.above is None


def test_a_free_cut_reaches_every_count() -> None:
    contract = SHIPPED["stable-audio-3"]
    for samples in (1, 2, 441000, 441001, 7_654_321):
        assert contract.backward(samples=samples).reachable
    ten = contract.backward(samples=441000).outcome
    assert ten is not None
    assert ten.value("seconds") == 10
    window = SHIPPED["stable-audio-open-1.0"]
    assert window.backward(samples=2097152).reachable
    above = window.backward(samples=2097153)
    assert not above.reachable
    assert counts(above.below) == (2097152, None)
    assert above.above is None


def test_dac_round_trips_lose_eight_samples() -> None:
    answer = SHIPPED["dac-24khz"].backward(samples=24000)
    assert not answer.reachable
    assert counts(answer.below) == (23992, None)
    assert counts(answer.above) == (24001, None)


def test_a_route_of_another_rate_is_left_out() -> None:
    contract = SHIPPED["ace-step-v1"]
    assert contract.backward(samples=1435551, sample_rate=48000).reachable
    assert contract.backward(samples=1318912, sample_rate=44100).reachable
    assert not contract.backward(samples=1318912, sample_rate=48000).reachable
    assert contract.forward(seconds=30, sample_rate=48000).samples == contract.forward(seconds=30).samples == 1435551
    assert contract.forward(seconds=30, sample_rate=44100).samples == 1318912
    with pytest.raises(ContractError, match="no route at 32000 Hz; it gives 48000 or 44100 Hz"):
        contract.forward(seconds=30, sample_rate=32000)
    silent = SHIPPED["wan2.2-ti2v-5b"]
    assert silent.forward(frames=81, sample_rate=48000) == silent.forward(frames=81)


def test_an_empty_track_is_never_reachable() -> None:
    for contract in SHIPPED.values():
        if contract.decides_samples:
            answer = contract.backward(samples=0)
            assert not answer.reachable, contract.id
            assert answer.below is None
            assert answer.above is not None
            assert (answer.above.samples or 0) > 0
            assert not contract.backward(samples_low=0, samples_high=0).reachable, contract.id


def test_what_a_contract_does_not_decide_is_left_out_of_account() -> None:
    assert SHIPPED["mochi-1"].backward(samples=12345, frames=85).reachable
    assert not SHIPPED["mochi-1"].backward(samples=12345, frames=84).reachable
    assert SHIPPED["dac-24khz"].backward(samples=23992, frames=84).reachable
    for name in ("fish_omni", "longcat-audio-dit", "mochi-1"):
        with pytest.raises(ContractError, match="does not decide"):
            SHIPPED[name].backward(samples=12345)
    with pytest.raises(ContractError, match="does not decide"):
        H3.backward()


def test_frames_alone() -> None:
    assert SHIPPED["wan2.1-wan2.2-a14b"].backward(frames=81).reachable
    answer = SHIPPED["wan2.1-wan2.2-a14b"].backward(frames=83)
    assert not answer.reachable
    assert (counts(answer.below), counts(answer.above)) == ((None, 81), (None, 85))


def test_a_formula_that_steps_back_is_searched_around(tmp_path: Path) -> None:
    path = tmp_path / "steps.toml"
    path.write_text(
        'schema = "mediacheck.contract/1"\nid = "steps"\n[audio]\nsample_rate = 8000\n[request]\ntokens = {}\n'
        # Falls by 200 at every hundredth token.
        '[formulas]\nsamples = "100 * tokens - 300 * (tokens // 100)"\n'
    )
    contract = load_contract(path)
    for tokens in (98, 99, 100, 101, 102, 199, 200, 201, 5000, 5001):
        samples = 100 * tokens - 300 * (tokens // 100)
        assert contract.backward(samples=samples).reachable, tokens
        assert not contract.backward(samples=samples + 1).reachable


def test_a_search_over_long_lengths_is_quick() -> None:
    with ends():
        for contract in SHIPPED.values():
            if contract.decides_samples:
                contract.backward(samples=10**10 + 1)
                contract.backward(samples=10**15 + 1)


@given(st.fractions(Fraction(1, 1000), 1000), st.fractions(0, 10))
def test_the_simplest_fraction_between(low: Fraction, width: Fraction) -> None:
    simplest = simplest_between(low, low + width)
    assert low <= simplest <= low + width
    # No fraction of a smaller denominator lies between.
    for denominator in range(1, min(simplest.denominator, 200)):
        assert (low.numerator * denominator) // low.denominator + (0 if (low * denominator).denominator == 1 else 1) > (
            low + width
        ) * denominator
