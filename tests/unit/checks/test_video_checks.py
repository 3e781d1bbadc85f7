"""video.black, video.frozen and video.corrupt."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec
import pytest

from tests.unit.factory import audio, case, run, span, video, video_of

NAN = float("nan")
CHECKS = ("video.black@1", "video.frozen@1", "video.corrupt@1")


@pytest.mark.parametrize("check", CHECKS)
def test_good_pictures_pass_and_no_pictures_are_not_judged(check: str) -> None:
    assert run(check, case(video())).outcome == "pass"
    assert run(check, case(audio())).outcome == "not_applicable"
    assert run(check, case(video(0))).outcome == "not_applicable"


def test_all_black() -> None:
    result = run("video.black@1", case(video_of([1.0] * 24, [NAN] + [0.0] * 23)))
    assert (result.outcome, result.measured, result.expected) == ("fail", "1/1", "1/2")
    assert result.message == "black for 24 of 24 frames = 1 s from 0:00:00.000 to 0:00:01.000, limit 0.5 s"


@pytest.mark.parametrize(("frames", "outcome"), [(12, "pass"), (13, "fail")])
def test_black_of_exactly_half_a_second_is_not_longer(frames: int, outcome: str) -> None:
    pictures = video_of([0.0] * 5 + [0.98] * frames + [0.0] * 5, [0.1] * (frames + 10))
    assert run("video.black@1", case(pictures)).outcome == outcome


def test_a_repeated_tail() -> None:
    still = video_of([0.0] * 60, [NAN] + [0.05] * 23 + [0.0] * 36)
    result = run("video.frozen@1", case(still))
    assert result.outcome == "fail"
    assert result.message == "frozen for 36 of 60 frames = 3/2 s (1.5 s) from 0:00:01.000 to 0:00:02.500, limit 1.0 s"
    assert result.spans == (span(1, "5/2"),)
    assert run("video.black@1", case(still)).outcome == "pass"


@pytest.mark.parametrize(("frames", "outcome"), [(24, "pass"), (25, "fail")])
def test_still_for_exactly_a_second_is_not_longer(frames: int, outcome: str) -> None:
    pictures = video_of([0.0] * (frames + 2), [NAN, 0.05] + [0.001] * frames)
    assert run("video.frozen@1", case(pictures)).outcome == outcome


@pytest.mark.parametrize(
    ("check", "parameters"),
    [("video.black@1", {"min_share": Fraction(9, 10)}), ("video.frozen@1", {"max_change": Fraction(1, 100)})],
)
def test_other_limits_are_judged_from_the_series(check: str, parameters: dict[str, Any]) -> None:
    pictures = video_of([0.9] * 60, [0.01] * 60)
    assert run(check, case(pictures)).outcome == "pass"
    assert run(check, case(pictures), **parameters).outcome == "fail"
    bare = msgspec.structs.replace(pictures, black_share=None, change=None, frame_times=None)
    assert run(check, case(bare), **parameters).outcome == "inconclusive"


def test_corrupt() -> None:
    result = run("video.corrupt@1", case(video(corrupt_frames=2, decode_errors=1, decode_error_spans=(span(1, 2),))))
    assert (result.outcome, result.measured) == ("fail", 3)
    assert result.message == "2 frames are damaged; 1 packet does not decode, the first at 0:00:01.000"
    assert run("video.corrupt@1", case(video(0, decode_errors=1))).outcome == "fail"
