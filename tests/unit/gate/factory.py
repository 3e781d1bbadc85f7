"""Run folders made by hand, as ``mediacheck batch`` leaves them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from mediacheck import serialise
from mediacheck.batch.record import RECORD, ManifestIdentity, RunRecord, to_toml
from mediacheck.batch.results import RESULTS, ItemResult, Value
from mediacheck.facts import Tag
from mediacheck.gate.policy import Policy, parse_policy
from mediacheck.scoring.score import ErrorCounts, Identity, NotMeasured
from mediacheck.validators import load_validator
from mediacheck.verdict import Finding, ValidatorIdentity

WER = Identity(scorer="wer", version=1, unit="errors/word", language="en")
SPEAKER = Identity(scorer="speaker", version=1, unit="cosine")
SI_SDR = Identity(scorer="si_sdr", version=1, unit="dB")
ASKED = "sha256:" + "a" * 64
APPROVED = f'approval = {{ by = "Ada", date = 2026-11-30, workload = "{ASKED}" }}\n'


def wer(errors: int, words: int = 10, **parts: int) -> Value:
    deletions, insertions = parts.get("deletions", 0), parts.get("insertions", 0)
    substitutions = errors - deletions - insertions
    counts = ErrorCounts(
        substitutions=substitutions,
        deletions=deletions,
        insertions=insertions,
        hits=words - substitutions - deletions,
        reference=words,
    )
    value = round(errors / words, 4) if words else 0.0
    return Value(scorer="wer", value=value, unit="errors/word", counts=counts, identity=WER.digest)


def speaker(value: float) -> Value:
    return Value(scorer="speaker", value=round(value, 4), unit="cosine", identity=SPEAKER.digest)


def si_sdr(value: float) -> Value:
    return Value(scorer="si_sdr", value=round(value, 4), unit="dB", identity=SI_SDR.digest)


def unscored(scorer: str, reason: str = "the endpoint has no answer") -> NotMeasured:
    return NotMeasured(scorer=scorer, reason=reason)


def finding(check: str, outcome: str = "fail", severity: str = "error") -> Finding:
    return Finding(check=check, version=1, outcome=outcome, severity=severity, message=f"{check} {outcome}")  # type: ignore[arg-type]


def item(id: str, *scores: Value | NotMeasured, **changes: Any) -> ItemResult:
    groups = changes.pop("groups", {})
    made = ItemResult(
        id=id,
        media=f"{id}.wav",
        bytes=1000,
        sha256="b" * 64,
        status="judged",
        verdict="pass",
        scores=scores,
        groups=tuple(Tag(key=key, value=value) for key, value in sorted(groups.items())),
        attempts=1,
    )
    return replace(made, **changes)


def missing(id: str, **changes: Any) -> ItemResult:
    return item(id, bytes=None, sha256=None, status="missing", verdict=None, reason=f"{id}.wav is not there", **changes)


def items(count: int, make: Callable[[int], Sequence[Value | NotMeasured]], **changes: Any) -> list[ItemResult]:
    return [item(f"u{number:04}", *make(number), **changes) for number in range(count)]


def record(count: int, **changes: Any) -> RunRecord:
    rules = load_validator("v2")
    made = RunRecord(
        tool="0.1.0",
        validator=ValidatorIdentity(id=rules.id, digest=rules.digest, status=rules.status),
        scorers=(WER, SPEAKER, SI_SDR),
        manifest=ManifestIdentity(format="jsonl", items=count, digest="sha256:" + "d" * 64, asked=ASKED),
    )
    return replace(made, **changes)


def write_run(folder: Path, results: Sequence[ItemResult], made: RunRecord | None = None) -> Path:
    """A run folder; its record names as many items as there are, unless one is given."""
    folder.mkdir()
    (folder / RECORD).write_bytes(to_toml(record(len(results)) if made is None else made))
    (folder / RESULTS).write_bytes(b"".join(serialise.to_compact_json(result) + b"\n" for result in results))
    return folder


def policy_text(*rules: str, approved: bool = True, head: str = "") -> str:
    """A policy of rules, each the TOML of one."""
    start = f'schema = "mediacheck.policy/1"\nid = "test"\n{APPROVED if approved else ""}{head}\n'
    return start + "".join(f"[[rules]]\n{rule}\n" for rule in rules)


def policy(*rules: str, approved: bool = True, head: str = "") -> Policy:
    return parse_policy(policy_text(*rules, approved=approved, head=head).encode(), "policy.toml")


CORPUS = 'id = "wer"\nmetric = "wer"\nstatistic = "corpus"\nunit = "errors/word"\nmax_increase = 0.02'
MEAN_SPEAKER = 'id = "voice"\nmetric = "speaker"\nstatistic = "mean"\nunit = "cosine"\nmax_decrease = 0.02'
