"""Items that wait to be scored, and the batches in which a scoring process is handed them."""

from __future__ import annotations

from collections import deque
from typing import Final

from mediacheck.batch.tasks import Outcome, ScoredBatch, ScoreTask
from mediacheck.workers import WorkerFailure

BATCH: Final = 8
"""Items that a scoring process is handed at once, at most: it must not wait for the driver between them."""
BATCH_S: Final = 2.0
"""Seconds that a batch may take where single items take less: what is under way is waited for, or lost."""


class ScoringQueue:
    """First in, first out; but items of a batch that broke its process go first, and each by itself."""

    def __init__(self) -> None:
        self._waiting: deque[ScoreTask] = deque()
        self._size = 1
        self._alone: deque[ScoreTask] = deque()
        """One of them broke its process, and shows when each goes by itself."""

    def __len__(self) -> int:
        return len(self._waiting) + len(self._alone)

    def took(self, count: int, seconds: float) -> None:
        """How long a batch took, from which the next ones are cut."""
        each = max(seconds / count, 1e-6)
        self._size = max(1, min(BATCH, int(BATCH_S / each)))

    def append(self, task: ScoreTask) -> None:
        self._waiting.append(task)

    def clear(self) -> None:
        """Give up what waits."""
        self._waiting.clear()
        self._alone.clear()

    def batch(self) -> tuple[ScoreTask, ...]:
        """What goes next; empty where nothing waits."""
        if self._alone:
            return (self._alone.popleft(),)
        return tuple(self._waiting.popleft() for _ in range(min(self._size, len(self._waiting))))

    def again(self, batch: tuple[ScoreTask, ...]) -> None:
        """Nothing came of a batch through no fault of its items."""
        self._waiting.extendleft(reversed(batch))

    def done(self, batch: tuple[ScoreTask, ...], result: ScoredBatch | WorkerFailure) -> list[Outcome]:
        """What came of a batch; nothing yet where one of its items has to be found out.

        Raises:
            MediacheckError: scoring cannot go on: a model went away.
        """
        if isinstance(result, ScoredBatch):
            return [Outcome(task, scored) for task, scored in zip(batch, result.results, strict=True)]
        if result.error is not None:
            raise result.error
        if len(batch) == 1:
            return [Outcome(batch[0], result)]
        self._alone += batch
        return []
