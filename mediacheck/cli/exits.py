"""Exit codes, the same for every command."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mediacheck.verdict import Verdict


class ExitCode(IntEnum):
    PASS = 0
    FAIL = 1
    USAGE = 2
    INCONCLUSIVE = 3
    TOOL_FAILED = 4
    INTERRUPTED = 130


def exit_for(verdicts: Iterable[Verdict]) -> ExitCode:
    """The worst of several verdicts: fail, then inconclusive, then pass; none at all is no pass."""
    seen = set(verdicts)
    if "fail" in seen:
        return ExitCode.FAIL
    if seen == {"pass"}:
        return ExitCode.PASS
    return ExitCode.INCONCLUSIVE
