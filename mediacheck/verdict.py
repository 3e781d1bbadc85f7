"""The types of a judgement: outcome, finding, verdict, report."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from mediacheck.expectation import Expectation
from mediacheck.facts import Libraries, MediaFacts, Span, SpanTotals, Struct

REPORT_SCHEMA: Final = "mediacheck.report/1"
REPORTS_SCHEMA: Final = "mediacheck.reports/1"

Outcome = Literal["pass", "fail", "inconclusive", "not_applicable"]
Severity = Literal["error", "warning"]
Verdict = Literal["pass", "fail", "inconclusive"]


class Finding(Struct, frozen=True, kw_only=True):
    """What one check says of one file."""

    check: str
    version: int
    outcome: Outcome
    severity: Severity
    stream: int | None = None
    """Index of the stream that it speaks of, where it is one."""
    measured: int | float | str | None = None
    """Fractions as ``"num/den"``."""
    expected: int | float | str | None = None
    unit: str | None = None
    spans: tuple[Span, ...] = ()
    """Where: the first hundred; ``spans_totals`` counts them all."""
    spans_totals: SpanTotals | None = None
    message: str
    """One sentence: what is wrong, by how much and where; or what could not be checked, and why."""


class ToolIdentity(Struct, frozen=True, kw_only=True):
    name: str
    version: str
    libraries: Libraries


class ValidatorIdentity(Struct, frozen=True, kw_only=True):
    id: str
    digest: str
    status: Literal["preview", "stable"]


class ContractIdentity(Struct, frozen=True, kw_only=True):
    id: str
    digest: str
    status: str


class Subject(Struct, frozen=True, kw_only=True):
    name: str
    bytes: int
    sha256: str


class Report(Struct, frozen=True, kw_only=True):
    """A file judged: whoever holds the facts and the validator can compute it again, byte for byte."""

    schema: Literal["mediacheck.report/1"] = REPORT_SCHEMA
    tool: ToolIdentity
    validator: ValidatorIdentity
    contract: ContractIdentity | None
    expect: Expectation | None
    """What was asked for on the command line; None where nothing was."""
    subject: Subject
    verdict: Verdict
    findings: tuple[Finding, ...]
    not_checked: str
    """One line: which checks did not apply or could not be made, and why."""
    facts: MediaFacts
    """Without the envelope, and with the first hundred spans of each list."""


class Reports(Struct, frozen=True, kw_only=True):
    schema: Literal["mediacheck.reports/1"] = REPORTS_SCHEMA
    reports: tuple[Report, ...]


class WrittenReports(Struct, frozen=True, kw_only=True):
    """``Reports``, each of which is JSON already."""

    schema: Literal["mediacheck.reports/1"] = REPORTS_SCHEMA
    reports: tuple[msgspec.Raw, ...]
