"""The shipped contracts against the sourced table, and the format that users write."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from mediacheck.contracts import FrameGrid, list_contracts, load_contract
from mediacheck.errors import ContractError
from mediacheck.resources import validators_root

# One row a line, as collected from public sources: another witness than the examples in the contracts themselves.
TABLE: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "contract_table.jsonl").read_text(encoding="utf-8").splitlines()
]
SHIPPED = {contract.id: contract for contract in list_contracts()}

TEN_LINES = """
schema = "mediacheck.contract/1"
id = "my-vocoder"
[audio]
sample_rate = 24000   # Hz
channels = 1
[request]
tokens = {}
[formulas]
samples = "480 * tokens"
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "contract.toml"
    path.write_text(text)
    return path


def fraction(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text)


def test_every_row_of_the_table_ships_and_nothing_else() -> None:
    assert sorted(SHIPPED) == sorted(row["id"] for row in TABLE)
    assert len(SHIPPED) == 58


@pytest.mark.parametrize("row", TABLE, ids=lambda row: str(row["id"]))
def test_a_contract_says_what_its_row_says(row: dict[str, Any]) -> None:
    contract = SHIPPED[row["id"]]
    assert contract.status == row["status"]
    assert contract.enforceable == (row["status"] == "verified-in-source")
    assert contract.source, "a contract names its source"
    assert contract.channels == row["channels"]
    assert contract.fps == fraction(row["fps"])
    grid = row["frame_grid"]
    assert (contract.frame_grid is None) == (grid is None)
    if contract.frame_grid is not None:
        assert (contract.frame_grid.step, contract.frame_grid.offset) == (grid["step"], grid["offset"])
    assert contract.hop == row["hop"]
    assert contract.latent_rate == fraction(row["latent_rate"])
    if row["id"] == "ace-step-v1":
        assert set(contract.sample_rates) == {44100, 48000}
    else:
        assert contract.sample_rate == row["sample_rate"]


RENAMED = {"requested_seconds": "seconds", "fix_duration_seconds": "seconds"}
ASKED = ("requested_frames", "frames", "seconds", "input_samples", "start", "tokens", "latents", "mel_frames")
BESIDE = ("fps", "end", "speed", "ref_samples")


@pytest.mark.parametrize(
    ("name", "example"),
    [
        pytest.param(row["id"], example, id=f"{row['id']}-{number}")
        for row in TABLE
        for number, example in enumerate(row["worked_examples"])
    ],
)
def test_every_worked_example(name: str, example: dict[str, Any]) -> None:
    contract = SHIPPED[name]
    values = {RENAMED.get(key, key): Fraction(value) for key, value in example.items() if key != "seconds"}
    seconds = example.get("seconds")
    if name == "ace-step-v1":
        decoded = contract.forward(seconds=values["seconds"], route="decoded")
        assert (decoded.latents, decoded.samples) == (values["latents"], values["samples_44100"])
        assert decoded.audio_seconds == Fraction(seconds)
        values["samples"] = values.pop("samples_48000_after_resample")
        seconds = None
    asked = next((key for key in ASKED if key in values), None)
    fixed = [route.name for route in contract.routes if not route.variables]
    request = {key: values[key] for key in (asked, *BESIDE) if key is not None and key in values}
    route = None
    if fixed and "end" not in values:
        request, route = {}, fixed[0]
    elif "input_samples" in values and not name.startswith("dac"):
        # The codecs' examples are of what they decode, before forward() cuts it.
        route = "round-trip"
    elif "input_samples" in values:
        route = "sliced"
    outcome = contract.forward(request, route=route)
    known = {quantity.name: quantity.value for quantity in outcome.values}
    known["video_seconds"] = outcome.video_seconds or Fraction(0)
    for key, value in values.items():
        if key in known:
            assert known[key] == value, key
        else:
            assert key in ("decoded_samples", "mel_frames"), f"{name} does not compute {key}"
    if seconds is not None:
        measured = outcome.audio_seconds if contract.sample_rates else outcome.video_seconds
        if name == "wan2.2-s2v-14b":
            measured = outcome.video_seconds
        if name != "longcat-audio-dit":
            assert measured == Fraction(seconds)


def test_examples_are_in_the_contracts_too() -> None:
    for row in TABLE:
        assert len(SHIPPED[row["id"]].examples) >= len(row["worked_examples"]), row["id"]


def test_the_story() -> None:
    outcome = load_contract("minimax-h3-ref2va").forward(frames=362)
    assert (outcome.latents, outcome.samples) == (603, 482400)
    assert outcome.audio_seconds == Fraction(603, 40) == Fraction("15.075")
    assert outcome.video_seconds == Fraction(181, 12)
    assert [quantity.name for quantity in outcome.values] == ["frames", "video_latents", "latents", "samples"]


def test_a_result_may_stand_for_the_request() -> None:
    contract = SHIPPED["minimax-h3-ref2va"]
    assert contract.forward(latents=603) == contract.forward(frames=362)
    assert SHIPPED["mmaudio-44k"].forward(latents=345).samples == 353280
    with pytest.raises(ContractError, match="latents = 604; the nearest are 603 and 632"):
        contract.forward(latents=604)
    with pytest.raises(ContractError, match="several requests give latents = 75"):
        SHIPPED["dac-24khz"].forward(latents=75, route="sliced")
    with pytest.raises(ContractError, match="latents is 603 by this contract, not 604"):
        contract.forward(frames=362, latents=604)
    with pytest.raises(ContractError, match="takes frames, fps; it got fps"):
        SHIPPED["ltx-2-24k"].forward(fps=25)


@pytest.mark.parametrize(
    ("name", "request_", "says"),
    [
        ("minimax-h3-ref2va", {"frames": 361}, "361 is not on the grid 17n \\+ 5; the nearest are 345 and 362"),
        ("minimax-h3-ref2va", {"frames": 0}, "the nearest is 5"),
        ("minimax-h3-ref2va", {"frames": Fraction(3, 2)}, "must be a whole number"),
        ("minimax-h3-ref2va", {"tokens": 3}, "takes frames; it got tokens"),
        ("minimax-h3-ref2va", {"frames": 362, "fps": 25}, "fps is 24 by this contract, not 25"),
        ("ltx-2-24k", {"frames": 121, "fps": 0}, "fps = 0 must be greater than 0"),
        ("mmaudio-44k", {"seconds": 0}, "must be greater than 0"),
        ("dac-24khz", {"latents": 0}, "the least is 1"),
        ("snac-24khz", {"latents": 3}, "4n; the nearest is 4"),
        ("ovi-5s", {"frames": 120}, "frames is 121"),
        ("fish_omni", {"frames": 120}, "has no formulas"),
        ("vocos-mel-24khz", {"mel_frames": 1}, "the least is 2"),
    ],
)
def test_a_request_outside_of_its_domain_names_what_is_allowed(
    name: str, request_: dict[str, int | Fraction], says: str
) -> None:
    with pytest.raises(ContractError, match=says) as caught:
        SHIPPED[name].forward(request_)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_frame_grid() -> None:
    grid = FrameGrid(step=17, offset=5, minimum=5)
    assert [n for n in range(60) if grid.contains(n)] == [5, 22, 39, 56]
    assert grid.nearest(361) == (345, 362)
    assert grid.nearest(362) == (362, 362)
    assert grid.nearest(4) == (None, 5)


@pytest.mark.parametrize(
    ("grid", "first"),
    [("step = 4, offset = 0", 4), ("step = 4, offset = -3", 1), ("step = 17, offset = 21", 21)],
)
def test_where_a_grid_starts(tmp_path: Path, grid: str, first: int) -> None:
    text = f'schema = "mediacheck.contract/1"\nid = "g"\n[video]\ngrid = {{ {grid} }}\n[request]\nframes = {{}}\n'
    contract = load_contract(written(tmp_path, text))
    assert contract.frame_grid is not None
    assert contract.frame_grid.minimum == first
    assert contract.frame_grid.contains(first)
    with pytest.raises(ContractError, match=f"the nearest is {first}"):
        contract.forward(frames=0)


@pytest.mark.parametrize("grid", ["step = 0, offset = 1", "step = 4, offset = 1, minimum = 3"])
def test_a_grid_that_cannot_be(tmp_path: Path, grid: str) -> None:
    text = f'schema = "mediacheck.contract/1"\nid = "g"\n[video]\ngrid = {{ {grid} }}\n[request]\nframes = {{}}\n'
    with pytest.raises(ContractError, match="grid"):
        load_contract(written(tmp_path, text))


def test_streams_that_a_file_has_may_have_or_must_not_have() -> None:
    assert (SHIPPED["minimax-h3-ref2va"].has_audio, SHIPPED["minimax-h3-ref2va"].has_video) == (True, True)
    assert (SHIPPED["dac-24khz"].has_audio, SHIPPED["dac-24khz"].has_video) == (True, False)
    assert (SHIPPED["mochi-1"].has_audio, SHIPPED["mochi-1"].has_video) == (False, True)
    assert (SHIPPED["mmaudio-44k"].has_audio, SHIPPED["mmaudio-44k"].has_video) == (True, None)
    assert (SHIPPED["fish_omni"].has_audio, SHIPPED["fish_omni"].has_video) == (None, None)
    # The clip's frames are not the contract's.
    assert SHIPPED["hunyuanvideo-foley"].forward(frames=200).frames is None
    assert not SHIPPED["hunyuanvideo-foley"].decides_frames


def test_a_contract_can_be_held_to_one_route() -> None:
    held = load_contract("dac-44khz:decode")
    assert held.id == "dac-44khz:decode"
    assert [route.name for route in held.routes] == ["decode"]
    assert held.digest != SHIPPED["dac-44khz"].digest
    assert load_contract("ace-step-v1:decoded").sample_rate == 44100
    with pytest.raises(ContractError, match="no route 'encode'; it has decode, sliced"):
        load_contract("dac-44khz:encode")


def test_a_user_writes_one_in_ten_lines(tmp_path: Path) -> None:
    contract = load_contract(written(tmp_path, TEN_LINES))
    assert (contract.status, contract.enforceable) == ("user", True)
    assert contract.forward(tokens=100).audio_seconds == 2
    assert contract.backward(samples=48000).reachable
    assert not contract.backward(samples=48001).reachable
    assert load_contract(f"{tmp_path}/contract.toml:default").id == "my-vocoder:default"


def test_the_digest_is_of_the_content_not_of_the_comments(tmp_path: Path) -> None:
    plain = load_contract(written(tmp_path, TEN_LINES)).digest
    assert load_contract(written(tmp_path, "# said otherwise\n" + TEN_LINES)).digest == plain
    changed = load_contract(written(tmp_path, TEN_LINES.replace("480 *", "481 *"))).digest
    assert changed != plain
    assert plain.startswith("sha256:")
    assert len(plain) == len("sha256:") + 64


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('id = "my-vocoder"', 'id = "my vocoder"', "id = 'my vocoder'"),
        ("mediacheck.contract/1", "mediacheck.contract/2", "schema"),
        ("channels = 1", "chanels = 1", "chanels"),
        ("channels = 1", "channels = 0", "channels = 0 must be 1 or more"),
        ("channels = 1", 'channels = "1"', "channels"),
        ("channels = 1", "channels = 1\nhop = nan", "'nan' is not a number"),
        ("tokens = {}", "tokens = {}\nwords = {}", "tokens and words have neither default nor probe"),
        ("tokens = {}", 'tokens = { domain = "grid" }', "there is no \\[video.grid\\]"),
        ("tokens = {}", "floor = {}", "'floor' cannot name a quantity"),
        ("tokens = {}", "tokens = {}\nsamples = { default = 1 }", "'samples' cannot name a quantity"),
        ('samples = "480 * tokens"', 'samples = "480 * token"', "reads token, which nothing above it gives"),
        ('samples = "480 * tokens"', 'samples = "480 * ("', "cannot be read"),
        ('samples = "480 * tokens"', 'samples = "tokens / 7"', "no count; round it by name"),
        ('samples = "480 * tokens"', 'samples = "10**9 - tokens"', "falls from"),
        ('samples = "480 * tokens"', 'samples = "1 // (tokens - 1)"', "divides by zero"),
        ('samples = "480 * tokens"', "samples = 480", "formulas"),
        ('[formulas]\nsamples = "480 * tokens"', "", None),
        ('[formulas]\nsamples = "480 * tokens"', '[[route]]\nname = "a"', "not both"),
        ("[audio]", "audio = 3\n[audio]", "not a TOML file"),
    ],
)
def test_a_malformed_contract_is_one_sentence(tmp_path: Path, old: str, new: str, says: str | None) -> None:
    assert old in TEN_LINES
    path = written(tmp_path, TEN_LINES.replace(old, new))
    if says is None:
        # A request without formulas is a contract that decides nothing of the length.
        assert not load_contract(path).decides_samples
        return
    with pytest.raises(ContractError, match=says) as caught:
        load_contract(path)
    assert "contract.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_contract_whose_example_is_wrong_is_refused(tmp_path: Path) -> None:
    example = "[[example]]\nrequest = { tokens = 100 }\ngives = { samples = 48000, audio_seconds = 2.0 }\n"
    assert load_contract(written(tmp_path, TEN_LINES + example)).examples
    with pytest.raises(ContractError, match="example 1 says samples = 48001; the formulas give 48000"):
        load_contract(written(tmp_path, TEN_LINES + example.replace("48000", "48001")))


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[" * 100_000, b"a = 1\n" * 100_000, b"", b"\x00"])
def test_a_file_that_is_no_contract(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "contract.toml"
    path.write_bytes(content)
    with pytest.raises(ContractError, match=r"contract\.toml"):
        load_contract(path)


def test_an_unknown_contract_names_its_neighbours(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match="did you mean minimax-h3-ref2va"):
        load_contract("minimax-h3-ref2v")
    with pytest.raises(ContractError, match="mediacheck contracts list"):
        load_contract("zzzz")
    with pytest.raises(ContractError, match="cannot be read"):
        load_contract(tmp_path / "none.toml")
    with pytest.raises(ContractError, match="cannot be read"):
        load_contract(tmp_path)


def test_a_file_name_is_its_contract_id() -> None:
    for entry in (validators_root() / "contracts").iterdir():
        if entry.name.endswith(".toml"):
            assert load_contract(entry.name.removesuffix(".toml")).id == entry.name.removesuffix(".toml")


def test_the_reference_page_lists_every_contract() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "contracts.md").read_text(encoding="utf-8")
    for contract in SHIPPED.values():
        assert f"| `{contract.id}` | {contract.title} |" in page


def test_every_contract_of_the_how_to_loads(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "write-a-contract.md").read_text(encoding="utf-8")
    blocks = [part.split("```")[0] for part in page.split("```toml\n")[1:]]
    whole = [block for block in blocks if block.startswith("schema")]
    assert len(whole) == 2
    for block in whole:
        assert load_contract(written(tmp_path, block)).decides_samples
    assert load_contract(written(tmp_path, whole[0] + blocks[1])).examples
    routes = next(block for block in blocks if block.startswith("[[route]]"))
    head = 'schema = "mediacheck.contract/1"\nid = "x"\n[audio]\nsample_rate = 44100\n'
    assert len(load_contract(written(tmp_path, head + routes)).routes) == 2
