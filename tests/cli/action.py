"""Run the composite action as a runner does: its steps are plain commands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.run import ROOT, environment


@dataclass(frozen=True)
class Stepped:
    code: int
    outputs: str
    """What was written to GITHUB_OUTPUT."""
    printed: str

    @property
    def verdict(self) -> str:
        """As the runner reads it: the last line counts."""
        return dict(line.split("=", 1) for line in self.outputs.splitlines()).get("verdict", "")


def steps() -> list[dict[str, Any]]:
    import yaml

    found: list[dict[str, Any]] = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    return found


def run_action(folder: Path, **given: str) -> dict[str, Stepped]:
    """Every step whose condition holds, one after the other until one fails; but the one that installs."""
    import yaml

    action = yaml.safe_load((ROOT / "action.yml").read_text())
    inputs = {name: str(about["default"]) for name, about in action["inputs"].items()}
    inputs |= {"python": sys.executable, **given}
    assert inputs.keys() == action["inputs"].keys()
    done: dict[str, Stepped] = {}
    for step in action["runs"]["steps"][1:]:
        wanted = re.fullmatch(r"inputs\.(\w+) != ''", step["if"])
        assert wanted is not None
        if not inputs[wanted[1]]:
            continue
        variables = {}
        for name, value in step["env"].items():
            named = re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", value)
            assert named is not None
            variables[name] = inputs[named[1]]
        output = folder / f"{step['id']}.output"
        summary = folder / f"{step['id']}.summary"
        output.touch()
        summary.touch()
        ran = subprocess.run(
            # As the runner calls it.
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=folder,
            env=environment(
                **variables,
                GITHUB_ACTIONS="true",
                GITHUB_OUTPUT=str(output),
                GITHUB_STEP_SUMMARY=str(summary),
                PATH=os.environ["PATH"],
            ),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        done[step["id"]] = Stepped(ran.returncode, output.read_text(), ran.stdout.decode())
        if ran.returncode:
            break
    return done


def verdict(done: dict[str, Stepped]) -> str:
    """The action's output: the first step of its expression that has one."""
    import yaml

    value = yaml.safe_load((ROOT / "action.yml").read_text())["outputs"]["verdict"]["value"]
    steps = re.fullmatch(r"\$\{\{ (.*) \}\}", value)
    assert steps is not None
    named = [re.fullmatch(r"steps\.(\w+)\.outputs\.verdict", part) for part in steps[1].split(" || ")]
    return next((done[name[1]].verdict for name in named if name and name[1] in done and done[name[1]].verdict), "")
