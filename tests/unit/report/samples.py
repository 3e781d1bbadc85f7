"""Reports made by hand, for the tests of renderers and schemas."""

from __future__ import annotations

from fractions import Fraction

from mediacheck.facts import (
    AudioStream,
    ContainerFacts,
    FileFacts,
    Libraries,
    MediaFacts,
    Problem,
    Span,
    SpanTotals,
    VideoStream,
)
from mediacheck.verdict import (
    ContractIdentity,
    Finding,
    Report,
    Subject,
    ToolIdentity,
    ValidatorIdentity,
    Verdict,
)


def facts(name: str = "out.mp4") -> MediaFacts:
    return MediaFacts(
        libraries=Libraries(ffmpeg="8.0"),
        file=FileFacts(name=name, bytes=319_311, sha256="ab" * 32),
        container=ContainerFacts(
            format="mov,mp4,m4a,3gp,3g2,mj2",
            problems=(Problem(code="trailing_data", message="3 bytes follow", affects="header"),),
        ),
        streams=(
            VideoStream(
                index=0,
                codec="h264",
                width=160,
                height=96,
                pixel_format="yuv420p",
                frames=362,
                measured_rate=Fraction(24),
                duration=Fraction(181, 12),
                duration_seconds=181 / 12,
            ),
            AudioStream(
                index=1,
                codec="aac",
                sample_rate=32_000,
                channels=2,
                layout="stereo",
                sample_format="fltp",
                samples=482_400,
                duration=Fraction(603, 40),
                duration_seconds=15.075,
                peak_dbfs=-6.02,
            ),
        ),
    )


def finding(
    check: str = "audio.finite",
    outcome: str = "fail",
    severity: str = "error",
    message: str = "3 samples are not finite, the first at 0:01:15.075",
    spans: tuple[Span, ...] = (),
    count: int | None = None,
) -> Finding:
    return Finding(
        check=check,
        version=1,
        outcome=outcome,  # type: ignore[arg-type]
        severity=severity,  # type: ignore[arg-type]
        measured=3,
        expected=0,
        unit="samples",
        spans=spans,
        spans_totals=None if count is None else SpanTotals(count=count),
        message=message,
    )


def spans(count: int) -> tuple[Span, ...]:
    return tuple(
        Span(start=Fraction(75 + k) + Fraction(3, 40), end=Fraction(75 + k) + Fraction(4, 40)) for k in range(count)
    )


PASSED = finding("media.decodable", "pass", message="decodes")
FAILED = finding(spans=spans(5), count=120)
UNCLEAR = finding("audio.coverage", "inconclusive", message="no timestamps")
WARNED = finding("audio.dc_offset", "fail", "warning", "mean 0.02, limit 0.01")
ABSENT = finding("video.black", "not_applicable", message="no video stream")


def report(
    verdict: Verdict = "fail",
    *findings: Finding,
    name: str = "out.mp4",
    not_checked: str = "no contract: duration.contract",
) -> Report:
    measured = facts(name)
    return Report(
        tool=ToolIdentity(name="mediacheck", version="0.1.0", libraries=measured.libraries),
        validator=ValidatorIdentity(id="v2", digest="sha256:00", status="preview"),
        contract=ContractIdentity(id="minimax-h3-ref2va", digest="sha256:11", status="verified-in-source"),
        expect=None,
        subject=Subject(name=name, bytes=measured.file.bytes, sha256=measured.file.sha256),
        verdict=verdict,
        findings=findings,
        not_checked=not_checked,
        facts=measured,
    )
