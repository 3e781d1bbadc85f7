"""Reports as JUnit XML, as CI servers read it: a suite for each file, a case for each check.

A failing check is a ``failure``, one that could not be determined an ``error``, one that did not apply ``skipped``.
A warning decides nothing, so it never fails a build: it stands in ``system-out``, or is ``skipped`` where it could not
be determined.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from mediacheck.report.text import where
from mediacheck.verdict import Finding, Report

# XML 1.0, section 2.2: all that is not in Char.
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(reports: Sequence[Report], names: Sequence[str] | None = None) -> bytes:
    """JUnit XML of ``reports``, in their order, UTF-8.

    Args:
        reports: of one file each.
        names: what their suites are called; the files' own names by default.
    """
    root = Element("testsuites", name="mediacheck")
    named = Distinct()
    for report, name in zip(reports, names or [report.subject.name for report in reports], strict=True):
        _suite(root, report, named.legal(name))
    return finished(root)


def finished(root: Element) -> bytes:
    """The document of suites whose cases are complete: counted, UTF-8."""
    for suite in root:
        suite.set("tests", str(len(suite)))
        for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            suite.set(key, str(len(suite.findall(f"testcase/{tag}"))))
    # Not skipped: Jenkins' schema (junit-10.xsd) knows it of a suite only.
    for key in ("tests", "failures", "errors"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


class Distinct:
    """Names as XML can hold them, those that were there before with a number: CI servers show one case of a name."""

    def __init__(self) -> None:
        self._times: Counter[str] = Counter()

    def legal(self, name: str) -> str:
        name = legal(name)
        self._times[name] += 1
        return name if self._times[name] == 1 else f"{name} ({self._times[name]})"


def legal(text: str) -> str:
    """Text without the characters that XML cannot hold."""
    return _ILLEGAL.sub("\ufffd", text)


def _suite(root: Element, report: Report, name: str) -> None:
    suite = SubElement(root, "testsuite", name=name)
    for finding in report.findings:
        _case(suite, name, finding)
    decided = {"fail": suite.find("testcase/failure"), "inconclusive": suite.find("testcase/error"), "pass": suite}
    if decided[report.verdict] is None:
        # Where no check applied at all, no case says why the file is not good.
        case = SubElement(suite, "testcase", classname=name, name="verdict")
        SubElement(case, "error", type=report.verdict, message=legal(report.not_checked or report.verdict))


def _case(suite: Element, name: str, finding: Finding) -> None:
    case = SubElement(suite, "testcase", classname=name, name=f"{finding.check}@{finding.version}")
    message = legal(finding.message)
    match finding.outcome, finding.severity:
        case "fail", "error":
            failure = SubElement(case, "failure", type=finding.check, message=message)
            failure.text = legal(_details(finding))
        case "inconclusive", "error":
            SubElement(case, "error", type="inconclusive", message=message)
        case "fail", "warning":
            SubElement(case, "system-out").text = f"warning: {message}"
        case ("not_applicable", _) | ("inconclusive", _):
            SubElement(case, "skipped", message=message)


def _details(finding: Finding) -> str:
    unit = f" {finding.unit}" if finding.unit else ""
    lines = []
    if finding.measured is not None:
        lines.append(f"measured {finding.measured}{unit}")
    if finding.expected is not None:
        lines.append(f"expected {finding.expected}{unit}")
    if finding.spans:
        lines.append(f"at {where(finding)}")
    return "\n".join(lines)
