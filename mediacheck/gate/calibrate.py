"""From runs of one and the same system to a proposed policy with its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mediacheck.gate.calibration import Calibration, MetricEvidence
from mediacheck.gate.errors import GateError
from mediacheck.gate.evidence import SIMULATIONS, evidence_of
from mediacheck.gate.metrics import find_metric
from mediacheck.gate.policy import SEED, Requires
from mediacheck.gate.requirements import blocking, check_requirements
from mediacheck.gate.runs import GateRun, load_run
from mediacheck.gate.statistics.bounds import POWER
from mediacheck.scoring.registry import scorer_ids
from mediacheck.version import __version__

TARGET: Final = 0.05


def calibrate(
    runs: Sequence[Path], *, target: float = TARGET, seed: int = SEED, simulations: int = SIMULATIONS
) -> Calibration:
    """What the numbers of equal runs look like, and margins that equal runs keep.

    Proposals are for validity and for every scorer that all runs have: the corpus rate where there are counts, else the
    mean, each as a difference to the baseline.

    Args:
        runs: finished run folders of one system over one workload, at least two.
        target: how often a rule may stop a candidate that is as good as the baseline.
        seed: of the simulations.
        simulations: of gates, for each margin.

    Raises:
        GateError: fewer than two runs, one named twice or copied, or runs that cannot be compared.
        RunError: a folder is no finished run.
    """
    if len(runs) < 2:
        raise GateError("one run shows nothing of what varies between runs; name two or more of the same workload")
    if not 0.0 < target < 0.5:
        raise GateError(f"the rate of false alarms is {target}; it lies above 0 and below 0.5")
    places = [run.resolve() for run in runs]
    for run, place in zip(runs, places, strict=True):
        if places.count(place) > 1:
            raise GateError(f"{run} is named twice: a run does not differ from itself")
    names = ("validity_rate", *scorer_ids())
    wanted = [find_metric(name) for name in names]
    loaded: list[GateRun] = []
    for run in runs:
        loaded.append(load_run(run, wanted, like=loaded[0] if loaded else None))
    _comparable(loaded)
    metrics = tuple(
        evidence_of(loaded, name, target=target, seed=seed, simulations=simulations)
        for name in names
        if all(run.series[name].not_run is None for run in loaded)
    )
    if not any(found.proposals for found in metrics):
        reasons = "; ".join(f"{found.metric}: {found.reason}" for found in metrics)
        raise GateError(f"nothing can be proposed from these runs: {reasons}")
    return Calibration(
        tool=__version__,
        asked=loaded[0].identity.asked,
        runs=tuple(run.identity for run in loaded),
        target=target,
        power=POWER,
        seed=seed,
        metrics=metrics,
    )


def rules_of(found: MetricEvidence) -> list[dict[str, str | float]]:
    """The rules that the evidence of a metric proposes, as TOML tables."""
    return [
        {
            "id": proposal.rule,
            "metric": found.metric,
            "statistic": found.statistic,
            "unit": found.unit,
            proposal.bound: proposal.margin,
            "confidence": proposal.confidence,
            "minimum_coverage": found.minimum_coverage,
        }
        for proposal in found.proposals
    ]


def _comparable(runs: Sequence[GateRun]) -> None:
    seen: dict[str, GateRun] = {}
    for run in runs:
        known = seen.setdefault(run.identity.results, run)
        # A copy of a folder, or outputs that were judged twice: margins from it are those of nothing that varies.
        if known is not run:
            raise GateError(
                f"{known.identity.name} and {run.identity.name} have the same results, byte for byte: a run does not "
                "differ from itself; let the system make its outputs anew, and where it always makes the same, write "
                "the policy by hand"
            )
    first = runs[0]
    for other in runs[1:]:
        requirements = check_requirements(Requires(), first, other)
        problem = blocking(requirements) or next((r.message for r in requirements if r.outcome == "inconclusive"), None)
        if problem is not None:
            raise GateError(
                f"{first.identity.name} (the candidate here) and {other.identity.name} (the baseline) are no runs of "
                f"one workload: {problem}"
            )
