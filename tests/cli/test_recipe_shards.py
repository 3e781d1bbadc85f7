"""The matrix of the documents: a run in parts, each on its own machine, and the merge that follows."""

from __future__ import annotations

from pathlib import Path

from tests.cli.recipes import make_project, recipes, run_steps, workflow_jobs
from tests.needs import needs_module, needs_program

pytestmark = [needs_module("yaml"), needs_program("bash")]


def test_the_shards_of_a_matrix_are_merged(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    jobs = workflow_jobs(recipes("docs/how-to/cluster.md")["github"])
    for step in (step for job in jobs.values() for step in job["steps"] if "run" in step):
        step["run"] = step["run"].replace(" --scorer wer", "")
    project.run("python", "make_outputs.py", ".")
    (project.folder / "0000.wav").unlink()
    for part in jobs["shard"]["strategy"]["matrix"]["part"]:
        code, said = run_steps(project, jobs["shard"]["steps"], part=str(part))
        assert code == 0, said
        (project.folder / "run").rename(project.folder / f"run-{part}")
    # As the artifacts lie where they were fetched to.
    (project.folder / "runs").mkdir()
    for shard in project.folder.glob("run-*"):
        shard.rename(project.folder / "runs" / shard.name)
    code, said = run_steps(project, jobs["merge"]["steps"])
    assert code == 1
    assert "24 items" in said
    assert "present 23, valid 23" in said
    code, said = run_steps(project, jobs["shard"]["steps"], part="9")
    assert code == 2, "a batch that did not take place is no shard"
