"""Take the recipes out of the documents, and run them as their servers do, in a project of their own."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.run import ROOT, environment

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)

MAKE_OUTPUTS = """\
import sys
from pathlib import Path
from tests.batch.runs import write_manifest
from tests.cli.run import write_cut_wav
folder = Path(sys.argv[1])
write_manifest(folder, 24)
for number in range(20 if Path("broken").exists() else 0):
    write_cut_wav(folder / f"{number:04}.wav")
"""
POLICY = """\
schema = "mediacheck.policy/1"
id = "nightly"

[approval]
by = "Kim"
date = "2026-11-30"
workload = "nightly-tts"

[[rules]]
id = "valid"
metric = "validity_rate"
statistic = "rate"
max_decrease = 0.2
unit = "fraction"
"""
# What there is to install is there; what a recipe asks for must exist.
PIP = """\
import re, sys, tomllib
from pathlib import Path
command, *constrained, wanted = sys.argv[1:]
named = re.fullmatch(r"\\./mediacheck(?:\\[(.+)\\])?", wanted)
extras = tomllib.loads(Path(PYPROJECT).read_text())["project"]["optional-dependencies"]
sound = constrained in ([], ["--constraint", "mediacheck/constraints.txt"])
sys.exit(0 if command == "install" and sound and named and set((named[1] or "all").split(",")) <= extras.keys() else 9)
"""
# A virtual environment is a copy of these programs.
PYTHON = """\
case "$1 $2" in
    "-m venv") mkdir -p "$3/bin" && cp "{programs}/mediacheck" "{programs}/python" "{programs}/pip" "$3/bin" ;;
    *) exec "{python}" "$@" ;;
esac"""
SCORER = "--scorer wer --model models/small.en.pt"
"""What is left out: it takes weights and half a minute."""


@dataclass(frozen=True)
class Recipe:
    text: str


def recipes(document: str) -> dict[str, Recipe]:
    """The first block of each kind in a document: ``sh``, ``github``, ``gitlab``, ``jenkins``, ``pre-commit``."""
    found: dict[str, Recipe] = {}
    for language, text in _BLOCK.findall((ROOT / document).read_text(encoding="utf-8")):
        named = re.match(r"(?:#|//) (\S+)\n", text)
        file = named[1] if named else ""
        key = {".gitlab-ci.yml": "gitlab", "Jenkinsfile": "jenkins", ".pre-commit-config.yaml": "pre-commit"}.get(file)
        found.setdefault(key or ("github" if file.startswith(".github/workflows/") else language), Recipe(text))
    return found


@dataclass(frozen=True)
class Job:
    """What became of a recipe."""

    code: int
    printed: str
    junit: tuple[str, ...] = ()
    """Files that the server reads as JUnit."""
    artifacts: tuple[str, ...] = ()
    """Patterns of what it keeps."""


@dataclass(frozen=True)
class Project:
    """A folder with what the recipes take for granted, and programs that stand before all others on the path."""

    folder: Path

    def run(self, *command: str, **variables: str) -> tuple[int, str]:
        path = f"{self.folder / '.programs'}:{environment()['PATH']}"
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=environment(PATH=path, **variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=120,
        )
        return done.returncode, done.stdout.decode()

    def script(self, text: str) -> str:
        """A file with a script, where no recipe looks."""
        path = self.folder / ".programs" / "script"
        path.write_text(text.replace(SCORER, ""))
        return str(path)

    def kept(self, pattern: str) -> list[Path]:
        """The files that a pattern of artifacts names; a folder stands for all in it."""
        below = pattern.removesuffix("**")
        found = (self.folder / below).rglob("*") if below.endswith("/") else self.folder.glob(pattern)
        return [path for path in found if path.is_file()]


def make_project(folder: Path) -> Project:
    programs = folder / ".programs"
    programs.mkdir(parents=True)
    (folder / "make_outputs.py").write_text(MAKE_OUTPUTS)
    (folder / "policy.toml").write_text(POLICY)
    (programs / "pip.py").write_text(PIP.replace("PYPROJECT", repr(str(ROOT / "pyproject.toml"))))
    for name, text in {
        "mediacheck": f'exec "{sys.executable}" -P -m mediacheck "$@"',
        "pip": f'exec "{sys.executable}" "{programs}/pip.py" "$@"',
        "python": PYTHON.format(python=sys.executable, programs=programs),
    }.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    return Project(folder)


def run_shell(project: Project, recipe: Recipe) -> Job:
    """As a script that stops where a command fails."""
    return Job(*project.run("sh", "-e", project.script(recipe.text)))


def run_github(project: Project, recipe: Recipe) -> Job:
    """Every ``run`` step of the only job; then what is uploaded."""
    steps = _only(workflow_jobs(recipe))["steps"]
    code, printed = run_steps(project, steps)
    artifacts: tuple[str, ...] = ()
    for step in steps:
        if str(step.get("uses", "")).startswith("actions/upload-artifact@"):
            assert step["if"] == "always()"
            artifacts = tuple(step["with"]["path"].split())
    return Job(code, printed, tuple(name for name in artifacts if name.endswith(".junit.xml")), artifacts)


def workflow_jobs(recipe: Recipe) -> dict[str, Any]:
    jobs: dict[str, Any] = _yaml(recipe)["jobs"]
    return jobs


def run_steps(project: Project, steps: list[dict[str, Any]], **matrix: str) -> tuple[int, str]:
    """The ``run`` steps until one fails, as GitHub's runner calls one without ``shell``, in one matrix cell."""
    code, printed = 0, ""
    for step in steps:
        if "run" in step and code == 0:
            text = re.sub(r"\$\{\{ matrix\.(\w+) \}\}", lambda found: matrix[found[1]], step["run"])
            code, said = project.run("bash", "-e", project.script(text), **step.get("env", {}))
            printed += said
    return code, printed


def run_gitlab(project: Project, recipe: Recipe) -> Job:
    """The script of the only job in one shell, as the runner puts it together."""
    job = _only(_yaml(recipe))
    text = "set -eo pipefail\nset +o noclobber\n" + "\n".join(job["script"])
    code, printed = project.run("bash", project.script(text), **job["variables"])
    kept = job["artifacts"]
    assert kept["when"] == "always"
    return Job(code, printed, (kept["reports"]["junit"],), (*kept["paths"], kept["reports"]["junit"]))


def run_jenkins(project: Project, recipe: Recipe) -> Job:
    """Every ``sh`` of the stages, as the pipeline calls it, until one fails; then the steps of ``post``."""
    stages, post = recipe.text.split("    post {\n")
    code, printed = 0, ""
    for long, short in re.findall(r"^ +sh (?:'''(.*?)'''|'([^'\n]+)')$", stages, re.MULTILINE | re.DOTALL):
        if code == 0:
            code, said = project.run("sh", "-xe", project.script(_groovy(long or short)))
            printed += said
    (junit,) = re.findall(r"^ +junit testResults: '([^']+)', allowEmptyResults: true$", post, re.MULTILINE)
    (archived,) = re.findall(
        r"^ +archiveArtifacts artifacts: '([^']+)', allowEmptyArchive: true$", post, re.MULTILINE
    )
    return Job(code, printed, (junit,), tuple(archived.split(", ")))


def blocks_of(groovy: str) -> list[str]:
    """The blocks of a Jenkinsfile, each as its path: ``pipeline/stages/stage('media')/steps``."""
    text = re.sub(r"'''.*?'''|//[^\n]*", "", groovy, flags=re.DOTALL)
    path: list[str] = []
    found = []
    for name, closing in re.findall(r"([\w']+(?:\('[^']*'\))?) *\{|(\})", text):
        if closing:
            path.pop()
        else:
            path.append(name)
            found.append("/".join(path))
    assert path == [], "its braces are not balanced"
    return found


def _groovy(text: str) -> str:
    """What Groovy makes of a string between single quotes: a backslash escapes, and takes the end of a line away."""
    return re.sub(r"\\(.)", lambda found: "" if found[1] == "\n" else found[1], text, flags=re.DOTALL)


def _yaml(recipe: Recipe) -> dict[str, Any]:
    import yaml

    parsed: dict[str, Any] = yaml.safe_load(recipe.text)
    return parsed


def _only(jobs: dict[str, Any]) -> dict[str, Any]:
    (job,) = jobs.values()
    assert isinstance(job, dict)
    return job
