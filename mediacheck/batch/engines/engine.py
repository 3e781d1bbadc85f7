"""What a run asks of whoever does its work. The driver alone decides, and writes the ledger."""

from __future__ import annotations

from typing import Protocol

from mediacheck.batch.tasks import Outcome, ScoreTask, ValidateTask
from mediacheck.scoring.score import Identity


class Engine(Protocol):
    """Takes tasks while it has room, and gives back each with what came of it, in any order."""

    @property
    def busy(self) -> int:
        """How many tasks it holds."""

    def room_to_validate(self) -> bool:
        """Whether it would take one more file to measure and judge."""

    def room_to_score(self) -> bool:
        """Whether it would take one more item to score."""

    def submit(self, task: ValidateTask | ScoreTask) -> None:
        """Take a task, where there is room."""

    def wait(self) -> list[Outcome]:
        """Wait until something is done; empty where nothing was under way, or the wait was interrupted.

        Raises:
            OSError: the system refuses the processes that the work needs.
            MediacheckError: the work cannot be done at all: a model went away.
        """

    def drain(self) -> None:
        """Give up what has not begun; what is under way is waited for."""

    def identities(self) -> tuple[Identity, ...]:
        """Of the scorers, which are loaded for it.

        Raises:
            MediacheckError: a model or library is missing, or the options do not fit.
        """

    def close(self) -> None:
        """End at once; what is under way is lost."""
