"""``mediacheck validators``: list, show, compare, copy, freeze and verify them."""

from __future__ import annotations

from pathlib import Path

import click

from mediacheck.cli.exits import ExitCode
from mediacheck.explain import find
from mediacheck.report.escape import printable
from mediacheck.validators import diff, list_validators, load_validator, new_validator, plain, validator_ids

_RECORDS = click.option(
    "--records",
    type=click.Path(path_type=Path),
    help="Folder of recorded facts, in numbered sets; those of the source checkout by default.",
)


@click.group("validators")
def validators_group() -> None:
    """List, show, compare and freeze validators."""


@validators_group.command("list")
def list_command() -> int:
    """List the validators that come with mediacheck."""
    for validator in list_validators():
        _say(f"{validator.id:<8} {validator.status:<8} {len(validator.checks):>3} checks  {validator.title}")
    return ExitCode.PASS


@validators_group.command("show")
@click.argument("validator", metavar="ID|FILE")
def show_command(validator: str) -> int:
    """Show a validator: its checks, severities and parameters."""
    shown = load_validator(validator)
    _say(f"{shown.id}  {shown.status}  {shown.title}")
    _say(shown.digest)
    for pinned in shown.checks:
        settings = ", ".join(f"{setting.name} = {plain(setting.value)}" for setting in pinned.settings)
        _say(f"  {pinned.check:<26} {pinned.severity:<8} {settings}".rstrip())
        _say(f"    {find(pinned.check).title}")
    return ExitCode.PASS


@validators_group.command("diff")
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
def diff_command(before: str, after: str) -> int:
    """Show what changes from validator A to validator B; exit 1 where they differ."""
    left, right = load_validator(before), load_validator(after)
    differences = diff(left, right)
    for one in differences:
        what = "" if one.what == "check" else f" {one.what}"
        _say(f"{one.check or 'all'}{what}: {plain(one.before)} -> {plain(one.after)}")
    if not differences:
        _say(f"{left.id} and {right.id} say the same")
    return ExitCode.FAIL if differences else ExitCode.PASS


@validators_group.command("new")
@click.argument("id")
@click.option("--from", "source", default="v2", show_default=True, help="Validator to copy: an id or a path.")
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder to write validator.toml into; by default one with the new id, in the working folder.",
)
def new_command(id: str, source: str, into: Path | None) -> int:
    """Copy a validator under a new ID, to change it."""
    path = new_validator(id, source, into or Path(id))
    _say(f"{path}: change it, then use it with --validator {path.parent}")
    return ExitCode.PASS


@validators_group.command("freeze")
@click.argument("validator", metavar="ID|FOLDER")
@_RECORDS
def freeze_command(validator: str, records: Path | None) -> int:
    """Make a validator stable, and lock its files and its checks' behaviour."""
    from mediacheck.validators_lock import freeze, shipped_root

    folder = shipped_root() / validator if validator in validator_ids() else Path(validator)
    added = freeze(folder.resolve(), records)
    _say(f"{added[0].validator} is frozen: {len(added)} lines were added to {folder.parent / 'LOCK'}")
    return ExitCode.PASS


@validators_group.command("verify")
@click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Folder that holds the LOCK; by default that of the validators that come with mediacheck.",
)
@_RECORDS
def verify_command(root: Path | None, records: Path | None) -> int:
    """Hold every frozen validator against its LOCK: 1 where one changed, 3 where that cannot be told."""
    from mediacheck.validators_lock import verify

    found = verify(root, records)
    for problem in found.problems:
        _say(problem)
    if found.problems:
        return ExitCode.FAIL
    if found.not_replayed is not None:
        _say(f"the files are as they were frozen; their behaviour was not replayed: {found.not_replayed}")
        return ExitCode.INCONCLUSIVE
    frozen = ", ".join(found.frozen)
    _say(f"{frozen}: as frozen" if frozen else "no validator is frozen")
    return ExitCode.PASS


def _say(line: str) -> None:
    """A line on standard output; titles and settings come from files of strangers."""
    click.echo(printable(line))
