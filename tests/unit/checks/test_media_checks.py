"""media.*: can it be read, is it whole, is its header right, are its streams the right ones."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Literal

import pytest

from mediacheck.facts import OtherStream, Problem
from tests.unit.factory import audio, case, run, span, video


def problem(affects: Literal["decodable", "complete", "header"], message: str = "48000 declared, 30000 there") -> Any:
    return Problem(code="x", message=message, affects=affects)


def test_decodable() -> None:
    result = run("media.decodable@1", case(audio(), video()))
    assert result.outcome == "pass"


def test_not_media() -> None:
    result = run("media.decodable@1", case(format=None, complete=None))
    assert (result.outcome, result.message) == ("fail", "the file is not media: nothing recognised its bytes")


def test_the_problem_names_the_fault_once() -> None:
    result = run("media.decodable@1", case(format=None, problems=(problem("decodable", "the file is empty"),)))
    assert result.message == "the file is empty"


def test_a_cover_picture_alone_is_no_stream() -> None:
    cover = OtherStream(index=0, codec="mjpeg", attached_picture=True)
    result = run("media.decodable@1", case(cover))
    assert (result.outcome, result.message) == ("fail", "there is no audio or video stream")


@pytest.mark.parametrize(("stream", "words"), [(audio(0), "0 samples"), (video(0), "0 frames")])
def test_a_stream_that_holds_nothing(stream: Any, words: str) -> None:
    result = run("media.decodable@1", case(stream))
    assert result.outcome == "fail"
    assert words in result.message


def test_refused_packets_are_counted() -> None:
    stream = audio(decode_errors=2, decode_error_spans=(span("3/2", "2"),))
    result = run("media.decodable@1", case(stream))
    assert (result.outcome, result.measured, result.unit) == ("fail", 2, "packets")
    assert result.message == "2 packets of stream 0 do not decode, the first at 0:00:01.500"


@pytest.mark.parametrize(("complete", "outcome"), [(True, "pass"), (False, "fail"), (None, "not_applicable")])
def test_complete(complete: bool | None, outcome: str) -> None:
    result = run("media.complete@1", case(audio(), complete=complete, completeness="ADTS declares no length"))
    assert result.outcome == outcome
    assert "ADTS declares no length" in result.message


def test_incomplete_names_both_numbers() -> None:
    result = run("media.complete@1", case(audio(), complete=False, problems=(problem("complete"), problem("header"))))
    assert result.message == "48000 declared, 30000 there"


def test_header() -> None:
    assert run("media.header@1", case(audio())).outcome == "pass"
    assert run("media.header@1", case(audio(), problems=(problem("complete"),))).outcome == "pass"
    assert run("media.header@1", case(audio(), problems=(problem("header"),))).outcome == "fail"
    assert run("media.header@1", case(format=None)).outcome == "not_applicable"


def contract(audio: str = "required", video: str = "required", enforceable: bool = True) -> Any:
    return SimpleNamespace(id="model", audio=audio, video=video, enforceable=enforceable)


@pytest.mark.parametrize(
    ("streams", "expect", "of", "outcome"),
    [
        ((audio(),), {}, None, "not_applicable"),
        ((audio(),), {"audio": True}, None, "pass"),
        ((video(),), {"audio": True}, None, "fail"),
        ((audio(), video()), {"audio": False}, None, "fail"),
        ((audio(), video()), {"video": True}, None, "pass"),
        ((audio(), audio(index=2)), {"audio": True}, None, "pass"),
        ((audio(), video()), {}, contract(), "pass"),
        ((video(),), {}, contract(), "fail"),
        ((audio(), audio(index=2), video()), {}, contract(), "fail"),
        ((audio(), video()), {}, contract(video="absent"), "fail"),
        ((audio(), video()), {}, contract(video="optional"), "pass"),
        ((audio(),), {}, contract(video="optional"), "pass"),
        ((video(),), {"audio": False}, contract(), "pass"),
    ],
)
def test_streams(streams: tuple[Any, ...], expect: dict[str, Any], of: Any, outcome: str) -> None:
    assert run("media.streams@1", case(*streams, contract=of, expect=expect)).outcome == outcome


def test_an_unverified_contract_only_warns() -> None:
    result = run("media.streams@1", case(video(), contract=contract(enforceable=False)))
    assert (result.outcome, result.severity) == ("fail", "warning")


def test_what_the_user_asked_fails_whatever_the_contract_is() -> None:
    asked = case(video(), contract=contract(enforceable=False), expect={"audio": True})
    result = run("media.streams@1", asked)
    assert (result.outcome, result.severity) == ("fail", "error")
    assert result.message == "the audio is missing: 0 audio streams, but one was asked for"


def test_a_cover_picture_is_not_the_video_that_should_not_be_there() -> None:
    cover = OtherStream(index=1, codec="mjpeg", media_type="video", attached_picture=True)
    assert run("media.streams@1", case(audio(), cover, expect={"video": False})).outcome == "pass"
