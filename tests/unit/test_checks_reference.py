"""docs/reference/checks.md is written from the checks themselves."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from mediacheck.checks import Check, Parameters, all_checks
from mediacheck.validators import list_validators

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "checks.md"
SECTIONS = ("What it does:", "Why it is bad:", "Parameters:", "Source:")
HEAD = """# Checks

Every check, by id and version, with the severity that each validator gives it. This page is written from the checks'
docstrings: `python -m tests.unit.test_checks_reference`.

`not_applicable` where its input is absent, `inconclusive` where its fact could not be measured; a value exactly at a
limit is within it. Silence is below −60 dBFS RMS in a window of 10 ms, by the loudest channel.
"""


def paragraphs(check: Check[Parameters]) -> tuple[str, dict[str, str]]:
    """The first line of a check's docstring, and its sections by name."""
    lines = [line.strip() for line in check.doc.strip().splitlines()]
    sections: dict[str, str] = {}
    name = ""
    for line in lines[2:]:
        started = next((section for section in SECTIONS if line.startswith(section)), None)
        if started is not None:
            name, line = started, line.removeprefix(started).strip()
        if line:
            sections[name] = f"{sections.get(name, '')} {line}".strip()
    return lines[0], sections


def render() -> str:
    """The page."""
    validators = list_validators()
    parts = [HEAD]
    for check in all_checks():
        title, sections = paragraphs(check)
        severities = [
            f"{validator.id}: {pinned.severity}"
            for validator in validators
            for pinned in validator.checks
            if pinned.check == check.name
        ]
        parts.append(f"\n## `{check.name}`\n\n{title} *({', '.join(severities) or 'in no validator'})*\n")
        parts += [f"\n**{name}** {text.replace('``', '`')}\n" for name, text in sections.items()]
    return "".join(parts)


def test_the_page_is_up_to_date() -> None:
    assert REFERENCE.read_text(encoding="utf-8") == render()


@pytest.mark.parametrize("check", all_checks(), ids=lambda check: check.name)
def test_every_docstring_has_its_sections(check: Check[Parameters]) -> None:
    title, sections = paragraphs(check)
    assert title.endswith((".", ")"))
    assert tuple(sections) == SECTIONS


@pytest.mark.parametrize("check", all_checks(), ids=lambda check: check.name)
def test_every_parameter_is_documented(check: Check[Parameters]) -> None:
    told = paragraphs(check)[1]["Parameters:"]
    for name in check.parameters.__struct_fields__:
        assert re.search(rf"\b{name}\b", told), name


if __name__ == "__main__":
    REFERENCE.write_text(render(), encoding="utf-8")
    sys.exit(0)
