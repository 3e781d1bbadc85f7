"""Two revisions in one run, in turn: has a change made it slower?"""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.commands import ROOT, Setting
from benchmarks.inputs import Cache
from benchmarks.process import BenchmarkError, run_watched
from benchmarks.ratios import Ratio, ratio_of
from benchmarks.report import ratio_text, table
from benchmarks.rounds import take_turns
from benchmarks.scenarios import Scenario

WORKING_TREE = "."


@dataclass(frozen=True)
class Row:
    """What one input says of revision B over revision A."""

    name: str
    wall: Ratio
    cpu: Ratio
    memory_mb: float
    """Peak of B less that of A, all processes."""


def check_out(revision: str, folder: Path) -> Path:
    """The tree of a revision; ``.`` is the working tree as it stands.

    ``git archive`` rather than a worktree: it writes nothing into the repository, so a run that is killed leaves
    nothing to clean up there.

    Raises:
        BenchmarkError: git does not know the revision.
    """
    if revision == WORKING_TREE:
        return ROOT
    archive = subprocess.run(["git", "-C", str(ROOT), "archive", "--format=tar", revision], capture_output=True)
    if archive.returncode:
        raise BenchmarkError(f"git knows no revision {revision!r} here; name a commit or a tag, or . for what is here")
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extractall(folder, filter="data")
    # Old revisions have no compiled part.
    build = folder / "hatch_build.py"
    if build.exists():
        done = subprocess.run([sys.executable, str(build)], capture_output=True, text=True)
        if done.returncode:
            raise BenchmarkError(f"the kernel of {revision} cannot be built: {done.stderr.strip()}")
    return folder


def compare(
    before: Path, after: Path, scenarios: Sequence[Scenario], cache: Cache, setting: Setting, pairs: int
) -> Iterator[Row]:
    """One row an input, as each is done. Files that fail validation are timed all the same.

    Raises:
        BenchmarkError: a revision cannot be run.
    """
    for scenario in scenarios:
        subject = scenario.make(cache)
        both = [scenario.ours.build(subject, setting, folder=folder, strict=False) for folder in (before, after)]
        peaks = [run_watched(command) for command in both]
        old, new = take_turns(both, pairs)
        yield Row(
            scenario.name,
            ratio_of([u.wall_s for u in new], [u.wall_s for u in old]),
            ratio_of([u.cpu_s for u in new], [u.cpu_s for u in old]),
            peaks[1].tree - peaks[0].tree,
        )


def render(rows: Sequence[Row], before: str, after: str) -> str:
    """A table of B over A: above 1, B is slower."""
    lines = [
        (row.name, *ratio_text(row.wall), *ratio_text(row.cpu), f"{row.memory_mb:+.1f}") for row in rows
    ]
    head = ("input", "time", "lowest … highest", "processor time", "lowest … highest", "peak MB")
    return f"{after} over {before}; above 1, {after} is slower.\n\n" + table(head, lines, right=5)
