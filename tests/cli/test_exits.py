from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from mediacheck.cli.exits import ExitCode, exit_for
from mediacheck.verdict import Verdict
from tests.cli.run import mediacheck


@pytest.mark.parametrize("verdicts", [*product(("pass", "inconclusive", "fail"), repeat=3), ("pass",), ()])
def test_the_worst_verdict_counts_and_none_is_no_pass(verdicts: tuple[Verdict, ...]) -> None:
    expected = ExitCode.FAIL if "fail" in verdicts else ExitCode.INCONCLUSIVE
    if verdicts and all(verdict == "pass" for verdict in verdicts):
        expected = ExitCode.PASS
    assert exit_for(verdicts) == expected


def test_an_inconclusive_report_is_exit_code_3(tmp_path: Path) -> None:
    inconclusive = (
        "import msgspec\nfrom mediacheck.cli import common\njudge = common.Rules.judge\n"
        "common.Rules.judge = lambda self, facts: msgspec.structs.replace(judge(self, facts), verdict='inconclusive')\n"
    )
    (tmp_path / "x.wav").write_bytes(b"")
    ran = mediacheck("validate", "x.wav", cwd=tmp_path, before=inconclusive)
    assert ran.code == 3
    assert ran.text.startswith("INCONCLUSIVE  x.wav")
