"""audio.format, video.format, video.frame_grid and video.rate."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from mediacheck.contracts import FrameGrid
from mediacheck.facts import Timeline
from tests.unit.factory import audio, case, run, video


def contract(enforceable: bool = True, **changes: Any) -> Any:
    values: dict[str, Any] = {
        "id": "model",
        "enforceable": enforceable,
        "sample_rates": (24000,),
        "channels": 1,
        "fps": Fraction(24),
        "fps_fixed": True,
        "frame_grid": FrameGrid(step=17, offset=5, minimum=5),
    }
    return SimpleNamespace(**{**values, **changes})


def test_audio_format() -> None:
    assert run("audio.format@1", case(audio())).outcome == "not_applicable"
    assert run("audio.format@1", case(audio(), expect={"sample_rate": 24000, "channels": 1})).outcome == "pass"
    result = run("audio.format@1", case(audio(48000, 16000), expect={"sample_rate": 24000}))
    assert (result.outcome, result.measured, result.expected) == ("fail", 16000, 24000)
    assert result.message == "sample rate 16000 Hz, but sample rate 24000 Hz was asked for"


def test_every_difference_of_the_format_is_named() -> None:
    result = run("audio.format@1", case(audio(48000, 16000, 2), expect={"sample_rate": 24000, "channels": 1}))
    assert "16000 Hz" in result.message
    assert "2 channels, but 1 channel was asked for" in result.message


def test_audio_format_by_contract() -> None:
    assert run("audio.format@1", case(audio(), contract=contract())).outcome == "pass"
    result = run("audio.format@1", case(audio(48000, 48000), contract=contract(enforceable=False)))
    assert (result.outcome, result.severity) == ("fail", "warning")
    several = contract(sample_rates=(24000, 48000))
    assert run("audio.format@1", case(audio(48000, 48000), contract=several)).outcome == "pass"
    assert run("audio.format@1", case(audio(48000, 44100), contract=several)).outcome == "fail"


def test_the_users_word_goes_before_the_contract() -> None:
    asked = case(audio(48000, 48000), contract=contract(), expect={"sample_rate": 48000})
    assert run("audio.format@1", asked).outcome == "pass"


@pytest.mark.parametrize(
    ("check", "expect"),
    [("audio.format@1", {"channels": 1}), ("video.format@1", {"width": 1}), ("video.format@1", {"fps": Fraction(24)})],
)
def test_a_format_asked_of_a_missing_stream_fails(check: str, expect: dict[str, Any]) -> None:
    assert run(check, case(expect=expect)).outcome == "fail"


def test_video_size() -> None:
    assert run("video.format@1", case(video())).outcome == "not_applicable"
    result = run("video.format@1", case(video(), expect={"width": 160, "height": 90}))
    assert (result.outcome, result.measured, result.expected) == ("fail", 96, 90)
    assert result.message == "height 96, expected 90"


@pytest.mark.parametrize(
    ("rate", "asked", "outcome"),
    [("24", "24", "pass"), ("25", "16", "fail"), ("30000/1001", "30", "fail"), ("30000/1001", "30000/1001", "pass")],
)
def test_rates_are_compared_as_fractions(rate: str, asked: str, outcome: str) -> None:
    stream = video(300, Fraction(rate))
    assert run("video.format@1", case(stream, expect={"fps": Fraction(asked)})).outcome == outcome


def test_a_coarse_clock_cannot_tell_close_rates_apart() -> None:
    # 24 frames at 24 and at 24000/1001 fps differ by one millisecond in all.
    coarse = Timeline(first=Fraction(0), end=Fraction(1), precision=Fraction(1, 1000))
    result = run("video.format@1", case(video(24, timeline=coarse), expect={"fps": Fraction(24000, 1001)}))
    assert result.outcome == "pass"
    assert "cannot tell" in result.message
    long = video(2400, timeline=coarse)
    assert run("video.format@1", case(long, expect={"fps": Fraction(24000, 1001)})).outcome == "fail"


def test_a_rate_that_changes_is_not_the_one_asked_for() -> None:
    stream = video(constant_rate=False)
    assert run("video.format@1", case(stream, expect={"fps": Fraction(24)})).outcome == "fail"


def test_a_rate_that_is_unknown_stays_open() -> None:
    stream = video(1, declared_rate=None, measured_rate=None, constant_rate=None)
    assert run("video.format@1", case(stream, expect={"fps": Fraction(24)})).outcome == "inconclusive"


def test_only_a_fixed_rate_of_the_contract_counts() -> None:
    assert run("video.format@1", case(video(48, 25), contract=contract())).outcome == "fail"
    free = contract(fps_fixed=False)
    assert run("video.format@1", case(video(48, 25), contract=free)).outcome == "not_applicable"


@pytest.mark.parametrize(("frames", "outcome"), [(5, "pass"), (362, "pass"), (361, "fail"), (4, "fail"), (0, "fail")])
def test_frame_grid(frames: int, outcome: str) -> None:
    assert run("video.frame_grid@1", case(video(frames), contract=contract())).outcome == outcome


def test_frame_grid_names_its_neighbours() -> None:
    result = run("video.frame_grid@1", case(video(361), contract=contract()))
    assert result.message.endswith("the nearest are 345 (+16 in the file) and 362 (-1 in the file)")
    assert run("video.frame_grid@1", case(video(1), contract=contract(frame_grid=None))).outcome == "not_applicable"
    warned = run("video.frame_grid@1", case(video(361), contract=contract(enforceable=False)))
    assert (warned.outcome, warned.severity) == ("fail", "warning")


@pytest.mark.parametrize(("constant", "outcome"), [(True, "pass"), (False, "fail"), (None, "not_applicable")])
def test_rate(constant: bool | None, outcome: str) -> None:
    assert run("video.rate@1", case(video(constant_rate=constant))).outcome == outcome


def test_a_still_picture_is_told_where_nothing_else_is_wrong_with_it() -> None:
    still = video(1, measured_rate=None, constant_rate=None)
    result = run("video.rate@1", case(still))
    assert (result.outcome, result.message) == ("not_applicable", "a single frame, a still picture")
    moving = run("video.rate@1", case(video(2, measured_rate=None, constant_rate=None)))
    assert (moving.outcome, "still" in moving.message) == ("not_applicable", False)
    assert run("duration.expected@1", case(still, expect={"frames": 25})).outcome == "fail"
