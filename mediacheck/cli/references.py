"""``mediacheck references``: which sets of reference recordings there are, and whether their files are as stated."""

from __future__ import annotations

import click

from mediacheck import references
from mediacheck.cli.exits import ExitCode
from mediacheck.cli.outputs import echo
from mediacheck.report.escape import printable


@click.group("references")
def references_group() -> None:
    """List and verify sets of reference recordings."""


@references_group.command("list")
def list_command() -> int:
    """List the sets that come with mediacheck."""
    for id in references.shipped():
        found = references.load(references.folder_of(id))
        speakers = f", {len(found.speakers)} speakers" if found.speakers else ""
        echo(
            f"{id}  {len(found.entries)} recordings, {', '.join(found.languages)}{speakers}; {found.about.licence}\n"
            f"  {printable(found.about.summary)}\n"
        )
    return ExitCode.PASS


@references_group.command("verify")
@click.argument("sets", nargs=-1, metavar="[SET…]")
def verify_command(sets: tuple[str, ...]) -> int:
    """Hold every file of a set against its digest.

    SET is the id of a set that comes with mediacheck (all of them by default), or a folder with reference.toml.
    """
    broken = False
    for name in sets or references.shipped():
        problems = references.verify(references.folder_of(name))
        broken = broken or bool(problems)
        count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
        echo(f"{printable(name)}: {count if problems else 'as stated'}\n")
        for problem in problems:
            echo(f"  {printable(problem)}\n")
    return ExitCode.FAIL if broken else ExitCode.PASS
