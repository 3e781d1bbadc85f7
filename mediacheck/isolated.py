"""``measure`` and ``validate`` of the Python API in a worker process: for callers that a decoder must not take down.

``mediacheck.api`` works in the caller's own process. Here a crash, a hang or a lack of memory costs one answer, which
says so: a report with verdict ``fail``, as on the command line.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mediacheck.api import Asked, expectation, measure, printable_name
from mediacheck.contracts import Contract, load_contract
from mediacheck.errors import PathError, UsageError
from mediacheck.expectation import Expectation
from mediacheck.facts import MediaFacts
from mediacheck.judge import judge
from mediacheck.measuring import MEGABYTE, Limits, Work, facts_without_measuring, import_decoders
from mediacheck.validators import Validator, load_validator
from mediacheck.verdict import Report
from mediacheck.workers import Pool, WorkerFailure

if TYPE_CHECKING:
    from mediacheck.api import Source


@dataclass(frozen=True)
class _Rules:
    """By what to judge."""

    validator: Validator
    contract: Contract | None
    expect: Expectation | None

    def judge(self, facts: MediaFacts) -> Report:
        return judge(facts, self.validator, self.contract, self.expect)


@dataclass(frozen=True)
class _Question:
    """What the worker is sent."""

    source: Any
    """A path, bytes, or an array of samples."""
    name: str
    raw: str | None
    sample_rate: int | None
    rules: _Rules | None
    """None: facts are wanted. The report is made where the facts are: those of an hour take megabytes."""


def _answer(question: _Question) -> MediaFacts | Report:
    """Runs in the worker."""
    facts = measure(question.source, raw=question.raw, sample_rate=question.sample_rate, name=question.name)
    return facts if question.rules is None else question.rules.judge(facts)


class Isolated:
    """One worker process, started when it is first needed, and again after it broke. Calls wait for each other."""

    def __init__(self, limits: Limits | None = None) -> None:
        """Nothing is started yet.

        Args:
            limits: for each call; those of the command line by default.
        """
        self._limits = limits or Limits()
        self._pool: Pool[_Question, MediaFacts | Report] | None = None
        self._owner = 0
        self._lock = threading.Lock()

    def __enter__(self) -> Isolated:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker."""
        # A process that was forked from the one which started the worker can neither use nor end it.
        if self._pool is not None and self._owner == os.getpid():
            self._pool.close()
        self._pool = None

    def validate(
        self,
        source: Source,
        *,
        validator: str | os.PathLike[str] = "v2",
        contract: str | os.PathLike[str] | None = None,
        expect: Asked | None = None,
        raw: str | None = None,
        sample_rate: int | None = None,
        name: str | None = None,
    ) -> Report:
        """As ``mediacheck.validate``; what could not be measured gives a report with verdict ``fail``."""
        rules = _Rules(
            load_validator(os.fspath(validator)),
            None if contract is None else load_contract(os.fspath(contract)),
            expectation(expect),
        )
        found = self._ask(source, raw=raw, sample_rate=sample_rate, name=name, rules=rules)
        return rules.judge(found) if isinstance(found, MediaFacts) else found

    def measure(
        self, source: Source, *, raw: str | None = None, sample_rate: int | None = None, name: str | None = None
    ) -> MediaFacts:
        """As ``mediacheck.measure``; what could not be measured gives facts that say why."""
        found = self._ask(source, raw=raw, sample_rate=sample_rate, name=name, rules=None)
        assert isinstance(found, MediaFacts), "only rules make a report"
        return found

    def _ask(
        self, source: Source, *, raw: str | None, sample_rate: int | None, name: str | None, rules: _Rules | None
    ) -> MediaFacts | Report:
        sent, own_name = _sendable(source)
        question = _Question(sent, name or own_name, raw, sample_rate, rules)
        with self._lock:
            try:
                found = next(iter(self._ready().run([question])))[1]
            except BaseException:
                # Interrupted while the worker was busy: its answer would be taken for that to the next question.
                self.close()
                raise
        if not isinstance(found, WorkerFailure):
            return found
        if found.error is not None and not isinstance(found.error, PathError):
            raise found.error
        path = sent if isinstance(sent, Path) else Path()
        return facts_without_measuring(Work(path, question.name, raw), found, self._limits)

    def _ready(self) -> Pool[_Question, MediaFacts | Report]:
        if self._pool is None or self._owner != os.getpid():
            self._owner = os.getpid()
            self._pool = Pool(
                _answer,
                timeout_s=self._limits.timeout_s,
                memory_bytes=self._limits.memory_mb * MEGABYTE,
                prepare=partial(import_decoders, True, several=True, threads=True),
                fork=False,
            )
        return self._pool


def _sendable(source: Any) -> tuple[Any, str]:
    """The source as a worker can take it, and its name."""
    if isinstance(source, str | os.PathLike):
        text = os.fspath(source)
        if not isinstance(text, str) or not text or "\0" in text:
            raise UsageError(f"source= is {text!r}, which names nothing")
        from mediacheck.media import require_file

        require_file(Path(text))
        # The worker's working folder is that in which it was started.
        path = Path(os.path.abspath(text))
        return path, printable_name(path.name)
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source), "bytes"
    if hasattr(source, "read"):
        data = source.read()
        if not isinstance(data, bytes):
            raise UsageError("the file was opened as text; open it with mode 'rb'")
        own = getattr(source, "name", None)
        return data, printable_name(os.path.basename(own)) if isinstance(own, str) and own else "stream"
    if type(source).__module__.partition(".")[0] == "numpy":
        return source, "array"
    raise UsageError(
        f"an object of type {type(source).__name__} cannot be measured; "
        "give a path, bytes, a binary file or a numpy array"
    )
