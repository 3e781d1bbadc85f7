"""Reads the text of an explanation: Markdown with fixed sections, in a fixed order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files

from mediacheck.errors import InstallationError
from mediacheck.explain.explanation import Example

WHAT, WHY, HOW = "What it does", "Why it matters", "How it is computed"
PARAMETERS, EXAMPLE, FIX, SOURCE = "Parameters", "Example", "How to fix", "Source"
SECTIONS = (WHAT, WHY, HOW, PARAMETERS, EXAMPLE, FIX, SOURCE)
"""``Parameters`` is left out where there are none."""

_EXAMPLE = re.compile(
    r"(?P<situation>.+?)\n\n(?:```toml\n(?P<policy>.+?)\n```\n\n)?```text\n(?P<printed>.+)\n```", re.DOTALL
)
_PARAMETER = re.compile(r"- `(?P<name>\w+)` \((?P<unit>[^)]+)\): (?P<meaning>.+)")


@dataclass(frozen=True)
class Described:
    """What a text says of a parameter."""

    name: str
    unit: str
    meaning: str


@dataclass(frozen=True)
class Text:
    title: str
    sections: dict[str, str]
    parameters: tuple[Described, ...]
    example: Example


def load(package: str, name: str) -> str:
    """The Markdown of a text.

    Args:
        package: beside whose code it lies, in ``explained``.
        name: its file, ``audio.finite@1.md`` or ``metrics/speaker.md``.

    Raises:
        InstallationError: it is missing.
    """
    try:
        return files(package).joinpath("explained", *name.split("/")).read_text(encoding="utf-8")
    except OSError as error:
        raise InstallationError(f"the text {name} is missing; install mediacheck again") from error


def parse(text: str, where: str) -> Text:
    """Read a text.

    Args:
        text: Markdown.
        where: what errors call it.

    Raises:
        InstallationError: it has not the sections that it must have.
    """
    head, *parts = re.split(r"(?m)^## ", text)
    title = head.strip().removeprefix("# ")
    sections = {name: body.strip() for name, _, body in (part.partition("\n") for part in parts)}
    wanted = tuple(name for name in SECTIONS if name != PARAMETERS or name in sections)
    if not head.startswith("# ") or "\n" in title or len(parts) != len(sections) or tuple(sections) != wanted:
        raise InstallationError(f"{where} does not have the sections {', '.join(SECTIONS)}; install mediacheck again")
    example = _EXAMPLE.fullmatch(sections[EXAMPLE])
    rows = [_PARAMETER.fullmatch(item) for item in _items(sections.get(PARAMETERS, ""))]
    if example is None or None in rows or not all(sections.values()):
        raise InstallationError(f"{where} has a section that is not as it must be; install mediacheck again")
    return Text(
        title=title,
        sections=sections,
        parameters=tuple(Described(row["name"], row["unit"], row["meaning"]) for row in rows if row is not None),
        example=Example(
            situation=_joined(example["situation"]), policy=example["policy"] or "", printed=example["printed"]
        ),
    )


def _items(section: str) -> list[str]:
    """The items of a list, each on one line."""
    return [_joined(item) for item in re.split(r"\n(?=- )", section) if item]


def _joined(text: str) -> str:
    return " ".join(text.split())
