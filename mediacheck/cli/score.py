"""``mediacheck score``: validate candidates, and compute how good they are."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mediacheck import serialise
from mediacheck.api import printable_name
from mediacheck.cli import common
from mediacheck.cli.exits import ExitCode
from mediacheck.cli.inputs import STDIN, Input, Inputs, gather, refuse_unreadable
from mediacheck.cli.measuring import Measuring
from mediacheck.cli.outputs import Outputs, echo, note, plan, write_file
from mediacheck.cli.progress import progress
from mediacheck.cli.scoring import options_of, scoring_options
from mediacheck.cli.settings import Choices, resolve
from mediacheck.cli.speakers import Speakers, read_speakers
from mediacheck.cli.texts import Candidate, read_texts
from mediacheck.errors import PathError, UsageError
from mediacheck.scoring.registry import chosen_scorers
from mediacheck.scoring.score import Scores, ScoresList, Summary

if TYPE_CHECKING:
    from mediacheck.scoring.candidate import Judged
    from mediacheck.verdict import Report


@dataclass(frozen=True)
class Absent:
    """A candidate that is missing or cannot be read: it stays in the result."""

    path: Path
    reason: str

    @property
    def name(self) -> str:
        """As it was given, so that two of one name can be told apart; no absolute path stands in a report."""
        return printable_name(self.path.name if self.path.is_absolute() else str(self.path))


@click.command("score")
@click.argument("candidates", nargs=-1, required=True, metavar="CANDIDATE…")
@click.option("--text", metavar="TEXT", help="What every candidate should say.")
@click.option("--text-file", metavar="FILE", help="A file with that text, or a manifest .jsonl with audio and text.")
@click.option("--reference", "references", metavar="FILE", multiple=True, help="Reference audio; may be repeated.")
@click.option(
    "--speakers", metavar="FILE", multiple=True, help="A manifest .jsonl with audio and speaker; may be repeated."
)
@click.option("--scorer", "scorers", metavar="ID", multiple=True, help="What to compute; may be repeated.")
@scoring_options
@click.option("--device", metavar="DEVICE", default="auto", show_default=True, help="auto, cpu, cuda or cuda:N.")
@click.option("--validator", metavar="ID|FILE", help="The rules that a file must pass to be scored.  [default: v2]")
@click.option("--contract", metavar="ID|FILE", help="What the model can produce; see 'mediacheck contracts'.")
@click.option("--json", "json_", metavar="FILE|-", help="Write the scores as JSON; - for standard output.")
@click.option("--quiet", "-q", is_flag=True, help="No text and no progress; results and errors only.")
@click.option("--jobs", type=int, metavar="N", help="Files measured at once.  [default: processors]")
@click.option("--timeout", type=float, metavar="SECONDS", help="For measuring one file.  [default: 600]")
@click.option("--memory-limit", type=int, metavar="MB", help="For measuring one file.  [default: 4096]")
def score_command(
    candidates: tuple[str, ...],
    text: str | None,
    text_file: str | None,
    references: tuple[str, ...],
    speakers: tuple[str, ...],
    scorers: tuple[str, ...],
    asr: str,
    model: str | None,
    model_sha256: str | None,
    speaker_model: str | None,
    speaker_model_sha256: str | None,
    api_url: str | None,
    language: str,
    protocol: str | None,
    device: str,
    download: bool,
    validator: str | None,
    contract: str | None,
    json_: str | None,
    quiet: bool,
    jobs: int | None,
    timeout: float | None,
    memory_limit: int | None,
) -> int:
    """Compute how good candidates are: errors of words against a text, likeness to reference audio.

    CANDIDATE is a file or a folder. Each is validated first; one that fails is not scored, and the result says so.
    """
    settings = resolve(
        Choices(validator=validator, contract=contract, jobs=jobs, timeout=timeout, memory_limit=memory_limit)
    )
    options = options_of(
        language=language,
        protocol=protocol,
        asr=asr,
        model=model,
        model_sha256=model_sha256,
        speaker_model=speaker_model,
        speaker_model_sha256=speaker_model_sha256,
        api_url=api_url,
        device=device,
        download=download,
    )
    texts = read_texts(text, text_file)
    voices = read_speakers(speakers)
    ids = chosen_scorers(scorers, language=options.language, text=texts.given, reference=bool(references))
    inputs, missing = _candidates(candidates)
    held = gather(references) if references else Inputs((), False, 0)
    named = (text_file, *speakers, model, speaker_model, settings.validator, settings.contract)
    outputs = plan(
        json_,
        None,
        (),
        quiet=quiet,
        sources=[*(item.path for item in (*inputs.files, *held.files)), *(Path(name) for name in named if name)],
    )
    common.tell_skipped(inputs, quiet=quiet)
    with ExitStack() as stack:
        files = (*inputs.files, *held.files)
        rules = common.Rules(settings.validator, settings.contract, ())
        measuring = (
            stack.enter_context(Measuring(files, rules.judge, raw=None, settings=settings, quiet=quiet))
            if files
            else None
        )
        # Workers start before torch is loaded: a process with its threads could not be forked.
        from mediacheck.scoring.candidate import absent, score_candidate
        from mediacheck.scoring.run import prepare
        from mediacheck.scoring.summary import summaries

        prepared = prepare(ids, options)
        found, broken = _judge(measuring, files, voices)
    judged = [
        *found[: len(inputs.files)],
        *(absent(gone.path, gone.name, gone.reason, rules.validator) for gone in missing),
    ]
    known = found[len(inputs.files) :]
    results = []
    expected = [Candidate(item.path, item.file.name) for item in judged]
    said = texts.all_of(expected)
    if any(Path(name).is_dir() for name in candidates):
        # A folder is scored by its manifest: what that names and is not there lowers the coverage.
        for line in texts.missing(expected):
            judged.append(absent(Path(line.path), line.audio, f"{line.audio} is not there", rules.validator))
            said.append(line.value)
    with progress(len(judged), quiet=quiet, label="scoring") as advance:
        for candidate, own in zip(judged, said, strict=True):
            results.append(score_candidate(prepared, candidate, text=own, references=known))
            advance()
    code = _deliver(results, summaries(prepared, results), outputs, several=inputs.several or len(candidates) > 1)
    return ExitCode.TOOL_FAILED if broken else code


def _candidates(paths: Sequence[str]) -> tuple[Inputs, list[Absent]]:
    """The files to score, and those that are missing or cannot be read."""
    missing: list[Absent] = []
    there: list[str] = []
    for text in paths:
        if text == STDIN:
            raise UsageError("standard input cannot be read here; name a file")
        path = Path(text)
        try:
            if not path.is_dir():
                refuse_unreadable(path, path.name)
            there.append(text)
        except PathError as error:
            # What was expected stays in the result: a mean over the files that happen to be there looks too good.
            missing.append(Absent(path, printable_name(str(error))))
    return (gather(there) if there else Inputs((), False, 0)), missing


def _judge(
    measuring: Measuring[Report] | None, files: Sequence[Input], voices: Speakers
) -> tuple[list[Judged], bool]:
    """Measure and judge every file, in their order, and whether mediacheck itself failed on one.

    Of the facts only the verdict is kept.
    """
    from mediacheck.scoring.candidate import judged

    found: dict[int, Judged] = {}
    broken = False
    for measured in () if measuring is None else measuring.all():
        if measured.internal_error:
            broken = True
            common.tell_internal_error(measured)
        path = files[measured.index].path
        found[measured.index] = judged(measured.result, path, speaker=voices.of(path))
    return [found[index] for index in sorted(found)], broken


def _deliver(results: Sequence[Scores], summaries: Sequence[Summary], outputs: Outputs, *, several: bool) -> ExitCode:
    document = ScoresList(summaries=tuple(summaries), results=tuple(results)) if several else results[0]
    for target in outputs.targets:
        data = serialise.to_json(document)
        if target.path is None:
            click.echo(data, nl=False)
        else:
            write_file(target.path, data)
    if outputs.text_wanted:
        from mediacheck.report import scores

        echo(scores.render(results, summaries))
    for summary in summaries:
        if summary.error is not None:
            note(f"{summary.scorer}: {summary.error}")
    if any(result.validation.verdict == "fail" for result in results):
        return ExitCode.FAIL
    sound = all(result.validation.verdict == "pass" and result.complete for result in results)
    return ExitCode.PASS if sound and results else ExitCode.INCONCLUSIVE
