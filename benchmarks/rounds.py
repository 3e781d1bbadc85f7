"""Take turns: in every round each command runs once, so that each pair stands close in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.commands import Setting
from benchmarks.inputs import Cache
from benchmarks.process import BenchmarkError, Command, Memory, Usage, run, run_watched
from benchmarks.ratios import Ratio, ratio_of
from benchmarks.scenarios import Comparison, Figure, Scenario


@dataclass(frozen=True)
class Entrant:
    """A command with what its runs gave."""

    name: str
    memory: Memory
    usages: tuple[Usage, ...]

    def figures(self, figure: Figure) -> list[float]:
        return [getattr(usage, figure) for usage in self.usages]


@dataclass(frozen=True)
class Result:
    """One scenario, run."""

    scenario: Scenario
    ours: Entrant
    peers: tuple[Entrant, ...]
    absent: tuple[tuple[str, str], ...] = ()
    """Peers that could not be run, each with the reason."""

    def ratio(self, comparison: Comparison) -> Ratio | None:
        """None where the peer is absent."""
        for peer in self.peers:
            if peer.name == comparison.peer.name:
                return ratio_of(self.ours.figures(comparison.figure), peer.figures(comparison.figure))
        return None


def run_scenario(scenario: Scenario, cache: Cache, setting: Setting, pairs: int) -> Result:
    """Warm up (and watch the memory in that run), then ``pairs`` rounds.

    Raises:
        BenchmarkError: mediacheck itself cannot be run.
    """
    subject = scenario.make(cache)
    contenders = [(scenario.ours.name, scenario.ours.build(subject, setting))]
    absent: list[tuple[str, str]] = []
    memory = [run_watched(contenders[0][1])]
    for peer in scenario.peers:
        try:
            command = peer.build(subject, setting)
            memory.append(run_watched(command))
        except BenchmarkError as error:
            absent.append((peer.name, str(error)))
        else:
            contenders.append((peer.name, command))
    usages = take_turns([command for _, command in contenders], pairs)
    entrants = [
        Entrant(name, peak, runs) for (name, _), peak, runs in zip(contenders, memory, usages, strict=True)
    ]
    return Result(scenario, entrants[0], tuple(entrants[1:]), tuple(absent))


def take_turns(commands: Sequence[Command], rounds: int) -> list[tuple[Usage, ...]]:
    """Per command, its usage in each round."""
    usages: list[list[Usage]] = [[] for _ in commands]
    for _ in range(rounds):
        for runs, command in zip(usages, commands, strict=True):
            runs.append(run(command))
    return [tuple(runs) for runs in usages]
