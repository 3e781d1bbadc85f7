"""What must hold for two runs, or for one, to be decided upon at all."""

from __future__ import annotations

from mediacheck.gate.decision import Requirement
from mediacheck.gate.policy import Requires
from mediacheck.gate.runs import GateRun
from mediacheck.scoring.score import Identity
from mediacheck.verdict import Outcome

_NO_BASELINE = "there is no baseline"


def check_requirements(requires: Requires, candidate: GateRun, baseline: GateRun | None) -> tuple[Requirement, ...]:
    """Every requirement with its outcome; what fails to hold is inconclusive: it says nothing of the candidate."""
    found = [_whole("candidate", candidate)]
    if baseline is not None:
        found.append(_whole("baseline", baseline))
    if requires.validator is not None or requires.validator_digest is not None:
        found += [
            _validator(requires, side, run)
            for side, run in (("candidate", candidate), ("baseline", baseline))
            if run is not None
        ]
    if requires.same_manifest:
        found.append(_same_manifest(candidate, baseline))
    if requires.same_validator:
        found.append(_same_validator(candidate, baseline))
    if requires.same_scorers:
        found.append(_same_scorers(candidate, baseline))
    return tuple(found)


def blocking(requirements: tuple[Requirement, ...]) -> str | None:
    """Why the runs cannot be compared; None: they can."""
    return next((r.message for r in requirements if r.id.startswith("same_") and r.outcome == "inconclusive"), None)


def _requirement(id: str, problem: str | None, good: str) -> Requirement:
    outcome: Outcome = "pass" if problem is None else "inconclusive"
    return Requirement(id=id, outcome=outcome, message=good if problem is None else problem)


def _whole(side: str, run: GateRun) -> Requirement:
    """A line for each item of the manifest, and each item once."""
    id = f"whole:{side}"
    identity, shard = run.identity, run.record.shard
    problem = None
    if run.duplicates:
        problem = f"{len(run.duplicates)} ids stand in the {side}'s results twice, the first is {run.duplicates[0]}"
    elif shard is not None and shard.of > 1:
        problem = f"the {side} is shard {shard.number} of {shard.of}; merge the shards with 'mediacheck batch merge'"
    elif identity.present != identity.items:
        problem = f"the {side} has results of {identity.present} items, its manifest names {identity.items}"
    elif not identity.items:
        problem = f"the {side} has no items"
    return _requirement(id, problem, f"all {identity.items} items of the {side} have a result")


def _validator(requires: Requires, side: str, run: GateRun) -> Requirement:
    identity = run.identity
    problem = None
    if requires.validator is not None and identity.validator != requires.validator:
        problem = f"the {side} was judged by {identity.validator}, the policy asks for {requires.validator}"
    elif requires.validator_digest is not None and identity.validator_digest != requires.validator_digest:
        problem = (
            f"the {side} was judged by {identity.validator} of digest {identity.validator_digest}, "
            f"the policy asks for {requires.validator_digest}"
        )
    return _requirement(f"validator:{side}", problem, f"the {side} was judged by {identity.validator}")


def _absent(id: str) -> Requirement:
    return Requirement(id=id, outcome="not_applicable", message=_NO_BASELINE)


def _same_manifest(candidate: GateRun, baseline: GateRun | None) -> Requirement:
    if baseline is None:
        return _absent("same_manifest")
    problem = None
    if candidate.identity.asked != baseline.identity.asked:
        only = len(set(candidate.ids) ^ set(baseline.ids))
        how = f"{only} ids are in one of them only" if only else "their ids are the same, what is asked of them is not"
        problem = f"the manifests of the two runs ask for different things ({how})"
    return _requirement("same_manifest", problem, "both runs were asked the same")


def _same_validator(candidate: GateRun, baseline: GateRun | None) -> Requirement:
    if baseline is None:
        return _absent("same_validator")
    own, other = candidate.record, baseline.record
    problem = None
    if own.validator.digest != other.validator.digest:
        problem = f"the candidate was judged by {own.validator.id}, the baseline by {other.validator.id}"
        if own.validator.id == other.validator.id:
            problem = f"the two runs were judged by {own.validator.id} of different digests"
    elif (own.contract, own.contracts) != (other.contract, other.contracts):
        problem = "the two runs were judged by different contracts"
    return _requirement("same_validator", problem, f"both runs were judged by {own.validator.id}")


def _same_scorers(candidate: GateRun, baseline: GateRun | None) -> Requirement:
    if baseline is None:
        return _absent("same_scorers")
    own = {identity.digest: identity for identity in candidate.record.scorers}
    other = {identity.digest: identity for identity in baseline.record.scorers}
    differing = [*(own[key] for key in own.keys() - other.keys()), *(other[key] for key in other.keys() - own.keys())]
    problem = None
    if differing:
        names = sorted({identity.scorer for identity in differing})
        problem = f"the two runs were not scored by the same: {', '.join(map(str, names))} differ{_how(differing)}"
    return _requirement("same_scorers", problem, f"both runs were scored by the same {len(own)} scorers")


def _how(identities: list[Identity]) -> str:
    """In which fields two identities of one scorer and language differ."""
    for first in identities:
        for second in identities:
            if first is not second and (first.scorer, first.language) == (second.scorer, second.language):
                fields = [n for n in Identity.__struct_fields__ if getattr(first, n) != getattr(second, n)]
                return f" ({first.scorer}: {', '.join(fields)})"
    return ""
