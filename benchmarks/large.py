"""What a gate and a calibration of very large runs take: ``python -m benchmarks large``.

Each size runs in a process of its own, whose memory is its own: ``python -m benchmarks.large ITEMS FOLDER``.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.process import BenchmarkError
from benchmarks.report import table

SIZES = (10_000, 100_000, 1_000_000)
QUICK_SIZES = (1000, 10_000)
READING = "read one run"
SEED = 20261130
RUNS = 4
"""That ``calibrate`` is given."""
METRICS = ("validity_rate", "wer", "speaker", "findings:audio.silent")
RULES = {
    "mean": ("speaker", "mean", {"max_decrease": 0.01}),
    "corpus": ("wer", "corpus", {"max_increase": 0.01}),
    "rate": ("validity_rate", "rate", {"max_decrease": 0.01}),
    "median": ("speaker", "median", {"max_decrease": 0.01}),
    "p95": ("wer", "p95", {"max_increase": 0.05}),
    "p95, no baseline": ("wer", "p95", {"at_most": 0.5}),
    "rate, no baseline": ("validity_rate", "rate", {"at_least": 0.9}),
    "each": ("speaker", "each", {"max_decrease": 0.3}),
    "count": ("findings:audio.silent", "count", {"at_most": 1_000_000}),
    "mean by language": ("speaker", "mean", {"max_decrease": 0.01, "by": "language"}),
    "p5 by language": ("speaker", "p5", {"max_decrease": 0.01, "by": "language"}),
}
LANGUAGES = ("de", "en", "es", "fr")


@dataclass(frozen=True)
class Size:
    """Of runs of so many items: seconds of each step, in the order in which they were taken."""

    items: int
    seconds: dict[str, float]
    read_mb: float
    """Peak of the process when both runs were read."""
    peak_mb: float
    """Peak at its end."""


def measure(items: int) -> Size:
    """In a process of its own, over runs that are written for it.

    Raises:
        BenchmarkError: it failed.
    """
    with tempfile.TemporaryDirectory(prefix="mediacheck-bench-") as folder:
        argv = (sys.executable, "-m", "benchmarks.large", str(items), folder)
        done = subprocess.run(argv, capture_output=True, check=False, text=True)
    if done.returncode:
        raise BenchmarkError(f"{' '.join(argv[1:4])} failed: {(done.stderr.strip().splitlines() or ['no reason'])[-1]}")
    return Size(**json.loads(done.stdout))


def write_run(folder: Path, items: int, seed: int) -> Path:
    """A finished run as ``mediacheck batch`` leaves it, of words, voices, a few silent files and four languages."""
    import numpy as np

    from mediacheck import serialise
    from mediacheck.batch.record import RECORD, ManifestIdentity, RunRecord, to_toml
    from mediacheck.batch.results import RESULTS, ItemResult, Value
    from mediacheck.facts import Tag
    from mediacheck.scoring.score import ErrorCounts, Identity
    from mediacheck.validators import load_validator
    from mediacheck.verdict import Finding, ValidatorIdentity

    wer = Identity(scorer="wer", version=1, unit="errors/word")
    speaker = Identity(scorer="speaker", version=1, unit="cosine")
    rules = load_validator("v2")
    record = RunRecord(
        tool="", validator=ValidatorIdentity(id=rules.id, digest=rules.digest, status=rules.status),
        scorers=(wer, speaker),
        manifest=ManifestIdentity(format="jsonl", items=items, digest="sha256:" + "d" * 64, asked="sha256:" + "a" * 64),
    )  # fmt: skip
    shared, random = np.random.default_rng(SEED), np.random.default_rng([SEED, seed])
    words = shared.integers(5, 25, items)
    wrong = random.binomial(words, shared.beta(0.12, 1.88, items)).tolist()
    voices = np.round(shared.normal(0.75, 0.08, items) + random.normal(0.0, 0.03, items), 4).tolist()
    silent = (random.random(items) < 0.02).tolist()
    finding = Finding(check="audio.silent", version=1, outcome="fail", severity="error", message="it is silent")
    run = folder / f"run{seed}"
    run.mkdir()
    (run / RECORD).write_bytes(to_toml(record))
    with (run / RESULTS).open("wb") as lines:
        for k, count in enumerate(words.tolist()):
            counts = ErrorCounts(substitutions=wrong[k], deletions=0, insertions=0, hits=count - wrong[k],
                                 reference=count)  # fmt: skip
            scores = (
                Value(scorer="wer", value=round(wrong[k] / count, 4), unit="errors/word", counts=counts,
                      identity=wer.digest),
                Value(scorer="speaker", value=voices[k], unit="cosine", identity=speaker.digest),
            )  # fmt: skip
            result = ItemResult(
                id=f"utterance {k:07}", media=f"{k:07}.wav", bytes=100_000, sha256="b" * 64, status="judged",
                verdict="fail" if silent[k] else "pass", findings=(finding,) if silent[k] else (), scores=scores,
                groups=(Tag(key="language", value=LANGUAGES[k % len(LANGUAGES)]),), attempts=1,
            )  # fmt: skip
            lines.write(serialise.to_compact_json(result) + b"\n")
    return run


def steps(items: int, folder: Path) -> dict[str, Any]:
    """What this process takes for each step."""
    from mediacheck.gate import decide
    from mediacheck.gate.evidence import evidence_of
    from mediacheck.gate.items import join
    from mediacheck.gate.metrics import find_metric
    from mediacheck.gate.policy import Rule
    from mediacheck.gate.runs import load_run

    seconds: dict[str, float] = {}

    @contextmanager
    def timed(name: str) -> Iterator[None]:
        began = time.process_time()
        yield
        seconds[name] = time.process_time() - began

    written = [write_run(folder, items, seed) for seed in range(2)]
    metrics = [find_metric(name) for name in METRICS]
    with timed(READING):
        own = load_run(written[0], metrics, ["language"])
    other = load_run(written[1], metrics, ["language"], like=own)
    read = _peak_mb()
    with timed("pair two runs"):
        runs = decide.Runs(own, other, join(own.ids, None), join(own.ids, other.ids), None)
    for name, (metric, statistic, options) in RULES.items():
        rule = Rule(id="x", metric=metric, statistic=statistic, unit="", **options)  # type: ignore[arg-type]
        with timed(name):
            decide.decided(rule, runs, None)
    # The same two runs again under other names: what a calibration takes hangs on their number, not on what they say.
    several = ([own, other] * RUNS)[:RUNS]
    for metric in METRICS[:3]:
        with timed(f"calibrate {metric}, {RUNS} runs"):
            evidence_of(several, metric, target=0.05, seed=SEED)
    return {"items": items, "seconds": seconds, "read_mb": read, "peak_mb": _peak_mb()}


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def render(found: Sequence[Size], about: str) -> str:
    """LARGE.md."""
    counts = [f"{size.items:,} items" for size in found]
    rows = [
        (name, *(f"{size.seconds[name] / size.seconds[READING]:.3f}" for size in found),
         *(f"{size.seconds[name]:.2f}" for size in found))
        for name in found[0].seconds
    ]  # fmt: skip
    memory = [
        ("two runs read", *(f"{size.read_mb:.0f}" for size in found)),
        ("the whole", *(f"{size.peak_mb:.0f}" for size in found)),
    ]
    parts = [
        f"# Gates of large runs\n\nWritten by `python -m benchmarks large`; {about}",
        "Processor time of each step over that of reading one run of the same size in the same process; then the same "
        "in seconds. A gate reads two runs, and takes each rule once.\n\n"
        + table(("step", *(f"{count}: ratio" for count in counts), *(f"{count}: s" for count in counts)), rows,
                right=2 * len(found)),
        "Peak of the process, MB (10^6 bytes), Python and numpy included:\n\n"
        + table(("after", *counts), memory, right=len(found)),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def main(argv: Sequence[str], out: Callable[[str], Any] = print) -> None:
    """Steps of one size, as JSON."""
    out(json.dumps(steps(int(argv[0]), Path(argv[1]))))


if __name__ == "__main__":
    main(sys.argv[1:])
