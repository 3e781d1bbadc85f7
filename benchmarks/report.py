"""RESULTS.md: tables of ratios, times and memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.process import Memory
from benchmarks.ratios import Ratio, Target, standing
from benchmarks.rounds import Entrant, Result
from benchmarks.scenarios import ENVELOPE_MB

QUIET_SHARE = 0.05
"""Up to this share of the processors taken by others, the machine counts as quiet."""


@dataclass(frozen=True)
class Surroundings:
    """What a reader must know to weigh the figures."""

    versions: tuple[tuple[str, str], ...]
    pairs: int
    others: float
    """The share of the processors that other programs took, 0 to 1."""
    bare: Memory
    """An interpreter that does nothing."""
    imports: Memory
    """One that imports av and does nothing."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: int) -> str:
    """A Markdown table; the last ``right`` columns are aligned to the right."""
    left = len(head) - right
    rule = ["---"] * left + ["--:"] * right
    lines = [head, rule, *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def render(results: Sequence[Result], around: Surroundings, failed: Sequence[tuple[str, str]] = ()) -> str:
    """The whole file. It speaks of ratios: absolute times are those of one machine.

    Args:
        results: what was run.
        around: when and with what.
        failed: inputs on which mediacheck itself could not be measured, each with the reason.
    """
    parts = [
        "# Results\n\nWritten by `python -m benchmarks run`; README.md tells what each figure means. "
        f"{around.pairs} rounds after a warm-up. {noise(around.others)}",
        "## Ratios\n\nmediacheck over the peer; below 1, mediacheck takes less. "
        "`batch-*` are `mediacheck batch`, all others `mediacheck validate`.\n\n"
        + table(
            ("input", "against", "figure", "result", "median", "lowest … highest", "goal / must"),
            _ratio_rows(results),
            right=3,
        ),
        "## Memory\n\nPeaks in MB (10^6 bytes) above a bare interpreter "
        f"({around.bare.tree:.0f} MB). Importing av alone takes "
        f"{around.imports.tree - around.bare.tree:.0f} MB of it.\n\n"
        + table(
            ("input", "result", "all processes", "largest process", "limit"), _memory_rows(results, around), right=3
        ),
        "## Times\n\nMedians in seconds, and the peak of all processes in MB (the bare interpreter included).\n\n"
        + table(("input", "program", "wall", "processor", "of it system", "MB"), _time_rows(results), right=4),
        "## With\n\n" + "\n".join(f"- {name}: {version}" for name, version in around.versions if version),
    ]
    absent = [f"- **{name}: mediacheck: {reason}**" for name, reason in failed]
    absent += [f"- {r.scenario.name}: {name}: {reason}" for r in results for name, reason in r.absent]
    if absent:
        # Messages name files in full; whose folders they lie in is nobody's business.
        parts.append("## Not measured\n\n" + re.sub(r"(?<!\S)/\S*/", "", "\n".join(absent)))
    return "\n\n".join(parts) + "\n"


def noise(others: float) -> str:
    """Whether the machine was quiet, in one sentence."""
    if others <= QUIET_SHARE:
        return f"Other programs took {others:.1%} of the processors meanwhile."
    return f"**Noisy: other programs took {others:.0%} of the processors meanwhile.**"


def ratio_text(ratio: Ratio) -> tuple[str, str]:
    return f"{ratio.median:.2f}", f"{ratio.low:.2f} … {ratio.high:.2f}"


def target_text(target: Target | None) -> str:
    return f"{target.goal:.2f} / {target.must:.2f}" if target else ""


def _ratio_rows(results: Sequence[Result]) -> Iterable[Sequence[str]]:
    for result in results:
        for comparison in result.scenario.comparisons:
            ratio = result.ratio(comparison)
            if ratio is None:
                continue
            figure = {"wall_s": "time", "cpu_s": "processor time"}[comparison.figure]
            met = standing(ratio.median, comparison.target) if comparison.target else ""
            name = result.scenario.name
            yield (name, comparison.peer.name, figure, met, *ratio_text(ratio), target_text(comparison.target))


def _memory_rows(results: Sequence[Result], around: Surroundings) -> Iterable[Sequence[str]]:
    above = {r.scenario.name: r.ours.memory.tree - around.bare.tree for r in results}
    for result in results:
        name, limit = result.scenario.name, result.scenario.memory_limit_mb
        met = standing(above[name], Target(limit, limit)).replace("goal ", "") if limit else ""
        largest = result.ours.memory.largest - around.bare.largest
        yield name, met, f"{above[name]:.0f}", f"{largest:.0f}", f"{limit:.0f}" if limit else ""
    for name in above:
        shorter = name.replace("60min", "10min")
        if shorter != name and shorter in above:
            # Two channels, fifty minutes more.
            limit = ENVELOPE_MB * 2 * 50 / 60
            growth = above[name] - above[shorter]
            met = standing(growth, Target(limit, limit)).replace("goal ", "")
            yield f"{name} less {shorter}", met, f"{growth:.1f}", "", f"{limit:.1f}"


def _time_rows(results: Sequence[Result]) -> Iterable[Sequence[str]]:
    for result in results:
        for entrant in (result.ours, *result.peers):
            yield (result.scenario.name, entrant.name, *_times(entrant), f"{entrant.memory.tree:.0f}")


def _times(entrant: Entrant) -> tuple[str, str, str]:
    wall, cpu, system = (
        median(getattr(usage, figure) for usage in entrant.usages) for figure in ("wall_s", "cpu_s", "system_s")
    )
    return f"{wall:.3f}", f"{cpu:.3f}", f"{system:.3f}"
