"""``mediacheck calibrate``: a policy proposed from runs of one and the same system."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import click

from mediacheck import serialise
from mediacheck.cli.exits import ExitCode
from mediacheck.cli.once import once
from mediacheck.cli.outputs import echo, note, prove_writable, write_file
from mediacheck.errors import UsageError
from mediacheck.gate.policy import check_id, parse_policy


@click.command("calibrate")
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
@once("--out", metavar="FILE.toml", required=True, help="The proposed policy; the evidence goes beside it.")
@once("--id", "id_", metavar="ID", help="Of the policy.  [default: the file's name]")
@click.option(
    "--false-alarm",
    type=float,
    metavar="RATE",
    default=0.05,
    show_default=True,
    help="How often a rule may stop a candidate that is as good as the baseline.",
)
@click.option("--quiet", "-q", is_flag=True, help="No text; results and errors only.")
def calibrate_command(runs: tuple[str, ...], out: str, id_: str | None, false_alarm: float, quiet: bool) -> ExitCode:
    """Propose a policy from two or more runs of one system over one workload.

    Its margins are those that equal runs keep. It is not approved: until someone states so in it, its rules are
    inconclusive.
    """
    path = Path(out)
    if path.suffix != ".toml":
        raise UsageError(f"--out {out}: a policy is a .toml file")
    id = path.stem if id_ is None else id_
    check_id(id)
    evidence = path.with_suffix(".evidence.json")
    for place in (path, evidence):
        if os.path.lexists(place):
            # It may be approved by now.
            raise UsageError(f"{place} is there already; name another file, or delete it first")
        prove_writable(place)
    from mediacheck.gate.calibrate import calibrate
    from mediacheck.report import calibration

    found = calibrate([Path(run) for run in runs], target=false_alarm)
    data = serialise.to_json(found)
    proposed = calibration.policy_toml(
        found,
        id=id,
        evidence=evidence.name,
        sha256=f"sha256:{hashlib.sha256(data).hexdigest()}",
    )
    parse_policy(proposed, str(path))
    write_file(evidence, data)
    write_file(path, proposed)
    if not quiet:
        echo(calibration.render(found))
        note(f"{path} is a proposal: read {evidence.name}, and approve it in the policy")
    return ExitCode.PASS
