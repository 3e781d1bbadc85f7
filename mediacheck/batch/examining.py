"""The first stage, in a worker: is the file there, is it the one that was judged before, and what is there to say."""

from __future__ import annotations

from pathlib import Path

from mediacheck import serialise
from mediacheck.api import FileChangedError
from mediacheck.batch.looking import Look, local, look_anywhere
from mediacheck.batch.places import is_remote
from mediacheck.batch.tasks import Examined, Rules, Validated, ValidateTask
from mediacheck.errors import PathError
from mediacheck.facts import ContainerFacts, FileFacts, MediaFacts, Problem
from mediacheck.measuring import Work, measure_one
from mediacheck.scoring.candidate import validation_of
from mediacheck.scoring.score import ScoredFile
from mediacheck.verdict import Report


def examine(rules: Rules, keep_facts: bool, task: ValidateTask) -> Examined:
    """Measure and judge a file, unless it is the one that was judged before.

    Args:
        rules: by what to judge.
        keep_facts: whether its facts are sent back.
        task: which file.
    """
    found = look_anywhere(task.place)
    if found.status != "present":
        return Examined(found.status, found.reason)
    if task.known is not None and found.state is not None and found.state == task.state:
        return Examined("unchanged", state=found.state)
    if not is_remote(task.place):
        return _examine_local(rules, keep_facts, task, Path(task.place), found)
    from mediacheck.batch import remote

    try:
        with local(task.place) as path:
            return _examine_local(rules, keep_facts, task, path, found)
    except remote.RemoteMissing:
        return Examined("missing", "the file is not there")
    except remote.RemoteUnavailable as error:
        return Examined("unreadable", str(error))


def _examine_local(rules: Rules, keep_facts: bool, task: ValidateTask, path: Path, found: Look) -> Examined:
    from mediacheck.media.files import file_facts

    try:
        if task.known is not None and file_facts(path, task.name).sha256 == task.known:
            return Examined("unchanged", state=found.state)
        facts = measure_one(Work(path, task.name))
    except FileChangedError:
        # Without a state it is looked at again by the next start.
        return Examined("unreadable", "the file changed while it was measured")
    except (PathError, OSError) as error:
        cause = error if not isinstance(error, PathError) else error.__cause__
        said = getattr(cause, "strerror", None) or "it went away, or its disk failed"
        return Examined("unreadable", f"the file cannot be read: {said}")
    validated = validated_of(judged(rules, task, facts))
    return Examined("judged", None, found.state, validated, serialise.to_json(facts) if keep_facts else None)


def judged(rules: Rules, task: ValidateTask, facts: MediaFacts) -> Report:
    """The report of a file, by the contract and expectation of its item."""
    from mediacheck.judge import judge

    return judge(facts, rules.validator, rules.contract_of(task.contract), task.expect)


def unmeasured(name: str, size: int, problem: Problem) -> MediaFacts:
    """The facts of a file that no worker could measure: what it is called, how long it is, and why.

    Its digest is left out: reading a file that hung a worker could hang whoever does it.
    """
    return MediaFacts(
        file=FileFacts(name=name, bytes=size, sha256=""),
        container=ContainerFacts(format=None, completeness="the file was not measured", problems=(problem,)),
    )


def validated_of(report: Report) -> Validated:
    """What the ledger keeps of a report."""
    return Validated(
        file=ScoredFile(name=report.subject.name, bytes=report.subject.bytes, sha256=report.subject.sha256 or None),
        validation=validation_of(report),
        findings=tuple(f for f in report.findings if f.outcome in ("fail", "inconclusive")),
        libraries=report.tool.libraries,
        has_audio=bool(report.facts.audio),
        duration=report.facts.length,
    )
