"""A page's blocks, run as they stand in a folder, and held against what they print.

In the output that a page states ``…`` stands for any text, and alone on a line for any lines. Words must be the same.
Rates may differ by a little: processors round differently, and a recogniser then may hear one word otherwise.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.run import ROOT, environment

NUMBER = re.compile(r"(?<![\w.])[+-]?\d+(?:\.\d+)?(?![\w.]*\w)")
ANY_NUMBER = r"([+-]?\d+(?:\.\d+)?)"


@dataclass(frozen=True)
class Step:
    command: str
    expected: str


@dataclass(frozen=True)
class Followed:
    """The folder of somebody who followed the page, and what each step printed."""

    folder: Path
    steps: list[tuple[Step, str]]

    def gate(self, run: str, baseline: str, *, workload: str, policy: str = "policy.toml") -> tuple[int, Any]:
        """Exit code and decision."""
        command = ["-m", "mediacheck", "gate", f"runs/{run}", "--baseline", f"runs/{baseline}", "--policy", policy]
        done = subprocess.run(
            [sys.executable, *command, "--workload", workload, "--json", "-"],
            cwd=self.folder, env=environment(), capture_output=True, check=False,
        )  # fmt: skip
        return done.returncode, json.loads(done.stdout)


def page_steps(page: str, mark: str) -> list[Step]:
    """Commands of the blocks after ``<!-- runs: MARK -->``, each with what it prints.

    A command goes on in lines that begin with the shell's ``>``.
    """
    found = []
    for block in re.findall(rf"<!-- runs: {mark} -->\n```console\n(.*?)```", page, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.splitlines()
            end = next((k for k, line in enumerate(lines) if k and not line.startswith(">")), len(lines))
            command = "\n".join([lines[0], *(line[2:] for line in lines[1:end])])
            found.append(Step(command, "".join(f"{line}\n" for line in lines[end:])))
    return found


def follow(page: Path, mark: str, make: str, folder: Path, **variables: str) -> Followed:
    """Run what makes the files, then each step of the page.

    Args:
        page: Markdown.
        mark: of its blocks.
        make: ``python -m …``, without the folder that it writes to.
        folder: an empty one.
        variables: of the environment.
    """
    command = folder.with_name(f"{folder.name}-bin") / "mediacheck"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mediacheck "$@"\n')
    command.chmod(0o755)
    variables = environment(PATH=f"{command.parent}:{os.environ['PATH']}", **variables)
    subprocess.run([sys.executable, *make.split()[1:], folder], cwd=ROOT, env=variables, check=True)
    steps = []
    for step in page_steps(page.read_text(), mark):
        done = subprocess.run(
            ["bash", "-c", step.command],
            cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        steps.append((step, done.stdout.decode()))
        if "calibrate" in step.command:
            (folder / "open.toml").write_bytes((folder / "policy.toml").read_bytes())
    return Followed(folder, steps)


def prints(expected: str, printed: str, *, within: float = 0.02) -> bool:
    """Whether a step printed what the page says, rates within this or a quarter."""
    pattern, stated = "", []
    for line in expected.splitlines():
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
            continue
        parts = line.split("…")
        words = (ANY_NUMBER.join(re.escape(text) for text in NUMBER.split(part)) for part in parts)
        pattern += ".*?".join(words) + r"\n"
        # Words that are counted, and items that are estimated, move as rates do.
        loose = "substituted" in line or "about" in line
        stated += [(number, loose) for part in parts for number in NUMBER.findall(part)]
    match = re.fullmatch(pattern, printed)
    return match is not None and all(
        _near(number, found, loose, within) for (number, loose), found in zip(stated, match.groups(), strict=True)
    )


def _near(number: str, found: str, loose: bool, within: float) -> bool:
    if "." in number + found:
        return abs(float(number) - float(found)) <= max(within, 0.25 * abs(float(number)))
    return abs(int(number) - int(found)) <= (max(2, 0.25 * int(number)) if loose else 0)


def outcomes(decision: Any) -> dict[str, str]:
    """Of each rule."""
    return {rule["id"]: rule["outcome"] for rule in decision["rules"]}


def figures(decision: Any, rule: str) -> Any:
    """Of one rule, by group."""
    (own,) = (found["figures"] for found in decision["rules"] if found["id"] == rule)
    return {figure["group"]: figure for figure in own}
