"""The second stage, in a process that holds the models."""

from __future__ import annotations

from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path

from msgspec.structs import replace

from mediacheck.batch.errors import RunError
from mediacheck.batch.looking import local
from mediacheck.batch.places import is_remote
from mediacheck.batch.tasks import Scored, ScoredBatch, ScoreTask, ScoringPlan, SoundFile, Validated
from mediacheck.measuring import keep_freed_memory
from mediacheck.scoring.candidate import Judged, score_candidate
from mediacheck.scoring.run import prepare, score_item
from mediacheck.scoring.score import Identity, NotMeasured
from mediacheck.scoring.scorer import Item, Scorer


def score_batch(plan: ScoringPlan, tasks: tuple[ScoreTask, ...]) -> ScoredBatch:
    """Compute the scores of some items; models are loaded by the first call of a process.

    Raises:
        ModelError: a model or library is missing.
        UsageError: the options do not fit.
    """
    scorers = prepared(plan)
    results = tuple(_score(scorers.of(task.language), task) for task in tasks)
    return ScoredBatch(scorers.identities, results)


class PreparedScorers:
    """The scorers of every language of a run."""

    def __init__(self, plan: ScoringPlan) -> None:
        self._by_language: dict[str, tuple[Scorer, ...]] = {}
        shared: dict[str, Scorer] = {}
        for language, ids in plan.languages:
            # Most scorers know no language: their models are loaded once.
            missing = [id for id in ids if id not in shared]
            made = prepare(missing, replace(plan.options, language=language)) if missing else ()
            own = {scorer.info.id: scorer for scorer in made}
            for scorer in made:
                if _identity(scorer).language is None:
                    shared[scorer.info.id] = scorer
            self._by_language[language] = tuple(own.get(id) or shared[id] for id in ids)
        found = {_identity(scorer).digest: _identity(scorer) for own in self._by_language.values() for scorer in own}
        self.identities: tuple[Identity, ...] = tuple(found.values())

    def of(self, language: str) -> tuple[Scorer, ...]:
        return self._by_language[language]


def get_ready(plan: ScoringPlan) -> None:
    """Runs in a process that scores, as it starts."""
    keep_freed_memory()
    prepared(plan)


@lru_cache(maxsize=1)
def prepared(plan: ScoringPlan) -> PreparedScorers:
    """The scorers of a run, loaded once a process."""
    return PreparedScorers(plan)


def _identity(scorer: Scorer) -> Identity:
    identity = getattr(scorer, "identity", None)
    if not isinstance(identity, Identity):
        raise RunError(
            f"the scorer {scorer.info.id} does not state its identity once it is prepared, and a run records it; "
            "see 'A scorer of your own' in the documentation"
        )
    return identity


def _score(scorers: tuple[Scorer, ...], task: ScoreTask) -> Scored:
    if not is_remote(task.candidate.place) and not any(is_remote(file.place) for file in task.references):
        return _score_local(scorers, task, Path(task.candidate.place), [Path(file.place) for file in task.references])
    from mediacheck.batch.remote import RemoteMissing, RemoteUnavailable

    with ExitStack() as stack:
        try:
            path = stack.enter_context(local(task.candidate.place))
            paths = [stack.enter_context(local(file.place)) for file in task.references]
        except RemoteMissing:
            return refused_scores(_ids(scorers), "a file went away before it was scored", transient=True)
        except RemoteUnavailable as error:
            return refused_scores(_ids(scorers), str(error), transient=True)
        return _score_local(scorers, task, path, paths)


def _score_local(scorers: tuple[Scorer, ...], task: ScoreTask, path: Path, references: list[Path]) -> Scored:
    candidate = judged_file(task.candidate, path)
    if task.refused is not None:
        item = Item(candidate=candidate.recording(), text=task.text, silent=candidate.silent)
        return Scored(scores=score_item(scorers, item, refused=candidate.refused, reference_refused=task.refused))
    scores = score_candidate(
        scorers,
        candidate,
        text=task.text,
        references=[judged_file(file, path) for file, path in zip(task.references, references, strict=True)],
    )
    return Scored(scores=scores.scores)


def judged_file(file: SoundFile, path: Path) -> Judged:
    """What scoring asks of a file that was judged."""
    return Judged(
        path=path,
        file=file.validated.file,
        validation=file.validated.validation,
        libraries=file.validated.libraries,
        has_audio=file.validated.has_audio,
        speaker=file.speaker,
    )


def refusal(validated: Validated) -> str | None:
    """Why nothing may be computed from the sound of a file; None: it may."""
    return judged_file(SoundFile("", validated), Path()).refused


def reference_refusal(validated: Validated) -> str | None:
    """Why nothing may be held against a recording; None: it may."""
    reference = judged_file(SoundFile("", validated), Path())
    return reference.refused or (f"{reference.file.name} is silent" if reference.silent else None)


def refused_scores(ids: tuple[str, ...], reason: str, *, transient: bool = False) -> Scored:
    """No value, for one reason, from every scorer."""
    return Scored(scores=tuple(NotMeasured(scorer=id, reason=reason, transient=transient) for id in ids))


def _ids(scorers: tuple[Scorer, ...]) -> tuple[str, ...]:
    return tuple(scorer.info.id for scorer in scorers)
