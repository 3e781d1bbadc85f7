"""``mediacheck explain``: what a check does, why it matters, and how to mend what it finds."""

from __future__ import annotations

import click

from mediacheck.cli.exits import ExitCode
from mediacheck.cli.outputs import echo
from mediacheck.explain import explanations, find
from mediacheck.report import explanation


@click.command("explain")
@click.argument("check", required=False)
def explain_command(check: str | None) -> int:
    """Explain a CHECK: what it does, why it matters, how it is computed, and how to fix the cause.

    CHECK is an id such as audio.finite, or one at a version: audio.finite@1. Without one, all are listed.
    """
    if check is None:
        echo(explanation.render_list(explanations()))
    else:
        echo(explanation.render(find(check)))
    return ExitCode.PASS
