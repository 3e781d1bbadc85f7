"""``mediacheck validate``: measure, judge, report."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

import click

from mediacheck.cli import common
from mediacheck.cli.exits import ExitCode
from mediacheck.cli.finished import Finished, finish
from mediacheck.cli.inputs import STDIN, gather, standard_input
from mediacheck.cli.measuring import Measuring
from mediacheck.cli.outputs import plan, wants_junit
from mediacheck.cli.settings import Choices, resolve
from mediacheck.facts import MediaFacts
from mediacheck.facts_file import Written, document


@dataclass(frozen=True)
class Examined:
    """What a worker sends back: the facts of an hour take megabytes, most of them series that no report holds."""

    finished: Finished
    facts: Written | None
    """Where they are to be saved."""


def _examine(rules: common.Rules, whole: bool, save: bool, facts: MediaFacts) -> Examined:
    return Examined(finish(rules.judge(facts), whole=whole), Written.of(facts) if save else None)


@click.command("validate")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@common.judging_options
@common.measuring_options
def validate_command(
    paths: tuple[str, ...],
    validator: str | None,
    contract: str | None,
    expect: tuple[str, ...],
    json_: str | None,
    junit: str | None,
    output: tuple[str, ...],
    quiet: bool,
    facts: str | None,
    jobs: int | None,
    raw: str | None,
    timeout: float | None,
    memory_limit: int | None,
) -> int:
    """Measure media files, judge them and report.

    PATH is a file, a folder (walked, hidden files left out), or - for standard input.
    """
    settings = resolve(
        Choices(validator=validator, contract=contract, jobs=jobs, timeout=timeout, memory_limit=memory_limit)
    )
    with ExitStack() as stack:
        stdin = stack.enter_context(standard_input(STDIN in paths))
        inputs = gather(paths, suffixes=common.suffixes_for(raw), stdin=stdin)
        # Loaded before the workers start: they share it, and a wrong question is answered at once.
        rules = common.Rules(settings.validator, settings.contract, expect)
        whole = not inputs.several or wants_junit(junit, output)
        examine = partial(_examine, rules, whole, facts is not None)
        measuring = stack.enter_context(Measuring(inputs.files, examine, raw=raw, settings=settings, quiet=quiet))
        outputs = plan(json_, junit, output, quiet=quiet, sources=common.sources_of(inputs, settings))
        saved = None if facts is None else common.plan_facts(facts, inputs, outputs)
        common.tell_skipped(inputs, quiet=quiet)
        finished: dict[int, Finished] = {}
        broken = 0
        for measured in measuring.all():
            examined = measured.result
            if saved is not None and examined.facts is not None:
                common.save_facts(saved, inputs.files[measured.index].relative, document(examined.facts))
            if measured.internal_error:
                broken += 1
                common.tell_internal_error(measured)
            finished[measured.index] = examined.finished
    code = common.deliver([finished[index] for index in sorted(finished)], outputs, several=inputs.several)
    return ExitCode.TOOL_FAILED if broken else code
