"""What a check is, and the register in which each is found by id and version.

A check is a small pure function from a ``Case`` (facts, and what was asked for) and its own typed parameters to a
``Result``. A published version never changes its behaviour: a correction is registered as the next version.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Generic, TypeVar, cast

import msgspec
from msgspec.structs import replace

from mediacheck.errors import ValidatorError
from mediacheck.expectation import Expectation
from mediacheck.facts import AudioStream, MediaFacts, Span, SpanTotals, Struct, VideoStream
from mediacheck.verdict import Outcome, Severity

if TYPE_CHECKING:
    from mediacheck.contracts import Contract


class Parameters(Struct, frozen=True, kw_only=True):
    """Base of the limits of a check: each has a default, none may be below zero unless it is a level in dB."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError(f"{name} must be finite")
            if isinstance(value, Fraction | int) and value < 0:
                raise ValueError(f"{name} cannot be below zero")


class NoParameters(Parameters, frozen=True, kw_only=True):
    """For checks without limits."""


class Case(msgspec.Struct, frozen=True):
    """One file before the judge: what was measured, what a contract says, what the user asked for."""

    facts: MediaFacts
    contract: Contract | None = None
    expect: Expectation = msgspec.field(default_factory=Expectation)


class Result(msgspec.Struct, frozen=True):
    """What a check says; the judge adds id, version and the validator's severity to make a finding of it."""

    outcome: Outcome
    message: str
    measured: int | float | str | None = None
    expected: int | float | str | None = None
    unit: str | None = None
    spans: tuple[Span, ...] = ()
    spans_totals: SpanTotals | None = None
    stream: int | None = None
    severity: Severity = "error"
    """A check may lower the validator's severity (to a warning), never raise it."""


P = TypeVar("P", bound=Parameters)


class Check(msgspec.Struct, Generic[P], frozen=True):
    """A registered rule."""

    id: str
    version: int
    parameters: type[P]
    run: Callable[[Case, P], Result]

    @property
    def name(self) -> str:
        """``audio.finite@1``, as a validator pins it."""
        return f"{self.id}@{self.version}"


_CHECKS: dict[str, Check[Parameters]] = {}


def check(
    id: str, version: int, parameters: type[P]
) -> Callable[[Callable[[Case, P], Result]], Callable[[Case, P], Result]]:
    """Register the decorated function as ``id@version``.

    Raises:
        ValueError: if that version is taken: a changed behaviour needs a new version.
    """

    def register(run: Callable[[Case, P], Result]) -> Callable[[Case, P], Result]:
        found = Check(id, version, parameters, run)
        if found.name in _CHECKS:
            raise ValueError(f"{found.name} is registered twice")
        _CHECKS[found.name] = cast("Check[Parameters]", found)
        return run

    return register


def get_check(name: str) -> Check[Parameters]:
    """The check of ``id@version``.

    Raises:
        ValidatorError: naming the versions there are, or the checks.
    """
    if name in _CHECKS:
        return _CHECKS[name]
    id = name.partition("@")[0]
    versions = [known for known in _CHECKS if known.partition("@")[0] == id]
    known = ", ".join(sorted(versions or _CHECKS))
    raise ValidatorError(f"there is no check {name!r}; known: {known}")


def all_checks() -> tuple[Check[Parameters], ...]:
    """Every registered version, by name."""
    return tuple(_CHECKS[name] for name in sorted(_CHECKS))


def passed(
    message: str,
    *,
    measured: int | float | str | None = None,
    expected: int | float | str | None = None,
    unit: str | None = None,
) -> Result:
    return Result("pass", message, measured=measured, expected=expected, unit=unit)


def failed(
    message: str,
    *,
    measured: int | float | str | None = None,
    expected: int | float | str | None = None,
    unit: str | None = None,
    spans: tuple[Span, ...] = (),
    spans_totals: SpanTotals | None = None,
    severity: Severity = "error",
) -> Result:
    return Result("fail", message, measured, expected, unit, spans, spans_totals, severity=severity)


def inconclusive(message: str) -> Result:
    return Result("inconclusive", message)


def not_applicable(reason: str) -> Result:
    """``reason`` is one phrase: checks with the same one stand together in the line of what was not checked."""
    return Result("not_applicable", reason)


# Which of several results speaks for a check: the one that decides most about the verdict.
_RANK = {
    ("fail", "error"): 5,
    ("inconclusive", "error"): 4,
    ("fail", "warning"): 3,
    ("inconclusive", "warning"): 2,
}


def worst(results: Iterable[Result]) -> Result:
    """The first of the worst; a pass outranks what did not apply."""
    return max(results, key=lambda r: _RANK.get((r.outcome, r.severity), 1 if r.outcome == "pass" else 0))


def combined(results: Iterable[Result]) -> Result:
    """The worst, its sentence joined with those of all that failed as badly: one check that compares several values."""
    found = tuple(results)
    first = worst(found)
    if first.outcome != "fail":
        return first
    same = [one.message for one in found if (one.outcome, one.severity) == (first.outcome, first.severity)]
    return replace(first, message="; ".join(dict.fromkeys(same)))


def every_audio(case: Case, judge: Callable[[AudioStream], Result]) -> Result:
    """Judge each audio stream; the worst one speaks."""
    return _every(case.facts.audio, judge, "no audio stream")


def every_video(case: Case, judge: Callable[[VideoStream], Result]) -> Result:
    """Judge each video stream; the worst one speaks."""
    return _every(case.facts.video, judge, "no video stream")


def every_decoded(case: Case, judge: Callable[[AudioStream | VideoStream], Result]) -> Result:
    """Judge each audio and video stream; the worst one speaks."""
    streams = tuple(s for s in case.facts.streams if isinstance(s, AudioStream | VideoStream))
    return _every(streams, judge, "no audio or video stream")


S = TypeVar("S", bound=AudioStream | VideoStream)


def _every(streams: tuple[S, ...], judge: Callable[[S], Result], none: str) -> Result:
    if not streams:
        return not_applicable(none)
    return worst(of_stream(judge(stream), stream, len(streams)) for stream in streams)


def of_stream(result: Result, stream: AudioStream | VideoStream, streams: int) -> Result:
    """``result`` as said of ``stream``, which its message names where there are several."""
    name = f"stream {stream.index}: " if streams > 1 and result.outcome != "not_applicable" else ""
    return replace(result, stream=stream.index, message=name + result.message)


def lowered(result: Result, severity: Severity) -> Result:
    """``result`` at most at ``severity``."""
    return replace(result, severity="warning") if severity == "warning" else result
