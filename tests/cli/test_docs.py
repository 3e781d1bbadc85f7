"""The documents' examples run and print what they say, so that they cannot rot.

A block after ``<!-- runs: demo -->`` runs in a folder with the demo files. In the expected output ``…`` stands for any
text, and alone on a line for any lines.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.run import ROOT, environment
from tests.needs import needs_program

DOCUMENTS = (
    "README.md",
    "docs/tutorial/first-validation.md",
    "docs/how-to/raw-pcm.md",
    "docs/how-to/judge-again.md",
    "docs/how-to/batch.md",
    "docs/how-to/cluster.md",
)
LINKING = (
    "docs/index.md",
    "CONTRIBUTING.md",
    "docs/reference/cli.md",
    "docs/reference/scoring.md",
    "docs/how-to/score.md",
    "docs/how-to/gate.md",
    "docs/tutorial/gate-a-candidate.md",
    "docs/reference/policy.md",
    "docs/reference/rules.md",
    "docs/explanation/gates.md",
    "docs/how-to/remote.md",
    "docs/reference/runs.md",
    "docs/how-to/ci.md",
    "docs/how-to/ci-gate.md",
    "docs/how-to/pytest.md",
)
BLOCK = re.compile(r"<!-- runs: demo -->\n```(console|python)\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Step:
    command: str
    expected: str


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    subprocess.run([sys.executable, ROOT / "examples" / "make_demo.py", folder], check=True, capture_output=True)
    return folder


@pytest.fixture
def folder(demo: Path, tmp_path: Path) -> Path:
    for path in demo.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    command = tmp_path / ".bin" / "mediacheck"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mediacheck "$@"\n')
    command.chmod(0o755)
    return tmp_path


def steps(block: str) -> list[Step]:
    """A console block as commands with the output that each is said to print."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [Step(*(part.split("\n", 1))) for part in parts]


def pattern(expected: str) -> str:
    """A regular expression of the expected output."""
    lines = expected.splitlines()
    return "".join(
        r"(?:.*\n)*" if line.strip() == "…" else ".*".join(re.escape(part) for part in line.split("…")) + r"\n"
        for line in lines
    )


def run(command: list[str], folder: Path) -> str:
    path = f"{folder / '.bin'}:{environment()['PATH']}"
    done = subprocess.run(
        command, cwd=folder, env=environment(PATH=path), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return done.stdout.decode()


@needs_program("bash")
@pytest.mark.parametrize("document", DOCUMENTS)
def test_examples_print_what_the_document_says(document: str, folder: Path) -> None:
    blocks = BLOCK.findall((ROOT / document).read_text())
    assert blocks
    for language, block in blocks:
        if language == "python":
            assert run([sys.executable, "-c", block], folder) == ""
            continue
        for step in steps(block):
            printed = run(["bash", "-c", step.command], folder)
            assert re.fullmatch(pattern(step.expected), printed), f"$ {step.command}\n{printed}"


def test_the_pattern_is_strict_where_nothing_is_left_out() -> None:
    assert re.fullmatch(pattern("a\n…\nb …\n"), "a\n\nx\nb y\n")
    assert not re.fullmatch(pattern("a\n"), "a\nb\n")
    assert not re.fullmatch(pattern("a\n…\nb\n"), "a\nc\n")


@pytest.mark.parametrize("document", [*DOCUMENTS, *LINKING])
def test_links_lead_somewhere(document: str) -> None:
    path = ROOT / document
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text()):
        assert (path.parent / target).exists(), target
