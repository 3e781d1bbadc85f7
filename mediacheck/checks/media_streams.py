from __future__ import annotations

from mediacheck.checks.asked import contract_severity
from mediacheck.checks.registry import (
    Case,
    NoParameters,
    Result,
    check,
    combined,
    failed,
    lowered,
    not_applicable,
    passed,
)
from mediacheck.checks.wording import counted


@check("media.streams", 1, NoParameters)
def media_streams(case: Case, parameters: NoParameters) -> Result:
    """The streams that were asked for are there, and no other."""
    contract = case.contract
    results = []
    for kind, count, asked, presence in (
        ("audio", len(case.facts.audio), case.expect.audio, contract.audio if contract else None),
        ("video", len(case.facts.video), case.expect.video, contract.video if contract else None),
    ):
        if asked is not None:
            wanted = f"{'one' if asked else 'none'} was asked for"
            results.append(_compare(kind, count, 1 if asked else 0, None if asked else 0, wanted))
        elif contract is not None and presence is not None:
            low, high = (1 if presence == "required" else 0), (0 if presence == "absent" else 1)
            wanted = f"contract {contract.id} gives {'none' if high == 0 else 'one' if low == 1 else 'one at most'}"
            results.append(lowered(_compare(kind, count, low, high, wanted), contract_severity(contract)))
    if not results:
        return not_applicable("not asked for")
    return combined(results)


def _compare(kind: str, count: int, low: int, high: int | None, wanted: str) -> Result:
    streams = counted(count, f"{kind} stream")
    if low <= count and (high is None or count <= high):
        return passed(f"{streams}; {wanted}", measured=count, expected=low, unit="streams")
    fault = f"the {kind} is missing" if count < low else f"{kind} that should not be there"
    return failed(
        f"{fault}: {streams}, but {wanted}", measured=count, expected=low if count < low else high, unit="streams"
    )
