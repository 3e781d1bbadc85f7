"""What CI servers take for JUnit XML.

The table holds what the schema junit-10.xsd of Jenkins' xUnit plugin allows, of the elements that mediacheck writes: it
is the strictest in use. GitLab and Jenkins' own junit step read the same elements and look at nothing else.
"""

from __future__ import annotations

from importlib.util import find_spec
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from tests.needs import require_all

REQUIRED = {"testsuite": {"name", "tests", "failures", "errors"}, "testcase": {"name"}}
ALLOWED = {
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname", "id", "package"},
    "testcase": {"name", "classname", "time"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "skipped": {"type", "message"},
    "system-out": set(),
    "system-err": set(),
}
CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"testcase", "system-out", "system-err"},
    "testcase": {"failure", "error", "skipped", "system-out", "system-err"},
}
COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def checked(document: bytes) -> Element:
    """The root of a JUnit file, after every rule was held against it."""
    root = ElementTree.fromstring(document)
    assert root.tag == "testsuites"
    for element in root.iter():
        assert set(element.keys()) <= ALLOWED[element.tag], element.tag
        assert REQUIRED.get(element.tag, set()) <= set(element.keys()), element.tag
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set()), element.tag
    # Jenkins and GitLab tell cases apart by these two: of two that share them, one would be lost.
    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(set(names)) == len(names)
    for suite in root:
        cases = suite.findall("testcase")
        assert suite.get("tests") == str(len(cases))
        for key, tag in COUNTED.items():
            assert suite.get(key) == str(len(suite.findall(f"testcase/{tag}")))
        assert all(len(case) <= 1 for case in cases)
    for key in set(root.keys()) - {"name"}:
        assert root.get(key) == str(sum(int(suite.get(key, "")) for suite in root)), key
    if require_all() or find_spec("junitparser") is not None:
        _as_a_peer_reads_it(document, root)
    return root


def _as_a_peer_reads_it(document: bytes, root: Element) -> None:
    from junitparser import JUnitXml

    read = JUnitXml.fromstring(document)
    assert (read.tests, read.failures, read.errors) == tuple(
        int(root.get(key, "")) for key in ("tests", "failures", "errors")
    )
    names = [[case.name for case in suite] for suite in read]
    assert names == [[case.get("name") for case in suite] for suite in root]
    counted = [sum(len(case.result) for case in suite) for suite in read]
    assert counted == [sum(len(suite.findall(f"testcase/{tag}")) for tag in COUNTED.values()) for suite in root]
