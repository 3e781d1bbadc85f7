"""Options and steps that commands share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mediacheck.cli.debug import debug_wanted
from mediacheck.cli.exits import ExitCode, exit_for
from mediacheck.cli.finished import Finished
from mediacheck.cli.inputs import Inputs
from mediacheck.cli.measuring import Measured
from mediacheck.cli.outputs import Outputs, echo, note, prepare_folder, prove_name, write, write_pieces
from mediacheck.cli.settings import Settings
from mediacheck.errors import UsageError
from mediacheck.expectation import Expectation, parse_expectation
from mediacheck.facts import MediaFacts
from mediacheck.report import table, text
from mediacheck.report.escape import printable
from mediacheck.suffixes import MEDIA_SUFFIXES, RAW_SUFFIXES
from mediacheck.verdict import Report

if TYPE_CHECKING:
    from mediacheck.contracts import Contract
    from mediacheck.validators import Validator
    from mediacheck.workers import WorkerFailure

Command = TypeVar("Command", bound=Callable[..., Any])


def judging_options(command: Command) -> Command:
    """By what to judge, and where the reports go."""
    for option in (
        click.option("--quiet", "-q", is_flag=True, help="No text and no progress; results and errors only."),
        click.option("-o", "output", metavar="FILE", multiple=True, help="Write a report: .json, .junit.xml or .xml."),
        click.option("--junit", metavar="FILE", help="Write JUnit XML."),
        click.option("--json", "json_", metavar="FILE|-", help="Write the report as JSON; - for standard output."),
        click.option(
            "--expect",
            metavar="KEY=VALUE",
            multiple=True,
            help="What was asked for: duration=15.075, samples=482400, …",
        ),
        click.option("--contract", metavar="ID|FILE", help="What the model can produce; see 'mediacheck contracts'."),
        click.option("--validator", metavar="ID|FILE", help="The rules to judge by.  [default: v2]"),
    ):
        command = option(command)
    return command


def measuring_options(command: Command) -> Command:
    """How to measure."""
    for option in (
        # ``settings.resolve`` holds the bounds: they are the same for the environment and the file.
        click.option("--memory-limit", type=int, metavar="MB", help="For one file.  [default: 4096]"),
        click.option("--timeout", type=float, metavar="SECONDS", help="For one file.  [default: 600]"),
        click.option("--raw", metavar="SPEC", help="Files are PCM without a header, as s16le:24000:1."),
        click.option("--jobs", type=int, metavar="N", help="Files measured at once.  [default: processors]"),
        click.option("--facts", metavar="DIR", help="Save the facts of each file as DIR/NAME.facts.json."),
    ):
        command = option(command)
    return command


class Rules:
    """By what to judge: loaded, and so known to be right, before a file is touched."""

    def __init__(self, validator: str, contract: str | None, expect: Sequence[str]) -> None:
        from mediacheck.contracts import load_contract
        from mediacheck.validators import load_validator

        self.validator: Validator = load_validator(validator)
        self.contract: Contract | None = None if contract is None else load_contract(contract)
        asked = parse_expectation(tuple(expect))
        self.expect: Expectation | None = None if asked.empty else asked

    def judge(self, facts: MediaFacts) -> Report:
        from mediacheck.judge import judge

        return judge(facts, self.validator, self.contract, self.expect)


def suffixes_for(raw: str | None) -> frozenset[str]:
    """Which files of a folder to take.

    Raises:
        UsageError: ``raw`` is empty.
    """
    if raw == "":
        raise UsageError("--raw was given an empty layout; write ENCODING:RATE:CHANNELS, such as s16le:24000:1")
    return MEDIA_SUFFIXES if raw is None else RAW_SUFFIXES


def sources_of(inputs: Inputs, settings: Settings) -> list[Path]:
    """Files that are read, and so must not be written: media, and a validator or contract that is named by its path."""
    named = (settings.validator, settings.contract)
    return [*(item.path for item in inputs.files), *(Path(name) for name in named if name)]


def tell_skipped(inputs: Inputs, *, quiet: bool) -> None:
    if inputs.skipped and not quiet:
        noun = "file is" if inputs.skipped == 1 else "files are"
        note(f"{inputs.skipped} {noun} not media by the suffix, and left out")


def tell_internal_error(measured: Measured[Any]) -> None:
    """Say that mediacheck itself failed on a file that was measured."""
    assert measured.failure is not None, "an internal error is a failure"
    tell_failure(measured.name, measured.failure)


def tell_failure(name: str, failure: WorkerFailure) -> None:
    """Say that mediacheck itself failed on a file; with the traceback where someone looks for the bug."""
    if debug_wanted() and failure.traceback:
        click.echo(failure.traceback, nl=False, err=True)
    note(
        f"internal error on {printable(name)}: {printable(failure.message)}; "
        "this is a bug in mediacheck: please report it with what MEDIACHECK_DEBUG=1 prints"
    )


def facts_target(folder: Path, relative: PurePath) -> Path:
    """``FOLDER/RELATIVE.facts.json``."""
    return folder / relative.parent / f"{relative.name}.facts.json"


def save_facts(folder: Path, relative: PurePath, facts: Iterable[bytes]) -> None:
    """Write the facts of one file: the pieces of their JSON."""
    target = facts_target(folder, relative)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_pieces(target, facts)


def plan_facts(folder: str, inputs: Inputs, outputs: Outputs) -> Path:
    """The folder for facts, made and proven to take those of every file.

    Raises:
        UsageError: it cannot be made or written, or cannot hold the facts of one of the files.
    """
    if not folder:
        raise UsageError("--facts was given an empty name; name a folder")
    path = Path(folder)
    prepare_folder(path)
    taken = outputs.places
    for item in inputs.files:
        target = facts_target(path, item.relative)
        prove_name(target)
        if os.path.realpath(target) in taken:
            raise UsageError(f"{target} is named for two results; give each a file of its own")
    return path


def deliver(finished: Sequence[Finished], outputs: Outputs, *, several: bool) -> ExitCode:
    """Write and print the reports, that of a single file and those for JUnit being whole; the exit code is that of the
    worst verdict."""
    write(outputs, finished, several=several)
    if outputs.text_wanted:
        if several:
            echo(table.render([one.entry for one in finished]))
        elif (report := finished[0].report) is not None:
            echo(text.render(report))
    return exit_for(one.entry.verdict for one in finished)
