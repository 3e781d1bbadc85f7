"""``mediacheck judge``: saved facts, judged again; nothing is decoded."""

from __future__ import annotations

from pathlib import Path

import click

from mediacheck.cli import common
from mediacheck.cli.finished import Finished, finish
from mediacheck.cli.inputs import STDIN, gather, standard_input
from mediacheck.cli.outputs import plan
from mediacheck.cli.settings import Choices, resolve
from mediacheck.facts_file import parse_facts, read_document

_FACTS_SUFFIXES = frozenset({".json"})


@click.command("judge")
@click.argument("facts", nargs=-1, required=True, metavar="FACTS…")
@common.judging_options
def judge_command(
    facts: tuple[str, ...],
    validator: str | None,
    contract: str | None,
    expect: tuple[str, ...],
    json_: str | None,
    junit: str | None,
    output: tuple[str, ...],
    quiet: bool,
) -> int:
    """Judge saved facts again, by the same or by other rules; nothing is decoded.

    FACTS is a file that 'validate --facts' or 'measure --json' wrote, a folder of them, or - for standard input.
    """
    settings = resolve(Choices(validator=validator, contract=contract))
    rules = common.Rules(settings.validator, settings.contract, expect)
    with standard_input(STDIN in facts) as stdin:
        inputs = gather(facts, suffixes=_FACTS_SUFFIXES, stdin=stdin)
        outputs = plan(json_, junit, output, quiet=quiet, sources=common.sources_of(inputs, settings))
        common.tell_skipped(inputs, quiet=quiet)
        finished: list[Finished] = []
        documents = 0
        for item in inputs.files:
            measured = parse_facts(read_document(Path(item.path)), item.name)
            documents += len(measured)
            finished += [finish(rules.judge(one), whole=True) for one in measured]
    return common.deliver(finished, outputs, several=inputs.several or documents != 1)
