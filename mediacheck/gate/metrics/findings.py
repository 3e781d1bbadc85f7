"""``findings:audio.silent``: whether a check failed, warnings too; of items that were judged."""

from __future__ import annotations

from dataclasses import replace

from mediacheck.batch.results import ItemResult
from mediacheck.checks import all_checks
from mediacheck.gate.metrics.metric import Metric, RunContext, indicator

_PREFIX = "findings:"


def names() -> tuple[str, ...]:
    return tuple(sorted({f"{_PREFIX}{check.id}" for check in all_checks()}))


def find(name: str) -> Metric | None:
    if name not in names():
        return None
    check = name.removeprefix(_PREFIX)

    def read(item: ItemResult, context: RunContext) -> bool | str:
        if item.status != "judged":
            return item.reason or item.status
        if not item.findings:
            return False
        outcomes = {finding.outcome for finding in item.findings if finding.check == check}
        if "fail" in outcomes:
            return True
        return "the check is inconclusive" if "inconclusive" in outcomes else False

    # A check that was never made finds nothing, which must not look like a good run.
    def was_run(context: RunContext) -> str | None:
        validator = context.record.validator.id
        if context.checks is None:
            return f"whether the run's validator {validator} makes {check} is not known here; name it by --validator"
        return None if check in context.checks else f"the run's validator {validator} does not make {check}"

    return replace(indicator(name, "lower", read), was_run=was_run)
