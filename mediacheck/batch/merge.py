"""From the runs of all shards to one run, as if it had been made in one piece."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from msgspec.structs import replace

from mediacheck import serialise
from mediacheck.batch.errors import RunError
from mediacheck.batch.export import write_results
from mediacheck.batch.facts_folder import FactsFolder
from mediacheck.batch.ledger import LEDGER, Ledger, Stage
from mediacheck.batch.record import RECORD, RunRecord, differences, to_toml
from mediacheck.batch.run import export, prepare_folder
from mediacheck.batch.summary import RunSummary


def merge(runs: Sequence[Path], out: Path) -> RunSummary:
    """Put the runs of all shards together, attempts and all.

    Args:
        runs: the folder of each shard, in any order; every one finished.
        out: a new folder.

    Raises:
        RunError: a shard is missing, there twice, unfinished or of another identity, or ``out`` holds a run already.
        OSError: the system refuses.
    """
    _refuse_twice(runs)
    prepare_folder(out)
    if any(out.iterdir()):
        raise RunError(f"{out} holds a run already; name a new folder with --run")
    # Whole or not at all: a merge that is killed leaves an empty folder, and can be made again.
    try:
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=".mediacheck-") as held:
            made = Path(held) / "run"
            made.mkdir()
            summary = _merge(runs, made)
            os.rename(made, out)
    except BaseException:
        with suppress(OSError):
            out.rmdir()
        raise
    return summary


def _merge(runs: Sequence[Path], out: Path) -> RunSummary:
    with ExitStack() as stack:
        ledgers = [stack.enter_context(_ledger(run)) for run in runs]
        record = _common_record(runs, ledgers)
        extra = ledgers[0].extra()
        merged = stack.enter_context(Ledger(out))
        with merged.transaction():
            _copy_items(ledgers[0], merged)
            for run, ledger in zip(runs, ledgers, strict=True):
                _copy_attempts(run, ledger, merged)
            merged.set_record(record)
            merged.set_extra(extra)
            merged.set_complete(True)
        facts = FactsFolder(out)
        for run in runs:
            facts.add(FactsFolder(run))
        serialise.write_atomically(out / RECORD, to_toml(record))
        columns = write_results(out, merged)
    return export(out, record, columns, extra)


def _refuse_twice(runs: Sequence[Path]) -> None:
    places = [os.path.realpath(run) for run in runs]
    for run, place in zip(runs, places, strict=True):
        if places.count(place) > 1:
            raise RunError(f"{run} is named twice; name the run of each shard once")


def _ledger(run: Path) -> Ledger:
    if not (run / LEDGER).is_file():
        raise RunError(f"{run} is no run folder: it has no {LEDGER}")
    return Ledger(run)


def _common_record(runs: Sequence[Path], ledgers: Sequence[Ledger]) -> RunRecord:
    records: list[RunRecord] = []
    for run, ledger in zip(runs, ledgers, strict=True):
        record = ledger.record()
        if record is None:
            raise RunError(f"{run} has not begun; run it to its end first")
        if not ledger.complete():
            raise RunError(f"{run} is not finished; run it to its end first")
        if record.shard is None:
            raise RunError(f"{run} is a whole run and no shard; there is nothing to merge it with")
        records.append(record)
    first = replace(records[0], shard=None)
    for run, record in zip(runs, records, strict=True):
        if found := differences(first, replace(record, shard=None)):
            raise RunError(f"{run} was made otherwise than {runs[0]}: {'; '.join(found)}")
    shards = [record.shard for record in records if record.shard is not None]
    of = shards[0].of
    if any(shard.of != of for shard in shards):
        raise RunError("the runs are shards of different divisions; merge those of one --shard i/n")
    numbers = [shard.number for shard in shards]
    if twice := sorted({number for number in numbers if numbers.count(number) > 1}):
        raise RunError(f"shard {twice[0]}/{of} is named twice")
    if lacking := sorted(set(range(1, of + 1)) - set(numbers)):
        raise RunError(f"shard {', '.join(f'{number}/{of}' for number in lacking)} is missing; name the runs of all")
    return first


def _copy_items(source: Ledger, merged: Ledger) -> None:
    for item in source.items(of_all_shards=True):
        merged.add_item(item)


def _copy_attempts(run: Path, source: Ledger, merged: Ledger) -> None:
    stages: list[Stage] = ["validate", "score"]
    for item in source.items():
        for stage in stages:
            for attempt, finished in source.history(stage, item.position):
                merged.write(stage, item.position, attempt, finished=finished)
    for number, name, place in source.references():
        own = source.latest("reference", number)
        copied = merged.reference(name, place)
        known = merged.latest("reference", copied)
        if own is not None and known is not None and (own.status, own.key) != (known.status, known.key):
            raise RunError(f"the reference {name} is another file in {run} than in the other shards")
        if known is None:
            for attempt, finished in source.history("reference", number):
                merged.write("reference", copied, attempt, finished=finished)
