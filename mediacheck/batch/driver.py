"""A run over the items of a ledger: what is left to do is done, and each outcome is written as it comes.

The driver decides what to do and writes the ledger; an engine does the work. It imports no decoder and starts no
thread, so that workers can be forked from it at any time.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from mediacheck import serialise
from mediacheck.batch.engines import Engine
from mediacheck.batch.examining import judged, unmeasured, validated_of
from mediacheck.batch.facts_folder import FactsFolder
from mediacheck.batch.item import Item
from mediacheck.batch.ledger import Attempt, Ledger
from mediacheck.batch.looking import Look, look
from mediacheck.batch.places import is_remote
from mediacheck.batch.results import Status
from mediacheck.batch.scoring import reference_refusal, refusal, refused_scores
from mediacheck.batch.tasks import (
    Examined,
    Outcome,
    Rules,
    Scored,
    ScoreTask,
    ScoringPlan,
    SoundFile,
    Validated,
    ValidateTask,
)
from mediacheck.measuring import Limits, problem_of
from mediacheck.scoring.score import NotMeasured
from mediacheck.workers import WorkerFailure

_FAILED = ("crashed", "killed", "timeout", "memory", "error")
_KILLED_MORE = 5
"""Times as many tries for an item whose worker is killed from outside: most likely it has nothing to do with that."""
_AHEAD = 64
"""Judged items that wait for the scorers."""
REFERENCES: Final = 1000
"""Judged recordings that are kept in memory: a thousand voices, or the last of a million pairs."""


@dataclass(frozen=True)
class Effort:
    """How hard a run tries."""

    tries: int = 3
    """For an item that crashes its worker: somebody else may have killed that."""
    again: bool = False
    """Whether what ran out of time or memory, crashed, or failed inside mediacheck before is tried once more."""


@dataclass(frozen=True)
class Tools:
    """What the work is done with."""

    engine: Engine
    rules: Rules
    limits: Limits
    scoring: ScoringPlan | None = None


class Driver:
    """One start of a run; the ledger says where the one before stopped."""

    def __init__(
        self,
        ledger: Ledger,
        tools: Tools,
        effort: Effort,
        *,
        finished: Callable[[], None],
        stopping: Callable[[], bool],
        broken: Callable[[str, WorkerFailure], None],
        facts: FactsFolder | None = None,
    ) -> None:
        """Remember what to work with.

        Args:
            ledger: with the items.
            tools: what the work is done with.
            effort: how hard to try.
            finished: called when an item is through all its stages.
            stopping: whether to take up nothing more, and end when what is under way is done.
            broken: told of items on which mediacheck itself failed.
            facts: where the facts of each file are kept; None: they are not.
        """
        self._ledger = ledger
        self._engine = tools.engine
        self._rules = tools.rules
        self._limits = tools.limits
        self._plan = tools.scoring
        self._effort = effort
        self._finished = finished
        self._stopping = stopping
        self._broken = broken
        self._facts = facts
        self._to_retry: deque[ValidateTask] = deque()
        self._to_score: deque[ScoreTask] = deque()
        self._under_way: dict[int, Item] = {}
        """Items by position; what is under way is bounded by the engine's room."""
        # There may be one for each item: they are read again where they are needed.
        self._reference = lru_cache(maxsize=REFERENCES)(self._judged_reference)

    def run(self) -> bool:
        """Do what is left to do.

        Returns:
            Whether all is done; False where it was stopped.
        """
        if self._plan is not None and not self._work(self._reference_tasks()):
            return False
        return self._work(self._item_tasks())

    def _work(self, tasks: Iterator[ValidateTask | ScoreTask]) -> bool:
        """Hand tasks to the engine while it has room, and write what comes back; False where it was stopped."""
        held: ValidateTask | ScoreTask | None = None
        more = True
        while True:
            while not self._stopping():
                if (urgent := self._urgent()) is not None:
                    self._engine.submit(urgent)
                    continue
                if len(self._to_score) >= _AHEAD:
                    # Scoring is the slower one: what it cannot take yet must not gather.
                    break
                if held is None and more:
                    held = next(tasks, None)
                    more = held is not None
                if held is None or not self._room_for(held):
                    break
                self._engine.submit(held)
                held = None
            if self._stopping():
                self._engine.drain()
            if not self._engine.busy:
                return not self._under_way and not more and not self._to_retry
            for outcome in self._engine.wait():
                self._take(outcome)

    def _urgent(self) -> ValidateTask | ScoreTask | None:
        """What goes before new items, where there is room for it."""
        if self._to_retry and self._engine.room_to_validate():
            return self._to_retry.popleft()
        if self._to_score and self._engine.room_to_score():
            return self._to_score.popleft()
        return None

    def _room_for(self, task: ValidateTask | ScoreTask) -> bool:
        return self._engine.room_to_score() if isinstance(task, ScoreTask) else self._engine.room_to_validate()

    def _take(self, outcome: Outcome) -> None:
        task = outcome.task
        if isinstance(task, ScoreTask):
            assert not isinstance(outcome.result, Examined), "scoring examines nothing"
            self._take_scores(task, outcome.result)
            return
        assert not isinstance(outcome.result, Scored), "examining scores nothing"
        attempt = self._take_examined(task, outcome.result)
        if self._tries_left(attempt):
            self._to_retry.append(task)
        elif task.stage == "validate" and (following := self._follow(self._under_way[task.subject], attempt)):
            self._to_score.append(following)

    def _take_examined(self, task: ValidateTask, result: Examined | WorkerFailure) -> Attempt:
        if isinstance(result, WorkerFailure):
            return self._ledger.write(task.stage, task.subject, self._failure(task, result))
        if result.status == "unchanged":
            self._ledger.set_state(task.stage, task.subject, result.state)
            known = self._ledger.latest(task.stage, task.subject)
            assert known is not None, "a file is unchanged beside what is known of it"
            return known
        if result.validated is None:
            return self._write_absent(task, result.status, result.reason)
        sha256 = result.validated.file.sha256 or ""
        if result.facts is not None and self._facts is not None:
            self._facts.keep(sha256, result.facts)
        data = serialise.to_compact_json(result.validated)
        return self._ledger.write(
            task.stage, task.subject, Attempt("judged", key=sha256, result=data, state=result.state)
        )

    def _failure(self, task: ValidateTask, failure: WorkerFailure) -> Attempt:
        """A file that broke its worker is judged all the same: that it could not be measured."""
        status = _status_of(failure)
        if status == "error":
            self._broken(task.name, failure)
        now = Look("present") if is_remote(task.place) else look(task.place)
        facts = unmeasured(task.name, now.size, problem_of(failure, self._limits))
        validated = validated_of(judged(self._rules, task, facts))
        return Attempt(
            status,
            # Another file in its place begins to be tried anew.
            key=f"unread {now.state}",
            reason=facts.container.problems[0].message,
            result=serialise.to_compact_json(validated),
            state=now.state,
        )

    def _write_absent(self, task: ValidateTask, status: Status, reason: str | None) -> Attempt:
        """Write that there is nothing to judge, unless the ledger says so already."""
        before = self._ledger.latest(task.stage, task.subject)
        if before is not None and (before.status, before.reason) == (status, reason):
            return before
        return self._ledger.write(task.stage, task.subject, Attempt(status, key="", reason=reason))

    def _reference_tasks(self) -> Iterator[ValidateTask | ScoreTask]:
        for number, name, place in self._ledger.references():
            task = self._needed(ValidateTask("reference", number, place, name))
            if isinstance(task, ValidateTask):
                yield task

    def _judged_reference(self, name: str) -> SoundFile | str:
        """A reference, once all were judged; where nothing can be held against it, why."""
        known = self._ledger.reference_named(name)
        assert known is not None, "every reference of the manifest is in the ledger"
        number, place = known
        attempt = self._ledger.latest("reference", number)
        if attempt is None or attempt.result is None:
            return f"reference: {name}: {attempt.reason if attempt else 'it was not judged'}"
        file = SoundFile(place, serialise.from_json(attempt.result, Validated))
        refused = reference_refusal(file.validated)
        return file if refused is None else f"reference: {refused}"

    def _item_tasks(self) -> Iterator[ValidateTask | ScoreTask]:
        for item in self._ledger.items():
            self._under_way[item.position] = item
            entry = item.entry
            task = ValidateTask(
                "validate", item.position, item.place, entry.media, contract=entry.contract, expect=entry.expect
            )
            needed: ValidateTask | Attempt
            if entry.problem is not None or not item.place:
                needed = self._write_absent(task, "malformed", entry.problem or "the manifest names no file")
            else:
                needed = self._needed(task)
            following = needed if isinstance(needed, ValidateTask) else self._follow(item, needed)
            if following is not None:
                yield following

    def _needed(self, task: ValidateTask) -> ValidateTask | Attempt:
        """The task, with what is known of the file; or the attempt that counts, where nothing is to be done."""
        before = self._ledger.latest(task.stage, task.subject)
        remote = is_remote(task.place)
        if not remote:
            now = look(task.place)
            if now.status != "present":
                return self._write_absent(task, now.status, now.reason)
            if before is not None and now.state == before.state and not self._once_more(before):
                return before
        elif before is not None and before.status in _FAILED and not self._tried_again(before):
            return before
        if before is None or before.status != "judged" or self._lacks_facts(before):
            return task
        return replace(task, known=before.key, state=before.state)

    def _once_more(self, before: Attempt) -> bool:
        """Whether a file that is still the same is measured once more."""
        return self._tried_again(before) or self._lacks_facts(before)

    def _lacks_facts(self, before: Attempt) -> bool:
        """Whether its facts are to be kept now, and were not before."""
        return self._facts is not None and before.status == "judged" and not self._facts.holds(before.key)

    def _tries_left(self, attempt: Attempt) -> bool:
        """Whether an item that broke its process is tried once more of itself."""
        if attempt.status == "killed":
            return attempt.tries < self._effort.tries * _KILLED_MORE
        return attempt.status == "crashed" and attempt.tries < self._effort.tries

    def _tried_again(self, before: Attempt) -> bool:
        """Whether a file that is still the same is tried once more."""
        if before.status == "unsettled" or self._tries_left(before):
            return True
        return before.status in _FAILED and self._effort.again

    def _follow(self, item: Item, attempt: Attempt) -> ScoreTask | None:
        """After the first stage: how the item is scored, or None where that is done or cannot be."""
        if self._plan is not None:
            task = self._score_task(item, attempt, self._plan)
            before = self._ledger.latest("score", item.position)
            same = before is not None and before.key == task.key
            if isinstance(task, ScoreTask):
                if before is None or not same or self._tried_again(before):
                    return task
            elif not same:
                self._ledger.write("score", item.position, task)
        self._through(item)
        return None

    def _score_task(self, item: Item, attempt: Attempt, plan: ScoringPlan) -> ScoreTask | Attempt:
        entry = item.entry
        language = entry.language or plan.options.language
        validated = None if attempt.result is None else serialise.from_json(attempt.result, Validated)
        if attempt.status != "judged" or validated is None or (refused := refusal(validated)) is not None:
            reason = attempt.reason if attempt.status != "judged" or validated is None else refused
            scores = refused_scores(plan.scorers_of(language), reason or "the file was not judged")
            return Attempt("scored", key=f"refused {attempt.key}: {reason}", result=serialise.to_compact_json(scores))
        held = [self._reference(name) for name in entry.references]
        missing = next((reason for reason in held if isinstance(reason, str)), None)
        files = () if missing else tuple(file for file in held if isinstance(file, SoundFile))
        return ScoreTask(
            item.position,
            key=_key(attempt.key, files, missing),
            language=language,
            candidate=SoundFile(item.place, validated, entry.speaker),
            text=entry.text,
            references=files,
            refused=missing,
        )

    def _take_scores(self, task: ScoreTask, result: Scored | WorkerFailure) -> None:
        if isinstance(result, Scored):
            settled = not any(isinstance(score, NotMeasured) and score.transient for score in result.scores)
            data = serialise.to_compact_json(result)
            attempt = Attempt("scored" if settled else "unsettled", key=task.key, result=data)
            before = self._ledger.latest("score", task.subject)
            if not settled and before is not None and (before.key, before.result) == (task.key, data):
                # Nothing new was found: the attempt that says so is there.
                self._through(self._under_way[task.subject])
                return
        else:
            assert self._plan is not None, "without a plan nothing is scored"
            status = _status_of(result)
            if status == "error":
                self._broken(task.candidate.validated.file.name, result)
            reason = _why_unscored(status, result)
            scores = refused_scores(self._plan.scorers_of(task.language), reason)
            attempt = Attempt(status, key=task.key, reason=reason, result=serialise.to_compact_json(scores))
        written = self._ledger.write("score", task.subject, attempt)
        if self._tries_left(written):
            self._to_score.append(task)
            return
        self._through(self._under_way[task.subject])

    def _through(self, item: Item) -> None:
        del self._under_way[item.position]
        self._finished()


def _status_of(failure: WorkerFailure) -> Status:
    if failure.kind == "raised":
        return "error"
    return "killed" if failure.killed else failure.kind


def _why_unscored(status: Status, failure: WorkerFailure) -> str:
    if status == "error":
        return f"scoring it failed ({failure.message})"
    return f"scoring it {failure.message}" if status == "timeout" else f"the scoring process {failure.message}"


def _key(media: str, references: tuple[SoundFile, ...], missing: str | None) -> str:
    """What a score is made of, besides the manifest's line: digests of media and references."""
    digest = hashlib.sha256(media.encode())
    for file in references:
        digest.update(f"\n{file.validated.file.sha256}".encode())
    if missing is not None:
        digest.update(f"\nwithout {missing}".encode())
    return digest.hexdigest()
