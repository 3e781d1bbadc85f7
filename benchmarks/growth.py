"""Does the memory of a batch grow with the number of its items? BATCH.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TypeVar

from benchmarks.commands import Setting, Subject, mediacheck_batch
from benchmarks.inputs import Cache
from benchmarks.process import Command, Memory, Usage, run, run_watched
from benchmarks.report import Surroundings, noise, table

SIZES = (1000, 10_000)
QUICK_SIZES = (100, 1000)
CLIPS = 1000
"""Distinct ones: items beyond are links to the same, so that the sizes differ in nothing but their number."""
JOBS = 2
T = TypeVar("T")


@dataclass(frozen=True)
class Work:
    """What is done with each item."""

    name: str
    scorers: tuple[str, ...] = ()


WORKS = (Work("validate"), Work("validate, score loudness", ("loudness",)))


@dataclass(frozen=True)
class Size:
    """The runs of one work over so many items."""

    items: int
    memory: tuple[Memory, ...]
    usages: tuple[Usage, ...]
    """Of other runs: watching takes time."""

    def peak(self, figure: str) -> float:
        """MB; the median over the runs."""
        return float(median(getattr(memory, figure) for memory in self.memory))

    def milliseconds(self, figure: str) -> float:
        """An item, start-up and export included; the median over the runs."""
        return 1000 * float(median(getattr(usage, figure) for usage in self.usages)) / self.items


@dataclass(frozen=True)
class Growth:
    work: Work
    small: Size
    large: Size

    def difference(self, figure: str) -> float:
        """MB that the larger run takes more."""
        return self.large.peak(figure) - self.small.peak(figure)


def measure(work: Work, sizes: tuple[int, int], clips: int, cache: Cache, setting: Setting, rounds: int) -> Growth:
    """Both sizes in turn, once watched and once timed in each round.

    Raises:
        BenchmarkError: it cannot be run.
    """
    both = [command(work, cache.items(size, clips), setting) for size in sizes]
    memory: tuple[list[Memory], list[Memory]] = ([], [])
    usages: tuple[list[Usage], list[Usage]] = ([], [])
    for _ in range(rounds):
        _in_turn(run_watched, both, memory)
        _in_turn(run, both, usages)
    small, large = (Size(sizes[i], tuple(memory[i]), tuple(usages[i])) for i in (0, 1))
    return Growth(work, small, large)


def command(work: Work, manifest: Path, setting: Setting) -> Command:
    return mediacheck_batch(Subject(manifest, jobs=JOBS), setting, scorers=work.scorers)


def _in_turn(measured: Callable[[Command], T], commands: Sequence[Command], into: Sequence[list[T]]) -> None:
    for one, runs in zip(commands, into, strict=True):
        runs.append(measured(one))


def render(found: Sequence[Growth], around: Surroundings) -> str:
    """The whole file."""
    head = ("work", "items", "all processes", "lowest … highest", "largest process", "driver")
    rows = [row for growth in found for row in _rows(growth)]
    parts = [
        "# A batch of more items\n\nWritten by `python -m benchmarks growth`; README.md tells how memory is measured. "
        f"Each size ran {_times(around.pairs)} watched and {_times(around.pairs)} timed, in turn; medians. "
        f"{noise(around.others)}",
        "Peaks in MB (10^6 bytes), a bare interpreter "
        f"({around.bare.tree:.0f} MB) included. The driver is the process that was started: it writes the ledger "
        "and, at the end, the exports. Times are wall-clock and processor time of all processes over the number of "
        "items, start-up and export included.\n\n"
        + table((*head, "ms an item", "processor ms an item"), rows, right=7),
        "Each item is a file of its own name: a link to one of the clips of README.md. The command, the manifest being "
        "JSON lines with `id` and `media`:\n\n```\n"
        f"mediacheck batch MANIFEST --run FOLDER --jobs {JOBS} --quiet [--scorer=loudness]\n```",
        "## With\n\n" + "\n".join(f"- {name}: {version}" for name, version in around.versions if version),
    ]
    return "\n\n".join(parts) + "\n"


def _rows(growth: Growth) -> Sequence[Sequence[str]]:
    name = growth.work.name
    rows = []
    for size in (growth.small, growth.large):
        trees = [memory.tree for memory in size.memory]
        peaks = [f"{size.peak(figure):.1f}" for figure in ("tree", "largest", "first")]
        times = [f"{size.milliseconds(figure):.2f}" for figure in ("wall_s", "cpu_s")]
        spread = f"{min(trees):.1f} … {max(trees):.1f}"
        rows.append((name, f"{size.items:,}", peaks[0], spread, *peaks[1:], *times))
    more = [f"{growth.difference(figure):+.1f}" for figure in ("tree", "largest", "first")]
    rows.append((name, "difference", more[0], "", *more[1:], "", ""))
    return rows


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
