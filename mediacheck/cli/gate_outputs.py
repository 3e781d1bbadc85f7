"""Where a gate's decision goes: every format of the one struct."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from mediacheck import serialise
from mediacheck.cli.outputs import STDOUT, Outputs, echo, plan, prove_writable, write_file
from mediacheck.errors import UsageError
from mediacheck.gate.decision import Decision

_STEP_SUMMARY = "GITHUB_STEP_SUMMARY"


@dataclass(frozen=True)
class GateOutputs:
    outputs: Outputs
    """JSON and JUnit."""
    markdown: str | None
    """A file, or ``-``."""
    summaries: tuple[Path, ...]
    """Files that the Markdown is appended to."""
    github: bool

    @property
    def stdout_taken(self) -> bool:
        return self.outputs.json_owns_stdout or self.markdown == STDOUT


def plan_gate(
    *,
    json: str | None,
    junit: str | None,
    markdown: str | None,
    summary: str | None,
    github: bool,
    quiet: bool,
    sources: Sequence[Path],
) -> GateOutputs:
    """What to write where, each place proven writable before anything is computed.

    Raises:
        UsageError: a place cannot be written, is named twice, or is read.
    """
    outputs = plan(json, junit, (), quiet=quiet, sources=sources)
    for option, given in (("--markdown", markdown), ("--summary", summary)):
        if given == "":
            raise UsageError(f"{option} was given an empty name; name a file")
    if markdown == STDOUT and outputs.json_owns_stdout:
        raise UsageError("--json - and --markdown - both want standard output; name a file for one of them")
    if summary == STDOUT:
        raise UsageError("--summary -: a summary is appended to a file; use --markdown - for standard output")
    step = os.environ.get(_STEP_SUMMARY) if github else None
    summaries = {os.path.realpath(name): Path(name) for name in (summary, step) if name}
    taken = set(outputs.places)
    reads = {os.path.realpath(source) for source in sources}
    page = None if markdown is None or markdown == STDOUT else Path(markdown)
    for path in [*([] if page is None else [page]), *summaries.values()]:
        place = os.path.realpath(path)
        if place in reads:
            raise UsageError(f"{path} is one of the files to read; write the result elsewhere")
        if place in taken:
            raise UsageError(f"{path.name} is named for two results; give each a file of its own")
        taken.add(place)
        prove_writable(path)
    return GateOutputs(outputs, markdown, tuple(summaries.values()), github)


def deliver(decision: Decision, to: GateOutputs) -> None:
    """Write and print the decision in every form that was asked for."""
    for target in to.outputs.targets:
        if target.kind == "junit":
            from mediacheck.report import gate_junit

            data = gate_junit.render(decision)
        else:
            data = serialise.to_json(decision)
        if target.path is None:
            click.echo(data, nl=False)
        else:
            write_file(target.path, data)
    if to.markdown is not None or to.summaries:
        from mediacheck.report import gate_markdown

        page = gate_markdown.render(decision)
        if to.markdown == STDOUT:
            click.echo(page, nl=False)
        elif to.markdown is not None:
            write_file(Path(to.markdown), page.encode())
        for path in to.summaries:
            with path.open("a", encoding="utf-8") as file:
                file.write(page)
    if not to.outputs.quiet and not to.stdout_taken:
        from mediacheck.report import gate

        echo(gate.render(decision))
    if to.github:
        from mediacheck.report import gate_github

        # The runner reads both streams; what owns standard output must stay whole.
        click.echo(gate_github.render(decision), nl=False, err=to.stdout_taken)
