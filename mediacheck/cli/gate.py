"""``mediacheck gate``: may this run replace that one, by a policy?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import click

from mediacheck.batch.record import RECORD
from mediacheck.batch.results import RESULTS
from mediacheck.cli.exits import ExitCode, exit_for
from mediacheck.cli.gate_outputs import deliver, plan_gate
from mediacheck.cli.once import once
from mediacheck.gate.policy import load_policy

KEPT: Final = (RECORD, RESULTS, "ledger.sqlite", "results.parquet", "summary.json")
"""Files of a run folder that no result may be written over; their names stand here since their modules are slow to
import."""


@click.command("gate")
@click.argument("run", metavar="RUN")
@once("--baseline", metavar="RUN", help="The run that it is held against.")
@once("--policy", "policy_", metavar="FILE", required=True, help="The rules; see docs/reference/policy.md.")
@once("--workload", metavar="ID", help="What the runs are a case of: a policy holds for one only.")
@once("--validator", metavar="ID|FILE", help="The runs' own, where it is a file of yours: findings need it.")
@once("--json", "json_", metavar="FILE|-", help="Write the decision as JSON; - for standard output.")
@once("--junit", metavar="FILE", help="Write JUnit XML: a case for each rule.")
@once("--markdown", metavar="FILE|-", help="Write Markdown for a comment; - for standard output.")
@once("--summary", metavar="FILE", help="Append the Markdown to a file, as CI servers show one.")
@click.option("--github/--no-github", default=None, help="Annotations and step summary.  [default: in GitHub Actions]")
@click.option("--quiet", "-q", is_flag=True, help="No text; results and errors only.")
def gate_command(
    run: str,
    baseline: str | None,
    policy_: str,
    workload: str | None,
    validator: str | None,
    json_: str | None,
    junit: str | None,
    markdown: str | None,
    summary: str | None,
    github: bool | None,
    quiet: bool,
) -> ExitCode:
    """Decide whether RUN, a finished folder of 'mediacheck batch', passes a policy.

    Rules that compare need --baseline: they pass where RUN is shown to be no worse than their margin allows.
    """
    policy = load_policy(Path(policy_))
    folders = [Path(name) for name in (run, baseline) if name is not None]
    outputs = plan_gate(
        json=json_,
        junit=junit,
        markdown=markdown,
        summary=summary,
        github=os.environ.get("GITHUB_ACTIONS") == "true" if github is None else github,
        quiet=quiet,
        sources=[Path(policy_), *(folder / name for folder in folders for name in KEPT)],
    )
    # numpy, for the intervals: only once all else is right.
    from mediacheck.gate.decide import decide

    decision = decide(
        policy, Path(run), None if baseline is None else Path(baseline), workload=workload, validator=validator
    )
    deliver(decision, outputs)
    return exit_for([decision.verdict])
