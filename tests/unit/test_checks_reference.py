"""docs/reference/checks.md is written from the texts that explain the checks."""

from __future__ import annotations

import sys
from pathlib import Path

from mediacheck.explain import checks
from mediacheck.report.explanation import markdown

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "checks.md"
HEAD = """# Checks

Every check, by id and version, with the severity that each validator gives it; `mediacheck explain CHECK` prints the
same. This page is made from the texts in `mediacheck/checks/explained`: `python -m tests.unit.test_checks_reference`.

`not_applicable` where its input is absent, `inconclusive` where its fact could not be measured; a value exactly at a
limit is within it, where nothing else is said. A check that does not apply is named in a report's line of what was not
checked.
"""


def render() -> str:
    """The page."""
    return "\n".join([HEAD, *(markdown(checks.explain(name)) for name in checks.names())])


def test_the_page_is_up_to_date() -> None:
    assert REFERENCE.read_text(encoding="utf-8") == render()


if __name__ == "__main__":
    REFERENCE.write_text(render(), encoding="utf-8")
    sys.exit(0)
