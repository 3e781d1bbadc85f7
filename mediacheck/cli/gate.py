"""``mediacheck gate``: may this run replace that one, by a policy?"""

from __future__ import annotations

import os
from pathlib import Path

import click

from mediacheck.batch.record import RECORD
from mediacheck.batch.results import RESULTS
from mediacheck.cli.exits import ExitCode, exit_for
from mediacheck.cli.gate_outputs import deliver, plan_gate
from mediacheck.gate.policy import load_policy


@click.command("gate")
@click.argument("run", metavar="RUN")
@click.option("--baseline", metavar="RUN", help="The run that it is held against.")
@click.option("--policy", "policy_", metavar="FILE", required=True, help="The rules; see docs/reference/policy.md.")
@click.option("--workload", metavar="ID", help="What the runs are a case of: a policy holds for one only.")
@click.option("--validator", metavar="ID|FILE", help="The runs' own, where it is a file of yours: findings need it.")
@click.option("--json", "json_", metavar="FILE|-", help="Write the decision as JSON; - for standard output.")
@click.option("--junit", metavar="FILE", help="Write JUnit XML: a case for each rule.")
@click.option("--markdown", metavar="FILE|-", help="Write Markdown for a comment; - for standard output.")
@click.option("--summary", metavar="FILE", help="Append the Markdown to a file, as CI servers show one.")
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
        sources=[Path(policy_), *(folder / name for folder in folders for name in (RECORD, RESULTS))],
    )
    # numpy, for the intervals: only once all else is right.
    from mediacheck.gate.decide import decide

    decision = decide(
        policy, Path(run), None if baseline is None else Path(baseline), workload=workload, validator=validator
    )
    deliver(decision, outputs)
    return exit_for([decision.verdict])
