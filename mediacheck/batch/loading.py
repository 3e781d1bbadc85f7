"""From a manifest to the items of a ledger: each id once, and whatever cannot be used with its reason."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from itertools import count, islice
from pathlib import Path, PurePosixPath

from msgspec.structs import replace as changed

from mediacheck.batch.errors import ManifestError
from mediacheck.batch.item import Digests, ExtraFiles, Item
from mediacheck.batch.ledger import Ledger
from mediacheck.batch.manifest import Manifest
from mediacheck.batch.manifest.build import is_contract_file
from mediacheck.batch.places import base_of, is_remote, join
from mediacheck.batch.record import ManifestIdentity, Shard
from mediacheck.batch.tasks import NamedContract
from mediacheck.contracts import Contract, load_contract
from mediacheck.errors import ContractError
from mediacheck.measuring import PLAIN_SUFFIXES

LARGEST_CONTRACT = 1_000_000
"""Bytes."""
SHOWN = 20
"""Problems and extra files that a message names; the counts beside them are whole."""


@dataclass
class Loaded:
    """What was found in a manifest."""

    identity: ManifestIdentity
    items: int = 0
    """Of this shard."""
    problems: int = 0
    """Of the whole manifest: lines that cannot be used."""
    first_problems: list[str] = field(default_factory=list)
    languages: list[str | None] = field(default_factory=list)
    """That items name, each once; None: that of the run."""
    contracts: dict[str, NamedContract] = field(default_factory=dict)
    texts: bool = False
    references: bool = False
    plain: bool = True
    """Whether all outputs look uncompressed by their names."""
    extra: ExtraFiles = field(default_factory=ExtraFiles)


def load(ledger: Ledger, manifest: Manifest, name: str, shard: Shard | None) -> Loaded:
    """Write the items of a manifest into the ledger, in place of those that are there.

    To be called within a transaction: nothing has been lost where it raises.

    Args:
        ledger: to write into.
        manifest: to read.
        name: of the manifest, as the user gave it.
        shard: which part of the items; None: all.

    Raises:
        ManifestError: the manifest cannot be read, or holds no item.
    """
    digests = Digests()
    loaded = Loaded(ManifestIdentity(format=manifest.format, items=0, digest="", asked=""))
    ledger.clear_items()
    writer = _Writer(ledger)
    for item in manifest.items():
        mine = shard is None or belongs(item.entry.id, shard)
        checked = writer.write(_with_contract(item, loaded, name), mine=mine)
        digests.add(checked.stated)
        if checked.entry.problem is not None:
            loaded.problems += 1
            if len(loaded.first_problems) < SHOWN:
                loaded.first_problems.append(checked.entry.problem)
        else:
            _note(checked, loaded)
            for reference, place in zip(checked.entry.references, checked.reference_places, strict=True):
                ledger.add_named(place)
                if mine:
                    ledger.reference(reference, place)
    writer.name_the_rest()
    if not digests.items:
        raise ManifestError(f"{name} names no output; there is nothing to check")
    loaded.items = ledger.count()
    loaded.identity = ManifestIdentity(
        format=manifest.format, files=manifest.files(), items=digests.items, digest=digests.all, asked=digests.asked
    )
    extra = iter(manifest.extra_files(ledger.names))
    first = tuple(islice(extra, SHOWN))
    loaded.extra = ExtraFiles(count=len(first) + sum(1 for _ in extra), first=first)
    ledger.set_extra(loaded.extra)
    return loaded


def belongs(id: str, shard: Shard) -> bool:
    """Whether an item is of a shard: by the first 8 bytes of the sha256 of its id, modulo the number of shards."""
    return int.from_bytes(hashlib.sha256(id.encode()).digest()[:8]) % shard.of == shard.number - 1


class _Writer:
    """Writes items under ids of their own; what has none is named by where it stands, after all others."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._nameless: list[tuple[Item, bool]] = []

    def write(self, item: Item, *, mine: bool) -> Item:
        """The item, with a problem where its id is taken."""
        entry = item.entry
        if entry.problem is not None and entry.id == item.where:
            self._nameless.append((item, mine))
            return item
        if self._ledger.add_item(item, mine=mine):
            return item
        where = f"{item.where}: " if item.where else ""
        problem = f"{where}the id {entry.id!r} stands in {self._ledger.found_at(entry.id) or 'the folder'} already"
        item = replace(
            item, entry=changed(entry, problem=entry.problem or problem), place="", reference_places=()
        )
        self._nameless.append((item, mine))
        return item

    def name_the_rest(self) -> None:
        """Give those without an id of their own one that no line has."""
        for item, mine in self._nameless:
            where = item.where or "the folder"
            names = (where if attempt == 1 else f"{where} ({attempt})" for attempt in count(1))
            renamed = (replace(item, entry=changed(item.entry, id=id)) for id in names)
            next(one for one in renamed if self._ledger.add_item(one, mine=mine))


def _with_contract(item: Item, loaded: Loaded, manifest: str) -> Item:
    """The item, its contract loaded; with a problem where there is none of that name."""
    name = item.entry.contract
    if name is None or item.entry.problem is not None or name in loaded.contracts:
        return item
    try:
        loaded.contracts[name] = NamedContract(name, _contract(name, manifest))
    except ContractError as error:
        where = f"{item.where}: " if item.where else ""
        return replace(item, entry=changed(item.entry, problem=f"{where}{error}"))
    return item


def _contract(name: str, manifest: str) -> Contract:
    """By id; or by a path that counts from the manifest's folder."""
    if not is_contract_file(name):
        return load_contract(name)
    place = join(base_of(manifest), name)
    if is_remote(place):
        raise ContractError(f"the contract {name} lies behind a URL; name one by its id, or a manifest on this machine")
    path = Path(place.partition(".toml:")[0] + ".toml" if ".toml:" in place else place)
    # Where it lies must not stand in what is said of it; a pipe would hang, and a device has no end.
    if not path.is_file():
        raise ContractError(f"the contract {name} is not there, or is no file")
    if path.stat().st_size > LARGEST_CONTRACT:
        raise ContractError(f"the contract {name} has {path.stat().st_size} bytes, which is no contract")
    return load_contract(Path(place))


def _note(item: Item, loaded: Loaded) -> None:
    """What the run must be ready for: of all shards, so that they are made by the same scorers."""
    entry = item.entry
    if entry.language not in loaded.languages:
        loaded.languages.append(entry.language)
    loaded.texts |= entry.text is not None
    loaded.references |= bool(entry.references)
    loaded.plain &= PurePosixPath(entry.media).suffix.lower() in PLAIN_SUFFIXES
