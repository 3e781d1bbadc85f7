"""``mediacheck references``: which sets of reference recordings there are, and whether their files are as stated."""

from __future__ import annotations

from pathlib import Path

import click

from mediacheck import references
from mediacheck.cli import common
from mediacheck.cli.exits import ExitCode
from mediacheck.cli.inputs import gather
from mediacheck.cli.measuring import Measuring
from mediacheck.cli.outputs import echo
from mediacheck.cli.settings import Choices, resolve
from mediacheck.report.escape import printable


@click.group("references")
def references_group() -> None:
    """List, verify and record sets of reference recordings."""


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


@references_group.command("new")
@click.argument("folder", metavar="FOLDER")
@click.option("--from", "run", metavar="RUN", required=True, help="A run of batch, or a folder with manifest.jsonl.")
@click.option("--licence", metavar="SPDX", required=True, help="Of audio and texts.")
@click.option("--source", metavar="TEXT", required=True, help="The model, its revision, how it was run.")
@click.option("--id", "id_", metavar="ID", help="Of the set.  [default: the folder's name]")
@click.option("--summary", metavar="TEXT", help="One sentence.  [default: from the source]")
@click.option("--language", metavar="CODE", default="en", show_default=True, help="Of lines that name none.")
@click.option("--validator", metavar="ID|FILE", help="The rules that each recording must pass.  [default: v2]")
def new_command(
    folder: str,
    run: str,
    licence: str,
    source: str,
    id_: str | None,
    summary: str | None,
    language: str,
    validator: str | None,
) -> int:
    """Record the outputs of a model run as a reference set.

    Each is validated first: unless all pass, nothing is written. RUN is a run folder of batch, whose items have texts;
    or a folder whose manifest.jsonl has in each line text, the audio (audio, audio_filepath or file_name, within RUN)
    and, where known, id, language and speaker.
    """
    settings = resolve(Choices(validator=validator))
    recorded = _outputs(Path(run), language)
    rules = common.Rules(settings.validator, settings.contract, ())
    files = gather([str(item.source) for item in recorded]).files
    refused: list[tuple[str, str, tuple[str, ...]]] = []
    broken = False
    with Measuring(files, rules.judge, raw=None, settings=settings, quiet=True) as measuring:
        for measured in measuring.all():
            if measured.internal_error:
                broken = True
                common.tell_internal_error(measured)
            report = measured.result
            if report.verdict != "pass":
                open_ = (f for f in report.findings if f.outcome in ("fail", "inconclusive"))
                failed = tuple(f.message for f in open_ if f.severity == "error")
                refused.append((measured.name, report.verdict, failed))
    if refused:
        for name, verdict, messages in sorted(refused):
            echo(f"{verdict}  {printable(name)}: {printable('; '.join(messages[:3]))}\n")
        echo(f"nothing was written: {len(refused)} of {len(files)} recordings did not pass {settings.validator}\n")
        return ExitCode.TOOL_FAILED if broken else ExitCode.FAIL
    target = Path(folder)
    references.write_set(
        target,
        recorded,
        id=target.name if id_ is None else id_,
        summary=f"{len(recorded)} outputs of {source}." if summary is None else summary,
        licence=licence,
        source=source,
    )
    echo(f"{printable(folder)}: {len(recorded)} recordings\n")
    return ExitCode.PASS


def _outputs(run: Path, language: str) -> tuple[references.Recorded, ...]:
    from mediacheck.batch.outputs import is_run, outputs_of

    return outputs_of(run, language=language) if is_run(run) else references.read_run(run, language=language)
