"""Explanations for people: as text on a terminal, and as a page of Markdown."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from click import style

from mediacheck.explain import Explanation, Group, Parameter
from mediacheck.validators import plain

_WIDTH = 80
_INDENT = "  "


def render(told: Explanation) -> str:
    """One explanation. Colours are ANSI sequences; the writer strips them where they are not wanted."""
    lines = [style(told.name, bold=True), f"{told.title} ({kind(told)})"]
    for name, text in (
        ("In short", "\n".join(f"- {one.name}: {one.value}" for one in told.properties)),
        ("What it does", told.what),
        ("Why it matters", told.why),
        ("How it is computed", told.how),
        ("Parameters", "\n".join(_parameter(one) for one in told.parameters)),
    ):
        if text:
            lines += ["", style(name, bold=True), *_wrapped(text)]
    lines += ["", style("Example", bold=True), *_wrapped(told.example.situation), ""]
    # As a report prints it: a line that is broken here could not be searched for.
    if told.example.policy:
        lines += [*(f"{_INDENT * 2}{line}" for line in told.example.policy.splitlines()), ""]
    lines += [f"{_INDENT * 2}{line}" for line in told.example.printed.splitlines()]
    for name, text in (("How to fix", told.fix), ("Source", told.source)):
        lines += ["", style(name, bold=True), *_wrapped(text)]
    return "\n".join(lines) + "\n"


def render_list(groups: Sequence[Group]) -> str:
    """A line for each explanation, below the title of its kind."""
    column = max((len(told.name) for group in groups for told in group.explanations), default=0)
    parts = [
        style(group.title, bold=True)
        + "\n"
        + "".join(f"{told.name:<{column}}  {told.title}\n" for told in group.explanations)
        for group in groups
    ]
    return "\n".join(parts)


def kind(told: Explanation) -> str:
    """What is explained; of a check, how gravely validators take it."""
    return used(told) if told.kind == "check" else told.kind


def used(told: Explanation) -> str:
    """``v1: error, v2: warning``."""
    return ", ".join(f"{use.validator}: {use.severity}" for use in told.uses) or "in no validator"


def _parameter(one: Parameter) -> str:
    values = [f"default {plain(one.default)}", *(f"{value.name} {plain(value.value)}" for value in one.values)]
    return f"- `{one.name}` ({one.unit}; {', '.join(values)}): {one.meaning}"


def _wrapped(text: str) -> list[str]:
    """Paragraphs and the items of lists, each broken into lines."""
    lines: list[str] = []
    for block in re.split(r"\n\n|\n(?=- )", text):
        item = block.startswith("- ")
        if lines and not item:
            lines.append("")
        lines += textwrap.wrap(
            " ".join(block.split()),
            _WIDTH,
            initial_indent=_INDENT,
            subsequent_indent=_INDENT * 2 if item else _INDENT,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return lines


def markdown(told: Explanation, *, level: int = 2) -> str:
    """A section of docs/reference/checks.md or rules.md.

    Args:
        told: what it explains.
        level: of its heading.
    """
    parts = [f"{'#' * level} `{told.name}`\n\n{told.title} *({kind(told)})*"]
    if told.properties:
        parts.append("\n".join(f"- {one.name}: {one.value}" for one in told.properties))
    sections = ("What it does", told.what), ("Why it matters", told.why), ("How it is computed", told.how)
    parts += [f"**{name}.** {text}" for name, text in sections]
    if told.parameters:
        parts.append(_table(told.parameters))
    parts.append(f"**Example.** {told.example.situation}")
    if told.example.policy:
        parts.append(f"```toml\n{told.example.policy}\n```")
    parts.append(f"```text\n{told.example.printed}\n```")
    parts += [f"**How to fix.** {told.fix}", f"**Source.** {told.source}"]
    return "\n\n".join(parts) + "\n"


def _table(parameters: Sequence[Parameter]) -> str:
    validators = [value.name for value in parameters[0].values]
    rows = [
        ["parameter", "unit", "default", *validators, "meaning"],
        ["---"] * (4 + len(validators)),
        *(
            [f"`{one.name}`", one.unit, plain(one.default), *(plain(value.value) for value in one.values), one.meaning]
            for one in parameters
        ),
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
