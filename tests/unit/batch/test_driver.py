"""The driver: whatever order outcomes come in, whatever breaks, and wherever it is stopped, the end is the same."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from mediacheck.batch.driver import Driver, Effort, Tools
from mediacheck.batch.item import Entry, Item
from mediacheck.batch.ledger import Ledger
from mediacheck.batch.tasks import (
    Examined,
    Outcome,
    Rules,
    Scored,
    ScoreTask,
    ScoringPlan,
    Validated,
    ValidateTask,
)
from mediacheck.facts import Libraries
from mediacheck.measuring import Limits
from mediacheck.scoring.score import Identity, Measured, ScoredFile, Validation
from mediacheck.scoring.scorer import ScoringOptions
from mediacheck.validators import load_validator
from mediacheck.workers import WorkerFailure

IDENTITY = Identity(scorer="loudness", version=1, unit="LUFS")
PLAN = ScoringPlan(ScoringOptions(), (("en", ("loudness",)),))
RULES = Rules(load_validator("v2"))
TRIES = 3


@dataclass(frozen=True)
class Behaviour:
    """Of one item."""

    verdict: str = "pass"
    crashes: int = 0
    """How often its worker dies before it is measured."""
    score_crashes: int = 0
    missing: bool = False


@dataclass
class FakeEngine:
    """Has little room, and gives back in any order."""

    behaviours: list[Behaviour]
    random: Random
    crashed: Counter[tuple[str, int]]
    held: list[ValidateTask | ScoreTask] = field(default_factory=list)
    most: int = 0

    @property
    def busy(self) -> int:
        return len(self.held)

    def room_to_validate(self) -> bool:
        return sum(isinstance(task, ValidateTask) for task in self.held) < 3

    def room_to_score(self) -> bool:
        return sum(isinstance(task, ScoreTask) for task in self.held) < 2

    def submit(self, task: ValidateTask | ScoreTask) -> None:
        assert self.room_to_score() if isinstance(task, ScoreTask) else self.room_to_validate()
        self.held.append(task)

    def wait(self) -> list[Outcome]:
        count = self.random.randint(0, len(self.held))
        done = [self.held.pop(self.random.randrange(len(self.held))) for _ in range(count)]
        return [Outcome(task, self._result(task)) for task in done]

    def drain(self) -> None:
        self.held = [task for task in self.held if self.random.random() < 0.5]

    def identities(self) -> tuple[Identity, ...]:
        return (IDENTITY,)

    def close(self) -> None:
        """Nothing runs."""

    def _result(self, task: ValidateTask | ScoreTask) -> Examined | Scored | WorkerFailure:
        behaviour = self.behaviours[task.subject]
        scores = isinstance(task, ScoreTask)
        key = (task.stage, task.subject)
        if self.crashed[key] < (behaviour.score_crashes if scores else behaviour.crashes):
            self.crashed[key] += 1
            return WorkerFailure("crashed", "crashed (signal 11, SIGSEGV)")
        if isinstance(task, ScoreTask):
            value = Measured(scorer="loudness", value=float(task.subject), unit="LUFS", identity=IDENTITY)
            return Scored(scores=(value,))
        if behaviour.missing:
            return Examined("missing", "the file is not there")
        if task.known is not None:
            return Examined("unchanged", state="1")
        failed = ("audio.clipping",) if behaviour.verdict == "fail" else ()
        return Examined(
            "judged",
            state="1",
            validated=Validated(
                file=ScoredFile(name=task.name, bytes=1, sha256=f"{task.subject:064}"),
                validation=Validation(validator="v2", digest="d", verdict=behaviour.verdict, failed=failed),  # type: ignore[arg-type]
                findings=(),
                libraries=Libraries(),
                has_audio=True,
                duration=None,
            ),
        )


behaviours = st.lists(
    st.builds(
        Behaviour,
        verdict=st.sampled_from(["pass", "fail", "inconclusive"]),
        crashes=st.integers(0, 4),
        score_crashes=st.integers(0, 4),
        missing=st.booleans(),
    ),
    min_size=1,
    max_size=12,
)


def finish(folder: Path, given_behaviours: list[Behaviour], random: Random, *, stops: bool) -> tuple[Ledger, int]:
    """Start runs until one comes to its end; the ledger, and how many items the last one told of."""
    with Ledger(folder) as ledger, ledger.transaction():
        for position in range(len(given_behaviours)):
            entry = Entry(id=str(position), media=f"{position}.wav")
            ledger.add_item(Item(position, "", entry, f"memory://{position}.wav"))
    crashed: Counter[tuple[str, int]] = Counter()
    while True:
        ledger = Ledger(folder)
        told = 0

        def finished() -> None:
            nonlocal told
            told += 1

        driver = Driver(
            ledger,
            Tools(FakeEngine(given_behaviours, random, crashed), RULES, Limits(), PLAN),
            Effort(tries=TRIES),
            finished=finished,
            stopping=lambda: stops and random.random() < 0.05,
            broken=lambda name, failure: None,
        )
        if driver.run():
            return ledger, told
        ledger.close()


def outcome(ledger: Ledger, position: int) -> tuple[object, ...]:
    examined, scored = ledger.latest("validate", position), ledger.latest("score", position)
    assert examined is not None
    assert scored is not None
    return examined.status, examined.reason, examined.result, scored.status, scored.result


@settings(max_examples=40)
@given(behaviours, st.integers(0, 2**32), st.integers(0, 2**32))
def test_order_and_stops_change_nothing(given_behaviours: list[Behaviour], seed: int, other: int) -> None:
    ends = []
    for number, stops in ((seed, False), (other, True)):
        with tempfile.TemporaryDirectory() as folder:
            ledger, told = finish(Path(folder), given_behaviours, Random(number), stops=stops)
            with ledger:
                assert told == len(given_behaviours), "each item is through once"
                ends.append([outcome(ledger, position) for position in range(len(given_behaviours))])
                for position, behaviour in enumerate(given_behaviours):
                    attempts = ledger.attempts("validate", position)
                    assert attempts == min(TRIES, behaviour.crashes + 1)
    assert ends[0] == ends[1]
    for behaviour, (status, _, _, scored, result) in zip(given_behaviours, ends[0], strict=True):
        if behaviour.crashes >= TRIES:
            assert status == "crashed"
        elif behaviour.missing:
            assert status == "missing"
        else:
            assert status == "judged"
        scoreable = status == "judged" and behaviour.verdict != "fail"
        assert scored == ("crashed" if scoreable and behaviour.score_crashes >= TRIES else "scored")
        assert (b'"measured"' in result) == (scoreable and behaviour.score_crashes < TRIES)
