"""docs/reference/rules.md is written from the texts that explain what a policy holds and a gate prints."""

from __future__ import annotations

import re
import sys
from os.path import relpath
from pathlib import Path

from mediacheck.explain import groups
from mediacheck.report.explanation import markdown

DOCUMENT = re.compile(r"\b(?:docs|benchmarks)/[\w/-]+\.md\b")
ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference" / "rules.md"
HEAD = """# Rules

What a [policy](policy.md) may hold and the report of `mediacheck gate` prints, name by name; `mediacheck explain NAME`
prints the same. This page is made from the texts in `mediacheck/gate/explained`:
`python -m tests.unit.test_rules_reference`.

Of a family one text stands for all: CHECK, SCORER, PART, STATUS, VERDICT, SIDE and N stand for what is typed in their
place, as in `findings:audio.silent`, `coverage:wer`, `wer.deletions`, `p95`.
"""


def render() -> str:
    """The page."""
    parts = [HEAD]
    for group in groups()[1:]:
        parts += [f"## {group.title}\n", *(markdown(told, level=3) for told in group.explanations)]
    return DOCUMENT.sub(_link, "\n".join(parts))


def _link(found: re.Match[str]) -> str:
    """Texts name documents as the checkout has them: a terminal follows no links."""
    path = relpath(ROOT / found[0], REFERENCE.parent).replace("\\", "/")
    return f"[{found[0]}]({path})"


def test_the_page_is_up_to_date() -> None:
    assert REFERENCE.read_text(encoding="utf-8") == render()


if __name__ == "__main__":
    REFERENCE.write_text(render(), encoding="utf-8")
    sys.exit(0)
