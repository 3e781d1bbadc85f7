"""From facts to a report: a pure function, without decoder, clock or input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from mediacheck.checks import Case, Result
from mediacheck.expectation import Expectation
from mediacheck.facts import AudioStream, MediaFacts, NonFinite, Stream, Timeline, VideoStream
from mediacheck.validators import PinnedCheck, Validator
from mediacheck.verdict import (
    ContractIdentity,
    Finding,
    Report,
    Subject,
    ToolIdentity,
    ValidatorIdentity,
    Verdict,
)
from mediacheck.version import __version__

if TYPE_CHECKING:
    from mediacheck.contracts import Contract

SHOWN_SPANS = 100
"""How many spans of a list a report holds; the totals beside it count them all."""


def judge(
    facts: MediaFacts,
    validator: Validator,
    contract: Contract | None = None,
    expect: Expectation | None = None,
) -> Report:
    """Judge what was measured.

    Args:
        facts: of one file.
        validator: which checks, at which versions, with which parameters.
        contract: what the model that made the file can produce; None: unknown.
        expect: what was asked for of this file; None: nothing.

    Returns:
        The same report, byte for byte, for the same arguments.
    """
    asked = None if expect is None or expect.empty else expect
    case = Case(facts=facts, contract=contract, expect=asked or Expectation())
    findings = tuple(find(case, pinned) for pinned in validator.checks)
    return Report(
        tool=ToolIdentity(name="mediacheck", version=__version__, libraries=facts.libraries),
        validator=ValidatorIdentity(id=validator.id, digest=validator.digest, status=validator.status),
        contract=None
        if contract is None
        else ContractIdentity(id=contract.id, digest=contract.digest, status=contract.status),
        expect=asked,
        subject=Subject(name=facts.file.name, bytes=facts.file.bytes, sha256=facts.file.sha256),
        verdict=verdict_of(findings),
        findings=findings,
        not_checked=not_checked(findings),
        facts=shown(facts),
    )


def find(case: Case, pinned: PinnedCheck) -> Finding:
    """What one check of a validator says of a case."""
    definition = pinned.definition
    result: Result = definition.run(case, pinned.parameters)
    return Finding(
        check=definition.id,
        version=definition.version,
        outcome=result.outcome,
        severity="warning" if "warning" in (result.severity, pinned.severity) else "error",
        stream=result.stream,
        measured=result.measured,
        expected=result.expected,
        unit=result.unit,
        spans=result.spans[:SHOWN_SPANS],
        spans_totals=result.spans_totals,
        message=result.message,
    )


def verdict_of(findings: tuple[Finding, ...]) -> Verdict:
    """Any error that failed: fail; else any error left open: inconclusive; nothing that applied: inconclusive."""
    deciding = {finding.outcome for finding in findings if finding.severity == "error"}
    if "fail" in deciding:
        return "fail"
    if "inconclusive" in deciding or all(finding.outcome == "not_applicable" for finding in findings):
        return "inconclusive"
    return "pass"


def not_checked(findings: tuple[Finding, ...]) -> str:
    """One line: ``no video stream: video.black, video.rate; could not be checked: …``; empty where all was checked."""
    absent: dict[str, list[str]] = {}
    open_: dict[str, list[str]] = {}
    for finding in findings:
        if finding.outcome == "not_applicable":
            absent.setdefault(finding.message, []).append(finding.check)
        elif finding.outcome == "inconclusive":
            open_.setdefault(finding.message, []).append(finding.check)
    parts = [f"could not be determined, {reason}: {', '.join(checks)}" for reason, checks in open_.items()]
    parts += [f"{reason}: {', '.join(checks)}" for reason, checks in absent.items()]
    return "; ".join(" ".join(part.split()) for part in parts)


def shown(facts: MediaFacts) -> MediaFacts:
    """The facts as a report holds them: without the series of each window and frame, lists cut to the first hundred."""
    return msgspec.structs.replace(facts, streams=tuple(_shown_stream(stream) for stream in facts.streams))


def _shown_stream(stream: Stream) -> Stream:
    cut = SHOWN_SPANS
    timeline = stream.timeline and _shown_timeline(stream.timeline)
    spans = stream.decode_error_spans[:cut]
    if isinstance(stream, AudioStream):
        found: NonFinite = stream.non_finite
        return msgspec.structs.replace(
            stream,
            timeline=timeline,
            decode_error_spans=spans,
            non_finite=msgspec.structs.replace(found, spans=found.spans[:cut]),
            silences=stream.silences[:cut],
            zero_runs=stream.zero_runs[:cut],
            constant_runs=stream.constant_runs[:cut],
            envelope=None,
        )
    if isinstance(stream, VideoStream):
        return msgspec.structs.replace(
            stream,
            timeline=timeline,
            decode_error_spans=spans,
            black_spans=stream.black_spans[:cut],
            frozen_spans=stream.frozen_spans[:cut],
            black_share=None,
            change=None,
            local_change=None,
            frame_times=None,
        )
    return msgspec.structs.replace(stream, timeline=timeline, decode_error_spans=spans)


def _shown_timeline(timeline: Timeline) -> Timeline:
    order = timeline.non_monotonic
    return msgspec.structs.replace(
        timeline,
        gaps=timeline.gaps[:SHOWN_SPANS],
        overlaps=timeline.overlaps[:SHOWN_SPANS],
        non_monotonic=msgspec.structs.replace(order, spans=order.spans[:SHOWN_SPANS]),
    )
