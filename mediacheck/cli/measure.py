"""``mediacheck measure``: facts only."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from mediacheck.cli import common
from mediacheck.cli.exits import ExitCode
from mediacheck.cli.inputs import STDIN, gather, standard_input
from mediacheck.cli.measuring import Measuring
from mediacheck.cli.outputs import STDOUT, echo, note, plan, write_pieces
from mediacheck.cli.settings import Choices, resolve
from mediacheck.facts import MediaFacts
from mediacheck.facts_file import Written, document, list_document
from mediacheck.report.escape import printable
from mediacheck.report.text import render_facts


@dataclass(frozen=True)
class Taken:
    """What a worker sends back: as they are, the facts of an hour would take three times as much to hand over."""

    text: str
    facts: Written | None
    """Where they are to be written."""


def _take(written: bool, facts: MediaFacts) -> Taken:
    return Taken(render_facts(facts), Written.of(facts) if written else None)


@click.command("measure")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option("--json", "json_", metavar="FILE|-", help="Write the facts as JSON; - for standard output.")
@click.option("--quiet", "-q", is_flag=True, help="No text and no progress; results and errors only.")
@common.measuring_options
def measure_command(
    paths: tuple[str, ...],
    json_: str | None,
    quiet: bool,
    facts: str | None,
    jobs: int | None,
    raw: str | None,
    timeout: float | None,
    memory_limit: int | None,
) -> int:
    """Measure media files: facts only, no opinion.

    PATH is a file, a folder, or - for standard input. Exit code 0 says that every file was measured, not that it is
    good; 3 says that measuring one ran into its limits or crashed.
    """
    settings = resolve(Choices(jobs=jobs, timeout=timeout, memory_limit=memory_limit))
    with ExitStack() as stack:
        stdin = stack.enter_context(standard_input(STDIN in paths))
        inputs = gather(paths, suffixes=common.suffixes_for(raw), stdin=stdin)
        take = partial(_take, json_ is not None or facts is not None)
        measuring = stack.enter_context(Measuring(inputs.files, take, raw=raw, settings=settings, quiet=quiet))
        outputs = plan(json_, None, (), quiet=quiet, sources=[item.path for item in inputs.files])
        saved = None if facts is None else common.plan_facts(facts, inputs, outputs)
        common.tell_skipped(inputs, quiet=quiet)
        kept: dict[int, Taken] = {}
        code = ExitCode.PASS
        for measured in measuring.all():
            taken = measured.result
            if saved is not None and taken.facts is not None:
                common.save_facts(saved, inputs.files[measured.index].relative, document(taken.facts))
            if measured.internal_error:
                common.tell_internal_error(measured)
                code = ExitCode.TOOL_FAILED
            elif measured.failure is not None:
                note(f"{printable(measured.name)}: {printable(measured.failure.message)}")
                code = max(code, ExitCode.INCONCLUSIVE)
            kept[measured.index] = taken if json_ is not None else Taken(taken.text, None)
    ordered = [kept[index] for index in sorted(kept)]
    if json_ is not None:
        found = [taken.facts for taken in ordered if taken.facts is not None]
        pieces = list_document(found) if inputs.several else document(found[0])
        if json_ == STDOUT:
            for piece in pieces:
                click.echo(piece, nl=False)
        else:
            write_pieces(Path(json_), pieces)
    if outputs.text_wanted:
        echo("".join(taken.text for taken in ordered))
    return code
