"""One run from start to end: open the ledger, read the manifest, hold the identities against those of the run, work,
export."""

from __future__ import annotations

import errno
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from msgspec.structs import replace

from mediacheck import serialise
from mediacheck.batch.driver import Driver, Effort, Tools
from mediacheck.batch.engines import Engine
from mediacheck.batch.errors import ManifestError, RunError
from mediacheck.batch.export import PARQUET, can_write_parquet, write_parquet, write_results
from mediacheck.batch.facts_folder import FactsFolder
from mediacheck.batch.item import ExtraFiles
from mediacheck.batch.ledger import LEDGER, Ledger
from mediacheck.batch.loading import Loaded, load
from mediacheck.batch.manifest import Manifest, ManifestOptions, open_manifest
from mediacheck.batch.record import RECORD, RunRecord, Shard, differences, libraries, to_toml
from mediacheck.batch.results import RESULTS, read_results
from mediacheck.batch.summary import SUMMARY, RunSummary, summarise
from mediacheck.batch.tasks import Rules, ScoringPlan
from mediacheck.contracts import Contract
from mediacheck.facts import Tag
from mediacheck.measuring import Limits
from mediacheck.scoring.registry import chosen_scorers, scorer_type
from mediacheck.scoring.score import Identity
from mediacheck.scoring.scorer import ScoringOptions
from mediacheck.validators import Validator
from mediacheck.verdict import ContractIdentity, ValidatorIdentity
from mediacheck.version import __version__
from mediacheck.workers import WorkerFailure

EXPORTS: Final = (RESULTS, PARQUET, SUMMARY)


@dataclass(frozen=True)
class Request:
    """What is to be run."""

    manifest: str
    run: Path
    validator: Validator
    contract: Contract | None = None
    reading: ManifestOptions = field(default_factory=ManifestOptions)
    scorers: tuple[str, ...] = ()
    """Ids; none: nothing is scored."""
    scoring: ScoringOptions = field(default_factory=ScoringOptions)
    devices: tuple[str, ...] = ("auto",)
    """One scoring process each."""
    shard: Shard | None = None
    record_malformed: bool = False
    """Whether lines that cannot be used become failed items; else they refuse the run."""
    effort: Effort = field(default_factory=Effort)
    limits: Limits = field(default_factory=Limits)
    keep_facts: bool = False
    source_revision: str | None = None
    model_revision: str | None = None


@dataclass(frozen=True)
class Needs:
    """What an engine is made for."""

    rules: Rules
    scoring: tuple[ScoringPlan, ...]
    """One for each device."""
    items: int
    plain: bool
    """Whether all outputs look uncompressed by their names."""


class Watcher(Protocol):
    """What a run tells whoever started it."""

    def loaded(self, loaded: Loaded) -> None:
        """The manifest is read."""

    def begins(self, items: int) -> None:
        """The work begins."""

    def finished(self) -> None:
        """One item more is through."""

    def broken(self, name: str, failure: WorkerFailure) -> None:
        """Mediacheck itself failed on an item."""

    def stopping(self) -> bool:
        """Whether to end when what is under way is done."""


def execute(request: Request, make_engine: Callable[[Needs], Engine], watcher: Watcher) -> RunSummary | None:
    """Start a run, or go on with it where it stopped.

    Args:
        request: what is to be run.
        make_engine: of what does the work.
        watcher: of how it goes.

    Returns:
        What the run amounts to; None where it was stopped before its end.

    Raises:
        ManifestError: the manifest cannot be read, or has lines that cannot be used.
        RunError: the folder holds a run of another identity, or another process is at it.
        MediacheckError: a model or library is missing, or an option does not fit.
        OSError: the system refuses: a full disk, say. What was written before stays.
    """
    manifest = open_manifest(request.manifest, request.reading)
    prepare_folder(request.run)
    with Ledger(request.run) as ledger:
        try:
            return _execute(request, manifest, make_engine, watcher, ledger)
        except BaseException:
            # The lock is ours: nobody else has begun in here.
            if ledger.record() is None:
                remove(request.run)
            raise


def _execute(
    request: Request, manifest: Manifest, make_engine: Callable[[Needs], Engine], watcher: Watcher, ledger: Ledger
) -> RunSummary | None:
    begun = ledger.record()
    with ledger.transaction():
        loaded = load(ledger, manifest, request.manifest, request.shard)
        watcher.loaded(loaded)
        _refuse_malformed(request, loaded)
        plan = _plan(request, loaded)
        planned = _record(request, loaded, plan, () if begun is None else begun.scorers)
        if begun is not None:
            _refuse_differences(request.run, begun, planned)
    rules = Rules(request.validator, request.contract, tuple(loaded.contracts.values()))
    engine = make_engine(Needs(rules, _plans(request, plan), loaded.items, loaded.plain))
    try:
        record = _begin(request, ledger, engine, plan, planned)
        watcher.begins(loaded.items)
        driver = Driver(
            ledger,
            Tools(engine, rules, request.limits, plan),
            request.effort,
            finished=watcher.finished,
            stopping=watcher.stopping,
            broken=watcher.broken,
            facts=FactsFolder(request.run) if request.keep_facts else None,
        )
        if not driver.run():
            return None
    finally:
        engine.close()
    ledger.set_complete(True)
    columns = write_results(request.run, ledger)
    return export(request.run, record, columns, loaded.extra)


def _begin(
    request: Request, ledger: Ledger, engine: Engine, plan: ScoringPlan | None, planned: RunRecord
) -> RunRecord:
    """Settle by what the run is made: its scorers are loaded, and say what they are."""
    identities = () if plan is None else engine.identities()
    record = replace(planned, scorers=_sorted(identities))
    begun = ledger.record()
    if begun is not None:
        _refuse_differences(request.run, begun, record)
    else:
        with ledger.transaction():
            ledger.set_record(record)
    ledger.set_complete(False)
    _write_record(request.run, record)
    # What the last start exported is not the result of this one.
    for name in EXPORTS:
        (request.run / name).unlink(missing_ok=True)
    return record


def export(run: Path, record: RunRecord, columns: tuple[str, ...], extra: ExtraFiles) -> RunSummary:
    """Write ``summary.json`` and, where pyarrow is installed, ``results.parquet``, from ``results.jsonl``.

    Args:
        run: folder.
        record: of the run.
        columns: by which its items are grouped.
        extra: media files that no item names.

    Raises:
        RunError: the results cannot be read.
        OSError: the system refuses.
    """
    summary = summarise(record, read_results(run), columns, extra=extra.count, first_extra=extra.first)
    if can_write_parquet():
        scorers = tuple(dict.fromkeys(identity.scorer for identity in record.scorers))
        write_parquet(run, read_results(run), scorers, columns)
    serialise.write_atomically(run / SUMMARY, serialise.to_json(summary))
    return summary


def prepare_folder(run: Path) -> None:
    """Make the run folder.

    Raises:
        RunError: it cannot be made or written, or holds what is no run.
    """
    try:
        run.mkdir(parents=True, exist_ok=True)
        # Trying is the only test that file systems and root agree on.
        with tempfile.TemporaryFile(dir=run):
            pass
        names = {path.name for path in run.iterdir() if not path.name.startswith(".mediacheck-")}
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise
        raise RunError(f"cannot write the run folder {run}: {error.strerror}; name another --run") from error
    if names and LEDGER not in names:
        raise RunError(f"{run} holds other files, and no run; name an empty or new folder with --run")


def remove(run: Path) -> None:
    """Leave nothing of a run that was refused before it began."""
    for name in (LEDGER, f"{LEDGER}-wal", f"{LEDGER}-shm", f"{LEDGER}-journal"):
        with suppress(OSError):
            (run / name).unlink()
    with suppress(OSError):
        run.rmdir()


def _refuse_malformed(request: Request, loaded: Loaded) -> None:
    if not loaded.problems or request.record_malformed:
        return
    lines = "line" if loaded.problems == 1 else "lines"
    raise ManifestError(
        f"{request.manifest} has {loaded.problems} {lines} that cannot be used; mend them, "
        "or give --malformed record to count them as failed items"
    )


def _plan(request: Request, loaded: Loaded) -> ScoringPlan | None:
    if not request.scorers:
        return None
    for id in request.scorers:
        needs = scorer_type(id).info.needs
        for need, there in (("text", loaded.texts), ("reference", loaded.references)):
            if need in needs and not there:
                raise ManifestError(f"the scorer {id} needs a {need}, and no line of {request.manifest} has one")
    default = request.scoring.language
    languages = sorted({language or default for language in loaded.languages} or {default})
    return ScoringPlan(
        request.scoring,
        tuple(
            (language, chosen_scorers(request.scorers, language=language, text=True, reference=True))
            for language in languages
        ),
    )


def _plans(request: Request, plan: ScoringPlan | None) -> tuple[ScoringPlan, ...]:
    """One for each device."""
    if plan is None:
        return ()
    return tuple(ScoringPlan(replace(plan.options, device=device), plan.languages) for device in request.devices)


def _record(
    request: Request, loaded: Loaded, plan: ScoringPlan | None, scorers: tuple[Identity, ...]
) -> RunRecord:
    validator, contract = request.validator, request.contract
    options = [] if plan is None else _option_tags(request)
    return RunRecord(
        tool=__version__,
        libraries=libraries(),
        validator=ValidatorIdentity(id=validator.id, digest=validator.digest, status=validator.status),
        contract=None if contract is None else _contract_identity(contract),
        contracts=tuple(
            sorted(
                {_contract_identity(named.contract) for named in loaded.contracts.values()},
                key=lambda known: (known.id, known.digest),
            )
        ),
        scorers=scorers,
        options=tuple(options),
        source_revision=request.source_revision,
        model_revision=request.model_revision,
        manifest=loaded.identity,
        shard=request.shard,
    )


def _option_tags(request: Request) -> list[Tag]:
    """What was asked; what it came to (models, normalisers, how they decode) stands in the scorers' identities."""
    return [
        Tag(key="language", value=request.scoring.language),
        Tag(key="scorers", value=" ".join(dict.fromkeys(request.scorers))),
    ]


def _contract_identity(contract: Contract) -> ContractIdentity:
    return ContractIdentity(id=contract.id, digest=contract.digest, status=contract.status)


def _refuse_differences(run: Path, begun: RunRecord, now: RunRecord) -> None:
    if found := differences(begun, now):
        raise RunError(
            f"{run} holds a run that was made otherwise ({'; '.join(found)}); "
            "results of both cannot stand in one run: name a new folder with --run"
        )


def _write_record(run: Path, record: RunRecord) -> None:
    data = to_toml(record)
    path = run / RECORD
    if not path.exists() or path.read_bytes() != data:
        serialise.write_atomically(path, data)


def _sorted(identities: tuple[Identity, ...]) -> tuple[Identity, ...]:
    return tuple(sorted(identities, key=lambda known: (known.scorer, known.language or "", known.digest)))

