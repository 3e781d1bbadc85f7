"""One worker against two: mediacheck, and plain loads beside it that tell what limits it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.commands import ROOT, Setting, Subject, mediacheck
from benchmarks.inputs import Cache
from benchmarks.process import Command, Usage, run
from benchmarks.report import table
from benchmarks.rounds import take_turns

LOADS = {
    "cpu": "interpreter loop (caches only)",
    "arrays": "numpy passes over one-second blocks",
    "memory": "copies of 256 MB (memory bandwidth)",
    "allocate": "fresh pages (the kernel maps and clears them)",
}
DECODERS = ("flac", "mp3", "opus")


@dataclass(frozen=True)
class Scaling:
    """The same work by one process and by two at a time."""

    name: str
    one: tuple[Usage, ...]
    two: tuple[Usage, ...]

    @property
    def speed_up(self) -> float:
        """2 where two processes do it in half the time."""
        return _middle(self.one, "wall_s") / _middle(self.two, "wall_s")

    @property
    def dearer(self) -> float:
        """Processor time of two over one: above 1, they stand in each other's way."""
        return _middle(self.two, "cpu_s") / _middle(self.one, "cpu_s")


def _middle(usages: tuple[Usage, ...], figure: str) -> float:
    return float(median(getattr(usage, figure) for usage in usages))


@dataclass(frozen=True)
class Work:
    """Something to do one process at a time or two."""

    name: str
    command: Callable[[int], Command]
    """Given how many at a time; makes its inputs when called."""


def works(cache: Cache, setting: Setting, *, clips: int, files: int) -> tuple[Work, ...]:
    """The plain loads first, then mediacheck by its own workers and as separate runs."""
    found = [Work(name, partial(_load, kind)) for kind, name in LOADS.items()]
    found += [Work(f"decoder alone, {form}", partial(_decoder, cache, form)) for form in DECODERS]
    folders = {f"{clips} clips": partial(cache.clips, clips), f"{files} long files": partial(cache.long_files, files)}
    for name, folder in folders.items():
        found.append(Work(f"mediacheck, {name}, --jobs", partial(_workers, folder, setting)))
        found.append(Work(f"mediacheck, {name}, two separate runs of half the files", partial(_halves, folder)))
    return tuple(found)


def measure(work: Work, rounds: int) -> Scaling:
    """Warm up, then one at a time and two at a time in turn.

    Raises:
        BenchmarkError: it cannot be run.
    """
    both = [work.command(at_once) for at_once in (1, 2)]
    for command in both:
        run(command)
    return Scaling(work.name, *take_turns(both, rounds))


def _workers(folder: Callable[[], Path], setting: Setting, at_once: int) -> Command:
    return mediacheck(Subject(folder(), jobs=at_once), setting)


def _decoder(cache: Cache, form: str, at_once: int) -> Command:
    return _load(f"decode:{cache.audio('10min', form)}", at_once)


def _load(item: str, at_once: int) -> Command:
    """The same load twice, ``at_once`` at a time."""
    script = Path(__file__).with_name("loads.py")
    return Command(("xargs", "-0", "-n", "1", "-P", str(at_once), sys.executable, str(script)), items=(item, item))


def _halves(folder: Callable[[], Path], at_once: int) -> Command:
    """Two runs of mediacheck that know nothing of each other, one after the other or at once."""
    files = sorted(entry.path for entry in os.scandir(folder()))
    program = (sys.executable, "-m", "mediacheck", "validate", "--jobs", "1", "--quiet")
    argv = ("xargs", "-0", "-n", str(len(files) // 2), "-P", str(at_once), *program)
    # Every other file: both halves then hold the same kinds.
    return Command(argv, ROOT, items=(*files[::2], *files[1::2]))


def render(found: list[Scaling]) -> str:
    """A table; what each column tells stands in README.md."""
    rows = []
    for row in found:
        one, two = (_middle(runs, "wall_s") for runs in (row.one, row.two))
        cpu = [_middle(runs, "cpu_s") for runs in (row.one, row.two)]
        system = [_middle(runs, "system_s") for runs in (row.one, row.two)]
        faults = _middle(row.two, "page_faults") / 1000
        figures = (row.speed_up, one, two, row.dearer, *cpu, system[1])
        rows.append((row.name, *(f"{figure:.2f}" for figure in figures), f"{faults:.0f}"))
    head = ("work", "speed-up", "one: s", "two: s", "processor time two / one", "one: processor s")
    return table((*head, "two: processor s", "two: system s", "two: thousand page faults"), rows, right=8)
