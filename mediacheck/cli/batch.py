"""``mediacheck batch``: validate and score every item of a manifest, durably."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mediacheck import serialise
from mediacheck.cli import common
from mediacheck.cli.draining import draining
from mediacheck.cli.exits import ExitCode
from mediacheck.cli.outputs import echo, note
from mediacheck.cli.progress import progress
from mediacheck.cli.scoring import options_of, scoring_options
from mediacheck.cli.settings import Choices, Settings, resolve
from mediacheck.errors import UsageError
from mediacheck.report.escape import printable

if TYPE_CHECKING:
    from mediacheck.batch.engines import Engine
    from mediacheck.batch.loading import Loaded
    from mediacheck.batch.manifest import ManifestOptions
    from mediacheck.batch.record import Shard
    from mediacheck.batch.run import Needs
    from mediacheck.batch.summary import RunSummary
    from mediacheck.measuring import Limits
    from mediacheck.workers import WorkerFailure

_DEFAULT = "run"


class _Batch(click.Group):
    """A group whose command ``run`` need not be named: ``mediacheck batch MANIFEST`` and ``mediacheck batch merge``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in (*self.commands, "--help", "-h"):
            args = [_DEFAULT, *args]
        elif args[0] in ("--help", "-h"):
            args = [_DEFAULT, "--help"]
        return super().parse_args(ctx, args)


@click.group("batch", cls=_Batch)
def batch_group() -> None:
    """Validate and score every item of a manifest, durably; or put the runs of shards together."""


@batch_group.command(_DEFAULT)
@click.argument("manifest")
@click.option("--run", "run", metavar="DIR", required=True, help="The run folder; a run that is there goes on.")
@click.option("--format", "format_", metavar="NAME", help="Of the manifest.  [default: recognised]")
@click.option("--outputs", metavar="DIR|URL", help="Where the output ID.wav of each line lies, if the lines name none.")
@click.option("--root", "roots", metavar="DIR|URL", multiple=True, help="Files may also lie below it; may be repeated.")
@click.option("--column", "columns", metavar="KEY=COLUMN", multiple=True, help="Where the manifest has id, media, …")
@click.option("--group", "groups", metavar="COLUMN", multiple=True, help="Sum up by this column too.")
@click.option(
    "--malformed",
    type=click.Choice(["refuse", "record"]),
    default="refuse",
    show_default=True,
    help="What becomes of lines that cannot be used.",
)
@click.option("--shard", metavar="I/N", help="Only the items whose ids hash to part I of N.")
@click.option("--scorer", "scorers", metavar="ID", multiple=True, help="What to compute; may be repeated.")
@scoring_options
@click.option("--device", "devices", metavar="DEVICE", multiple=True, help="One scoring process each.  [default: auto]")
@click.option("--validator", metavar="ID|FILE", help="The rules to judge by.  [default: v2]")
@click.option("--contract", metavar="ID|FILE", help="What the model can produce, for lines that name none.")
@click.option("--source-revision", metavar="TEXT", help="Of the code that made the outputs; kept in run.toml.")
@click.option("--model-revision", metavar="TEXT", help="Of the model that made the outputs; kept in run.toml.")
@click.option("--facts", "keep_facts", is_flag=True, help="Keep the facts of each file in the run folder.")
@click.option("--retry", is_flag=True, help="Try once more what crashed, or ran out of time or memory, before.")
@click.option("--tries", type=click.IntRange(1, 100), default=3, show_default=True, help="For an item that crashes.")
@click.option("--engine", type=click.Choice(["local", "ray"]), default="local", show_default=True)
@click.option("--ray-address", metavar="ADDRESS", help="Of a Ray cluster, for --engine ray.  [default: a new one here]")
@click.option("--json", "json_", is_flag=True, help="Print the summary as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="No text and no progress; results and errors only.")
@click.option("--jobs", type=int, metavar="N", help="Files measured at once.  [default: processors]")
@click.option("--timeout", type=float, metavar="SECONDS", help="For one file, and for scoring it.  [default: 600]")
@click.option("--memory-limit", type=int, metavar="MB", help="For measuring one file.  [default: 4096]")
def run_command(**given: Any) -> int:
    """Validate and score every item of MANIFEST, and keep each outcome in a run folder as it comes.

    MANIFEST is a .jsonl, .csv, .tsv, .parquet or .lst file, a Kaldi folder, or a folder of media. Interrupted at any
    point, the same command goes on where it stopped. 'mediacheck batch merge' puts the runs of shards together.
    """
    settings = resolve(
        Choices(
            validator=given["validator"],
            contract=given["contract"],
            jobs=given["jobs"],
            timeout=given["timeout"],
            memory_limit=given["memory_limit"],
        )
    )
    return _run(given, settings)


@batch_group.command("merge")
@click.argument("runs", nargs=-1, required=True, metavar="RUN…", type=click.Path(path_type=Path))
@click.option("--run", "out", metavar="DIR", required=True, type=click.Path(path_type=Path), help="A new folder.")
@click.option("--json", "json_", is_flag=True, help="Print the summary as JSON.")
@click.option("--quiet", "-q", is_flag=True, help="No text; results and errors only.")
def merge_command(runs: tuple[Path, ...], out: Path, json_: bool, quiet: bool) -> int:
    """Put the finished runs of all shards together, as if the run had been made in one piece."""
    from mediacheck.batch.merge import merge

    return _deliver(merge(runs, out), json_=json_, quiet=quiet, broken=False)


def _run(given: dict[str, Any], settings: Settings) -> int:
    from mediacheck.batch.driver import Effort
    from mediacheck.batch.run import Request, execute
    from mediacheck.measuring import Limits

    if given["json_"] and sys.stdout is None:
        raise UsageError("--json cannot be written: standard output is closed; read summary.json of the run folder")
    for device in given["devices"]:
        if re.fullmatch(r"auto|cpu|cuda(:[0-9]+)?", device) is None:
            raise UsageError(f"--device {device!r}: write auto, cpu, cuda or cuda:N")
    rules = common.Rules(settings.validator, settings.contract, ())
    names = ("language", "protocol", "asr", "model", "model_sha256", "speaker_model", "speaker_model_sha256", "api_url")
    limits = Limits(settings.timeout, settings.memory_limit)
    request = Request(
        manifest=given["manifest"],
        run=Path(given["run"]),
        validator=rules.validator,
        contract=rules.contract,
        reading=_reading(given),
        scorers=given["scorers"],
        scoring=options_of(**{name: given[name] for name in names}, download=given["download"]),
        devices=given["devices"] or ("auto",),
        shard=_shard(given["shard"]),
        record_malformed=given["malformed"] == "record",
        effort=Effort(tries=given["tries"], again=given["retry"]),
        limits=limits,
        keep_facts=given["keep_facts"],
        source_revision=given["source_revision"],
        model_revision=given["model_revision"],
    )
    make = _engine_maker(given, settings, limits)
    with ExitStack() as stack:
        watcher = _Teller(stack, quiet=given["quiet"])
        summary = execute(request, make, watcher)
    if summary is None:
        raise KeyboardInterrupt
    return _deliver(summary, json_=given["json_"], quiet=given["quiet"], broken=watcher.broke)


class _Teller:
    """A ``Watcher`` that speaks on standard error."""

    def __init__(self, stack: ExitStack, *, quiet: bool) -> None:
        self._stack = stack
        self._quiet = quiet
        self._advance: Callable[[], None] = _nothing
        self._stopping: Callable[[], bool] = _never
        self.broke = False

    def loaded(self, loaded: Loaded) -> None:
        if not self._quiet:
            shown = "" if loaded.items == loaded.identity.items else f" ({loaded.items} of them in this shard)"
            note(f"the manifest is {loaded.identity.format}, of {loaded.identity.items} items{shown}")
        for problem in loaded.first_problems:
            note(printable(problem))
        if loaded.problems > len(loaded.first_problems):
            note(f"and {loaded.problems - len(loaded.first_problems)} more such lines")
        if loaded.extra.count and not self._quiet:
            first = ", ".join(map(printable, loaded.extra.first[:3]))
            rest = ", …" if loaded.extra.count > 3 else ""
            note(f"{loaded.extra.count} media files beside the outputs are named by no item: {first}{rest}")

    def begins(self, items: int) -> None:
        # Before, nothing is under way that could be lost: the first Ctrl-C ends it at once.
        self._stopping = self._stack.enter_context(
            draining(lambda: "ending when what is under way is done; interrupt once more to end at once")
        )
        self._advance = self._stack.enter_context(progress(items, quiet=self._quiet, label="batch", logged=True))

    def finished(self) -> None:
        self._advance()

    def broken(self, name: str, failure: WorkerFailure) -> None:
        self.broke = True
        common.tell_failure(name, failure)

    def stopping(self) -> bool:
        return self._stopping()


def _engine_maker(given: dict[str, Any], settings: Settings, limits: Limits) -> Callable[[Needs], Engine]:
    if given["engine"] == "ray":
        from mediacheck.batch.engines.on_ray import RayEngine

        return lambda needs: RayEngine(
            needs.rules,
            needs.scoring,
            limits=limits,
            jobs=max(1, min(settings.jobs, needs.items)),
            items=needs.items,
            address=given["ray_address"],
            keep_facts=given["keep_facts"],
            plain=needs.plain,
        )
    if given["ray_address"] is not None:
        raise UsageError("--ray-address is for --engine ray")
    from mediacheck.batch.engines.local import LocalEngine

    return lambda needs: LocalEngine(
        needs.rules,
        needs.scoring,
        limits=limits,
        jobs=max(1, min(settings.jobs, needs.items)),
        keep_facts=given["keep_facts"],
        plain=needs.plain,
    )


def _reading(given: dict[str, Any]) -> ManifestOptions:
    from mediacheck.batch.manifest import ManifestOptions

    columns = []
    for text in given["columns"]:
        key, separator, column = text.partition("=")
        if not (key and separator and column):
            raise UsageError(f"--column {text!r}: write KEY=COLUMN, such as media=path")
        columns.append((key, column))
    return ManifestOptions(
        format=given["format_"],
        roots=given["roots"],
        outputs=given["outputs"],
        columns=tuple(columns),
        groups=given["groups"],
    )


def _shard(text: str | None) -> Shard | None:
    if text is None:
        return None
    from mediacheck.batch.record import Shard

    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise UsageError(f"--shard {text!r}: write I/N, such as 1/8, with I from 1 to N")
    return Shard(number=int(found[1]), of=int(found[2]))


def _deliver(summary: RunSummary, *, json_: bool, quiet: bool, broken: bool) -> ExitCode:
    if json_:
        click.echo(serialise.to_json(summary), nl=False)
    elif not quiet:
        from mediacheck.report import batch

        echo(batch.render(summary))
    if summary.error is not None:
        note(summary.error)
    if broken:
        return ExitCode.TOOL_FAILED
    total = summary.total
    if summary.shard is not None and not total.expected:
        note(f"no item of the manifest falls into shard {summary.shard.number}/{summary.shard.of}")
        return ExitCode.PASS
    # A missing output is a failed one; whatever is neither failed nor judged could not be settled.
    if total.failed or total.present < total.expected or any(c.name != "judged" for c in total.by_status):
        return ExitCode.FAIL
    complete = total.valid == total.expected and all(metric.n == metric.expected for metric in total.metrics)
    return ExitCode.PASS if complete and total.expected else ExitCode.INCONCLUSIVE


def _nothing() -> None:
    """Before the work begins."""


def _never() -> bool:
    """Before the work begins."""
    return False
