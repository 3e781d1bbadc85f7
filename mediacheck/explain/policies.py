"""What else a policy holds and a decision says, explained by the texts in ``mediacheck/gate/explained/policies``."""

from __future__ import annotations

from typing import Final, get_args

from msgspec import NODEFAULT
from msgspec.structs import fields

from mediacheck.explain.entries import Entry, EntryKind
from mediacheck.explain.explanation import Property
from mediacheck.gate.policy import MINIMUM_COUNT, Rule
from mediacheck.verdict import Outcome

_OF_RULES: Final = (
    "metric", "statistic", "unit", "confidence", "by", "minimum_coverage", "minimum_count", "worst_case", "seed",
)  # fmt: skip
_WITHOUT_DEFAULT: Final = {
    "by": "all items together",
    "minimum_count": f"{MINIMUM_COUNT}; 1 for each and count",
    "worst_case": "the metric's",
}
"""What a default of None means."""


def _entries() -> tuple[Entry, ...]:
    return (
        Entry("policies/policy", "policy", aliases=("schema", "id", "summary", "rules", "requires")),
        Entry("policies/approval", "approval", aliases=("approval.by", "approval.date", "date")),
        Entry("policies/workload", "workload", aliases=("approval.workload",)),
        Entry("policies/approval_rules", "approval.rules"),
        Entry("policies/evidence", "evidence", aliases=("evidence.file", "evidence.sha256", "file", "sha256")),
        *(Entry(f"policies/{name}", name, properties=_properties) for name in _OF_RULES),
        Entry("policies/outcome", "outcome", aliases=_outcomes()),
    )


def _called(name: str) -> str:
    return "outcome" if name in _outcomes() or name == "outcome" else "part of a policy"


def _outcomes() -> tuple[str, ...]:
    found: tuple[str, ...] = get_args(Outcome)
    return found


def _properties(name: str) -> tuple[Property, ...]:
    default = next(one.default for one in fields(Rule) if one.name == name)
    if default is NODEFAULT:
        shown = "none: a rule states it"
    else:
        shown = _WITHOUT_DEFAULT[name] if default is None else f"{default:g}"
    # :g would round the seed.
    shown = str(default) if isinstance(default, int) else shown
    return (Property(name="stands in", value="[[rules]]"), Property(name="default", value=shown))


KIND: Final = EntryKind("Policies and outcomes", _entries, _called)
