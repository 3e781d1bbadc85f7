"""``mediacheck explain``: what a check or a rule of a gate does, why it matters, and how to mend what it finds."""

from __future__ import annotations

import click

from mediacheck.cli.exits import ExitCode
from mediacheck.cli.outputs import echo
from mediacheck.explain import find, groups
from mediacheck.report import explanation


@click.command("explain")
@click.argument("name", required=False)
def explain_command(name: str | None) -> int:
    """Explain a check or a rule: what it does, why it matters, how it is computed, and how to fix the cause.

    NAME is a check, such as audio.finite, or one at a version: audio.finite@1; or what stands in a policy or in the
    report of a gate: wer, findings:audio.silent, max_increase, p95, same_scorers, minimum_coverage. Without one, all
    are listed.
    """
    if name is None:
        echo(explanation.render_list(groups()))
    else:
        echo(explanation.render(find(name)))
    return ExitCode.PASS
