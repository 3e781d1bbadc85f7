"""The recipes of the documents are run as their servers run them, on good outputs and on bad ones."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.action import run_action, verdict
from tests.cli.recipes import (
    SCORER,
    Job,
    Project,
    Recipe,
    blocks_of,
    make_project,
    recipes,
    run_github,
    run_gitlab,
    run_jenkins,
    run_shell,
)
from tests.cli.run import mediacheck
from tests.junit_rules import checked
from tests.needs import needs_module, needs_program

pytestmark = [needs_module("yaml"), needs_program("bash")]

VALIDATE = "docs/how-to/ci.md"
GATE = "docs/how-to/ci-gate.md"
SHARDS = "docs/how-to/cluster.md"
RUNNERS: dict[str, Callable[[Project, Recipe], Job]] = {
    "sh": run_shell,
    "github": run_github,
    "gitlab": run_gitlab,
    "jenkins": run_jenkins,
}
CASES = [
    *((VALIDATE, server) for server in ("github", "gitlab", "jenkins")),
    *((GATE, server) for server in ("sh", "gitlab", "jenkins")),
]
SCHEMAS = {"github": "vendor.github-workflows", "gitlab": "vendor.gitlab-ci"}


@pytest.fixture(scope="module")
def baseline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a repository holds of the run that was promoted last."""
    project = make_project(tmp_path_factory.mktemp("promoted"))
    made = "python make_outputs.py outputs/ && mediacheck batch outputs/manifest.jsonl --run run --validator v2"
    code, said = project.run("sh", "-ec", f"{made} --quiet")
    assert code == 0, said
    kept = project.folder / "baseline"
    kept.mkdir()
    for name in ("run.toml", "results.jsonl"):
        shutil.copy(project.folder / "run" / name, kept)
    return kept


@pytest.fixture
def project(baseline: Path, tmp_path: Path) -> Project:
    shutil.copytree(baseline, tmp_path / "my project" / "baseline")
    return make_project(tmp_path / "my project")


def run(document: str, server: str, project: Project) -> Job:
    return RUNNERS[server](project, recipes(document)[server])


@pytest.mark.parametrize(("document", "server"), CASES)
def test_it_passes_what_is_good_and_fails_what_is_bad(document: str, server: str, project: Project) -> None:
    if server == "sh":
        project.run("python", "make_outputs.py", "outputs/")
    job = run(document, server, project)
    assert job.code == 0, job.printed
    for pattern in (*job.artifacts, *job.junit):
        assert project.kept(pattern), f"{pattern} names no file"
    for name in job.junit:
        assert len(checked((project.folder / name).read_bytes())) > 0

    (project.folder / "broken").touch()
    if server == "sh":
        project.run("python", "make_outputs.py", "outputs/")
    job = run(document, server, project)
    assert job.code == 1, job.printed
    for pattern in (*job.artifacts, *job.junit):
        assert project.kept(pattern), f"{pattern} names no file"
    for name in job.junit:
        failures = list(checked((project.folder / name).read_bytes()).iter("failure"))
        # One for each broken file and check, or for the one rule.
        assert len(failures) == (1 if document == GATE else 20)


def test_the_command_in_short_is_one(project: Project) -> None:
    project.run("python", "make_outputs.py", "outputs/")
    job = run(VALIDATE, "sh", project)
    # No output of the model that the contract is of, and that is what it says.
    assert job.code == 1, job.printed
    assert "fail  duration.contract: " in job.printed
    assert len(project.kept("facts/")) == 24
    assert len(checked((project.folder / "mediacheck.junit.xml").read_bytes())) == 24


@pytest.mark.parametrize("server", ["sh", "gitlab", "jenkins"])
def test_a_batch_that_did_not_take_place_ends_the_job(server: str, project: Project) -> None:
    (project.folder / "make_outputs.py").write_text("import pathlib; pathlib.Path('outputs').mkdir(exist_ok=True)")
    job = run(GATE, server, project)
    assert job.code == 2
    assert "outputs/manifest.jsonl is not there" in job.printed
    assert job.printed.count("mediacheck: ") == 1, "the gate was asked all the same"
    assert not any(project.kept(name) for name in job.junit)


@pytest.mark.parametrize("document", [VALIDATE, GATE])
def test_jenkins_shows_no_report_of_the_build_before(document: str, project: Project) -> None:
    project.run("python", "make_outputs.py", "outputs/")
    for name in ("run/run.toml", "facts/a.json", "mediacheck.json", "mediacheck.junit.xml", "comment.md"):
        (project.folder / name).parent.mkdir(exist_ok=True)
        (project.folder / name).touch()
    (project.folder / "make_outputs.py").write_text("import pathlib; pathlib.Path('outputs').mkdir()")
    job = run(document, "jenkins", project)
    assert job.code == 2, "outputs of the build before were judged"
    assert [name for name in (*job.junit, *job.artifacts) if project.kept(name)] == []


def test_the_action_gates_as_the_recipe_calls_it(project: Project) -> None:
    import yaml

    steps = yaml.safe_load(recipes(GATE)["github"].text)["jobs"]["gate"]["steps"]
    (given,) = (step["with"] for step in steps if step.get("uses") == "./mediacheck")
    assert f"--scorer {given['scorers']} {given['options'].replace(chr(10), ' ').strip()}" == SCORER
    given |= {"scorers": "", "options": "", "extras": ""}
    (kept,) = (step["with"]["path"].split() for step in steps if "upload-artifact" in step.get("uses", ""))
    for broken in (False, True):
        if broken:
            (project.folder / "broken").touch()
        assert run(GATE, "github", project).code == 0
        done = run_action(project.folder, **given)
        assert verdict(done) == ("fail" if broken else "pass"), done["gate"].printed
        assert done["gate"].code == int(broken)
        assert done["gate"].printed.count("::error ") == 2 * int(broken)
        assert all(project.kept(pattern) for pattern in kept)
        root = checked((project.folder / "mediacheck-gate.junit.xml").read_bytes())
        assert len(list(root.iter("failure"))) == int(broken)


def test_what_the_tests_leave_out_of_the_commands_exists() -> None:
    shown = mediacheck("batch", "--help", cwd=Path.cwd()).text
    for server in ("sh", "gitlab", "jenkins"):
        text = re.sub(r"\\?\n *", " ", recipes(GATE)[server].text)
        assert text.replace("  ", " ").count(SCORER) == 1
    assert {option for option in re.findall(r"--[\w-]+", SCORER) if not re.search(rf"{option}\b", shown)} == set()


@pytest.mark.parametrize(("document", "stage"), [(VALIDATE, "media"), (GATE, "gate")])
def test_a_jenkinsfile_is_a_declarative_pipeline(document: str, stage: str) -> None:
    assert blocks_of(recipes(document)["jenkins"].text) == [
        "pipeline", "pipeline/agent", "pipeline/agent/docker", "pipeline/stages",
        f"pipeline/stages/stage('{stage}')", f"pipeline/stages/stage('{stage}')/steps",
        "pipeline/post", "pipeline/post/always",
    ]  # fmt: skip


@needs_module("check_jsonschema")
@pytest.mark.parametrize(
    ("document", "server"),
    [*((document, server) for document in (VALIDATE, GATE) for server in SCHEMAS), (SHARDS, "github")],
)
def test_it_fits_the_schema_of_its_server(document: str, server: str, tmp_path: Path) -> None:
    file = tmp_path / "recipe.yml"
    file.write_text(recipes(document)[server].text, encoding="utf-8")
    assert fits(SCHEMAS[server], file)
    # A schema that takes all would tell nothing.
    file.write_text(file.read_text().replace("    steps:", "    stepz:").replace("  script:", "  skript:"))
    assert not fits(SCHEMAS[server], file)


@needs_module("check_jsonschema")
def test_the_action_fits_the_schema() -> None:
    assert fits("vendor.github-actions", Path(__file__).parents[2] / "action.yml")


def fits(schema: str, file: Path) -> bool:
    """Whether a file fits one of the schemas that check-jsonschema carries."""
    import check_jsonschema

    with pytest.raises(SystemExit) as ended:
        check_jsonschema.main(["--builtin-schema", schema, str(file)])
    return ended.value.code == 0
