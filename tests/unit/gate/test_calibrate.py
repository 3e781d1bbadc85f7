"""A proposal from runs that are alike: what it keeps, what it stops, what it refuses."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

import pytest

from mediacheck.batch.results import ItemResult
from mediacheck.gate import calibrate as calibration
from mediacheck.gate.calibration import Calibration, MetricEvidence
from mediacheck.gate.decide import decide
from mediacheck.gate.errors import GateError
from mediacheck.gate.policy import parse_policy
from mediacheck.report.calibration import policy_toml, render
from mediacheck.scoring.score import Identity
from tests.unit.gate.factory import (
    APPROVED,
    SI_SDR,
    SPEAKER,
    WER,
    item,
    missing,
    record,
    speaker,
    unscored,
    wer,
    write_run,
)

LOUDNESS = Identity(scorer="loudness", version=1, unit="LUFS")


def talk(seed: int, *, voice: float = 0.8, count: int = 120, wers: bool = True) -> list[ItemResult]:
    """One system over one workload: harder and easier items, with noise of its own in each run."""
    hard, noise = random.Random(0), random.Random(seed)

    def one(number: int) -> ItemResult:
        rate, base = hard.betavariate(0.2, 3.0), hard.gauss(voice, 0.05)
        errors = sum(noise.random() < rate for _ in range(20))
        scores = (speaker(base + noise.gauss(0, 0.02)),)
        return item(f"u{number:04}", *((wer(errors, 20),) if wers else ()), *scores)

    return [one(number) for number in range(count)]


def calibrate(runs: list[Path], target: float = 0.05) -> Calibration:
    """With few simulations: what they say is checked by ``python -m benchmarks statistics``."""
    return calibration.calibrate(runs, target=target, simulations=100)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("runs")
    return [write_run(folder / f"r{seed}", talk(seed)) for seed in range(3)]


@pytest.fixture(scope="module")
def found(runs: list[Path]) -> Calibration:
    return calibrate(runs)


def of(found: Calibration, metric: str) -> MetricEvidence:
    return next(evidence for evidence in found.metrics if evidence.metric == metric)


def test_spreads_are_those_of_the_runs(found: Calibration) -> None:
    evidence = of(found, "speaker")
    assert evidence.items == evidence.expected == 120
    assert evidence.within == pytest.approx(0.054, abs=0.008)
    # 0.02 in each of two runs.
    assert evidence.paired == pytest.approx(0.02 * 2**0.5, abs=0.004)
    assert evidence.between < 0.006
    assert [run.run for run in evidence.runs] == ["r0", "r1", "r2"]
    assert not any(run.outlier for run in evidence.runs)


def test_margins_stop_few_equal_candidates_and_state_what_they_catch(found: Calibration) -> None:
    for metric in ("wer", "speaker"):
        (proposal,) = of(found, metric).proposals
        assert proposal.false_fail <= proposal.false_alarm <= 0.05
        assert 0 < proposal.blocked < proposal.margin < proposal.failed
        assert proposal.margin == pytest.approx(float(f"{proposal.margin:.2g}"))
    assert of(found, "speaker").proposals[0].bound == "max_decrease"
    assert of(found, "wer").proposals[0].bound == "max_increase"


def test_what_never_happened_is_said_to_be_unknown(found: Calibration) -> None:
    evidence = of(found, "validity_rate")
    assert evidence.remark is not None
    assert "360 show no more" in evidence.remark
    assert evidence.proposals[0].margin > 1 - 0.05 ** (1 / 120)


def proposal(found: Calibration, *, approved: bool) -> bytes:
    made = policy_toml(found, id="proposed", evidence="p.evidence.json", sha256="sha256:" + "0" * 64)
    return (APPROVED.encode() if approved else b"") + made


def test_the_proposal_is_a_policy_that_counts_for_nothing_yet(
    found: Calibration, runs: list[Path], tmp_path: Path
) -> None:
    asked = parse_policy(proposal(found, approved=False), "p")
    decision = decide(asked, runs[0], runs[1])
    assert decision.verdict == "inconclusive"
    assert {rule.computed for rule in decision.rules} == {"pass"}
    approved = parse_policy(proposal(found, approved=True), "p")
    assert decide(approved, runs[0], runs[1]).verdict == "pass"
    worse = write_run(tmp_path / "worse", talk(9, voice=0.8 - 2 * of(found, "speaker").proposals[0].failed))
    assert decide(approved, worse, runs[1]).verdict == "fail"


def test_it_is_the_same_twice(found: Calibration, runs: list[Path]) -> None:
    assert calibrate(runs) == found
    assert render(found) == render(calibrate(runs))


def test_an_odd_run_and_odd_items_are_named(runs: list[Path], tmp_path: Path) -> None:
    shifted = talk(7, voice=0.75)
    odd = write_run(tmp_path / "odd", shifted)
    evidence = of(calibrate([*runs, odd]), "speaker")
    assert "odd" in [run.run for run in evidence.runs if run.outlier]
    assert max(evidence.runs, key=lambda run: abs(run.z or 0)).run == "odd"
    assert evidence.run_effect > 0.01
    assert evidence.proposals[0].margin > 0.05, "what whole runs differ by, an equal candidate may differ by"
    (tmp_path / "item").mkdir()
    made = []
    for seed in range(2):
        results = talk(seed)
        results[5] = item("u0005", wer(1, 20), speaker(0.1))
        made.append(write_run(tmp_path / "item" / f"r{seed}", results))
    assert [item.id for item in of(calibrate(made), "speaker").outliers] == ["u0005"]


def test_what_runs_lack_lowers_the_coverage_that_is_asked_for(tmp_path: Path) -> None:
    made = []
    for seed in range(2):
        results = talk(seed)
        results[seed] = missing(f"u{seed:04}", scores=(unscored("wer"), unscored("speaker")))
        made.append(write_run(tmp_path / f"r{seed}", results))
    evidence = of(calibrate(made), "speaker")
    assert (evidence.items, evidence.expected, evidence.minimum_coverage) == (118, 120, 0.98)


def test_a_scorer_that_is_neither_better_is_bounded_on_both_sides(tmp_path: Path) -> None:
    from mediacheck.batch.results import Value

    made = []
    for seed in range(2):
        noise = random.Random(seed)
        results = [
            item(f"u{number}", Value(scorer="loudness", value=round(noise.gauss(-23, 1), 4), unit="LUFS",
                                     identity=LOUDNESS.digest))
            for number in range(60)
        ]  # fmt: skip
        made.append(write_run(tmp_path / f"r{seed}", results, record(60, scorers=(LOUDNESS,))))
    proposals = of(calibrate(made), "loudness").proposals
    assert [(p.rule, p.bound) for p in proposals] == [
        ("loudness.up", "max_increase"),
        ("loudness.down", "max_decrease"),
    ]


def test_what_cannot_be_calibrated_is_refused(runs: list[Path], tmp_path: Path) -> None:
    with pytest.raises(GateError, match="one run shows nothing"):
        calibrate(runs[:1])
    with pytest.raises(GateError, match="named twice"):
        calibrate([runs[0], runs[0]])
    with pytest.raises(GateError, match=r"r1 and r1 have the same results, byte for byte: .*make its outputs anew"):
        calibrate([*runs, write_run(tmp_path / "r1", talk(1))])
    with pytest.raises(GateError, match="false alarms"):
        calibrate(runs, target=0.5)
    other = write_run(tmp_path / "other", talk(1), record(120, scorers=(WER, SPEAKER, SI_SDR, LOUDNESS)))
    with pytest.raises(GateError, match="were not scored by the same"):
        calibrate([runs[0], other])
    few = [write_run(tmp_path / f"few{seed}", talk(seed, count=19)) for seed in range(2)]
    with pytest.raises(GateError, match="fewer than 20"):
        calibrate(few)


def test_the_policy_names_its_evidence(found: Calibration) -> None:
    digest = f"sha256:{hashlib.sha256(b'x').hexdigest()}"
    made = policy_toml(found, id="proposed", evidence="p.evidence.json", sha256=digest)
    evidence = parse_policy(made, "p").evidence
    assert evidence is not None
    assert (evidence.file, evidence.sha256) == ("p.evidence.json", digest)
    assert "# an equal candidate is stopped in " in made.decode()
