"""What must hold for two runs, or for one, to be decided upon at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mediacheck.gate.decision import Requirement
from mediacheck.gate.policy import Requires
from mediacheck.gate.runs import GateRun
from mediacheck.scoring.score import Identity
from mediacheck.verdict import Outcome

_SHOWN: Final = 3
"""Differences that are named; the records have them all."""
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
        ids = "id is" if only == 1 else "ids are"
        how = f"{only} {ids} in one of them only" if only else "their ids are the same, what is asked of them is not"
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
    own, other = candidate.record.scorers, baseline.record.scorers
    problem = None
    if {identity.digest for identity in own} != {identity.digest for identity in other}:
        differing = list(dict.fromkeys(_differences(own, other)))
        more = f"; and {len(differing) - _SHOWN} more" if len(differing) > _SHOWN else ""
        problem = f"the two runs were not scored by the same: {'; '.join(differing[:_SHOWN])}{more}"
    return _requirement("same_scorers", problem, f"both runs were scored by the same {len(own)} scorers")


def _differences(candidate: Sequence[Identity], baseline: Sequence[Identity]) -> Iterator[str]:
    """``wer differs in model id: small.en against tiny.en``, the candidate's first."""
    own = {(identity.scorer, identity.language or ""): identity for identity in candidate}
    other = {(identity.scorer, identity.language or ""): identity for identity in baseline}
    for key in sorted(own.keys() | other.keys()):
        of = f" ({key[1]})" if key[1] else ""
        if key not in other:
            yield f"only the candidate was scored by {key[0]}{of}"
        elif key not in own:
            yield f"only the baseline was scored by {key[0]}{of}"
        elif own[key].digest != other[key].digest:
            here, there = _fields(own[key]), _fields(other[key])
            fields = [
                f"{name}: {here.get(name, 'none')} against {there.get(name, 'none')}"
                for name in dict.fromkeys([*here, *there])
                if here.get(name) != there.get(name)
            ]
            more = f", and {len(fields) - _SHOWN} more" if len(fields) > _SHOWN else ""
            yield f"{key[0]} differs in {', '.join(fields[:_SHOWN])}{more}"


def _fields(identity: Identity) -> dict[str, str]:
    """What an identity says, flat: ``model id``, ``library numpy``, ``option beam``."""
    found = {"version": str(identity.version), "unit": identity.unit}
    if identity.backend is not None:
        found["backend"] = identity.backend
    for name, part in (("model", identity.model), ("normaliser", identity.normaliser)):
        for field in () if part is None else part.__struct_fields__:
            value = getattr(part, field)
            if value is not None:
                found[f"{name} {field}"] = f"{value[:12]}…" if field == "sha256" else str(value)
    for name, tags in (("option", identity.options), ("library", identity.libraries)):
        found |= {f"{name} {tag.key}": tag.value for tag in tags}
    return found
