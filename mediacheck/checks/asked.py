"""What contract and expectation ask of a file, as several checks need it."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

import msgspec

from mediacheck.checks.registry import Case
from mediacheck.errors import ContractError
from mediacheck.facts import AudioStream, VideoStream
from mediacheck.verdict import Severity

if TYPE_CHECKING:
    from mediacheck.contracts import Contract, Outcome, Reachability


def contract_severity(contract: Contract) -> Severity:
    """A contract that nobody verified in the source never fails a file."""
    return "error" if contract.enforceable else "warning"


def sample_range(stream: AudioStream, tolerance: Fraction | None = None) -> tuple[int, int]:
    """Least and greatest true count of samples, widened by ``tolerance`` seconds where the user gave one."""
    bounds = stream.samples_bounds
    low, high = (bounds.low, bounds.high) if bounds else (stream.samples, stream.samples)
    slack = floor((tolerance or 0) * stream.sample_rate)
    return low - slack, high + slack


def range_note(stream: AudioStream) -> str:
    """`` (48129 to 49152 by …)`` where the count is not exact, else nothing."""
    bounds = stream.samples_bounds
    return f" ({bounds.low} to {bounds.high}: {bounds.reason})" if bounds else ""


def video_rate(stream: VideoStream) -> Fraction | None:
    """Frames per second, measured where there are two frames or more."""
    return stream.measured_rate or stream.declared_rate


class Answer(msgspec.Struct, frozen=True):
    """What a contract says of a file: by the user's request, or by asking back from what is there."""

    outcome: Outcome | None = None
    """What the user's request gives; None where nothing was requested."""
    by_duration: bool = False
    """Whether ``outcome`` answers the duration that the user asked for, as a request of seconds."""
    reach: Reachability | None = None
    """Whether what is there is reachable; None where a request decides."""
    impossible: str | None = None
    """Why the model cannot give what was requested."""
    unanswered: str | None = None
    """Why the contract cannot answer at all."""


def ask_contract(case: Case, contract: Contract) -> Answer:
    """Forward from the frames, latents, tokens or duration that the user asked for, else back from what was measured.

    The file's sample rate chooses among the routes. A duration is put to the contract only where a request of seconds
    drives it: elsewhere it is a length of the file, for ``duration.expected`` alone.
    """
    expect = case.expect
    request: dict[str, Fraction | int] = {
        name: value
        for name, value in (("frames", expect.frames), ("latents", expect.latents), ("tokens", expect.tokens))
        if value is not None
    }
    seconds: dict[str, Fraction | int] = {} if expect.duration is None else {"seconds": expect.duration}
    for asked in ({**request, **seconds}, request, seconds):
        if asked and (forward := _with_fps(case, contract, asked)) is not None:
            return _forward(case, contract, forward)
    found = _backward(case, contract)
    return _with_counts(contract, found, request) if request else found


def _with_counts(contract: Contract, found: Answer, request: dict[str, Fraction | int]) -> Answer:
    """``found`` where it has the counts that were asked for, which no route takes as a request but may compute."""
    computed = {formula.name for route in contract.routes for formula in route.formulas}
    unknown = [name for name in request if name not in computed]
    if unknown:
        return Answer(unanswered=f"contract {contract.id} knows no {' and no '.join(unknown)}")
    if found.reach is None or found.reach.outcome is None:
        return found
    for name, asked in request.items():
        given = found.reach.outcome.value(name)
        if given != asked:
            text = f"{asked} {name} were asked for, but what is there takes {given} by contract {contract.id}"
            return Answer(impossible=text)
    return found


def _with_fps(case: Case, contract: Contract, asked: dict[str, Fraction | int]) -> dict[str, Fraction | int] | None:
    """``asked`` with the file's rate where a route takes one; None where no route takes ``asked``."""
    fps = _fps(case, contract)
    with_fps = asked if fps is None else {**asked, "fps": fps}
    for request in (with_fps, asked):
        if any(route.takes(frozenset(request)) for route in contract.routes_at(_rate_of(case, contract))):
            return request
    return None


def _fps(case: Case, contract: Contract) -> Fraction | None:
    if contract.fps_fixed:
        return None
    return case.expect.fps or (video_rate(case.facts.video[0]) if case.facts.video else None)


def _rate_of(case: Case, contract: Contract) -> int | None:
    """The file's sample rate, where it is one of the contract's; any other is for ``audio.format``."""
    rate = case.facts.audio[0].sample_rate if case.facts.audio else None
    return rate if rate in contract.sample_rates else None


def _forward(case: Case, contract: Contract, request: dict[str, Fraction | int]) -> Answer:
    try:
        outcome = contract.forward(request, sample_rate=_rate_of(case, contract))
    except ContractError as error:
        return Answer(impossible=str(error))
    return Answer(outcome=outcome, by_duration="seconds" in request)


def _backward(case: Case, contract: Contract) -> Answer:
    audio = case.facts.audio[0] if case.facts.audio else None
    video = case.facts.video[0] if case.facts.video else None
    low, high = sample_range(audio, case.expect.tolerance) if audio else (None, None)
    try:
        reach = contract.backward(
            samples=audio.samples if audio else None,
            frames=video.frames if video and contract.video != "absent" else None,
            fps=_fps(case, contract),
            samples_low=low,
            samples_high=high,
            sample_rate=_rate_of(case, contract),
        )
    except ContractError as error:
        return Answer(unanswered=str(error))
    return Answer(reach=reach)


def expected_samples(case: Case) -> int | None:
    """The exact count of samples that was asked for, by the user or by the contract; None where there is none."""
    if case.expect.samples is not None:
        return case.expect.samples
    if case.contract is None or not case.contract.decides_samples:
        return None
    answer = ask_contract(case, case.contract)
    if answer.outcome is not None:
        return answer.outcome.samples
    if answer.reach is not None and answer.reach.at_frames is not None:
        return answer.reach.at_frames.samples
    return None


def contract_decides_sync(case: Case) -> bool:
    """Whether an enforceable contract says how many samples go with these frames."""
    contract = case.contract
    if contract is None or not contract.enforceable:
        return False
    return contract.decides_samples and contract.decides_frames and expected_samples(case) is not None
