"""From a line of whatever format to an item, with all that can be wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from mediacheck.batch import places
from mediacheck.batch.item import Entry, Item
from mediacheck.batch.manifest.columns import Columns
from mediacheck.batch.manifest.fields import LONGEST_ID, Fields
from mediacheck.batch.manifest.options import EXPECT_KEYS
from mediacheck.batch.manifest.outputs import Outputs
from mediacheck.batch.manifest.rows import Row
from mediacheck.facts import Tag
from mediacheck.suffixes import MEDIA_SUFFIXES, RAW_SUFFIXES

_NEMO_MEDIA = "audio_filepath"
_EXPECT = frozenset(EXPECT_KEYS)


def is_contract_file(contract: str) -> bool:
    """Whether a contract is named by a path: ``own.toml``, ``own.toml:route``."""
    return contract.partition(":")[0].endswith(".toml")


class Builder:
    """Makes the items of one manifest."""

    def __init__(self, columns: Columns, base: str, roots: places.Roots, outputs: Outputs | None) -> None:
        """
        Args:
            columns: which keys are read.
            base: folder or URL prefix from which relative paths count.
            roots: where paths may lead.
            outputs: for lines that name no media.
        """
        self._columns = columns
        self._base = base
        self._roots = roots
        self._outputs = outputs
        self._asking = frozenset([columns.expect, *(column for _, column in columns.expected)])

    def items(self, rows: Iterable[Row]) -> Iterator[Item]:
        return (self._item(position, row) for position, row in enumerate(rows))

    def _item(self, position: int, row: Row) -> Item:
        columns = self._columns
        fields = Fields(row.values, row.problem)
        named = self._outputs is None or fields.has(columns.media)
        id = fields.id(columns.id)
        media, place = self._output(fields, id)
        if id is None and media and not fields.has(columns.id) and columns.id not in columns.required:
            id = self._id_of(fields, media)
        if id is None:
            fields.complain(f"it has no {columns.id or 'id'}")
        if columns.media == _NEMO_MEDIA and row.values.get("offset") not in (None, 0, "", "0", "0.0"):
            fields.complain("it has an offset: a part of a file is no output; save it as a file of its own")
        for key in row.values:
            if key.startswith("expect.") and key not in _EXPECT and key not in columns.named:
                fields.complain(f"there is no expectation {key}; known: {', '.join(EXPECT_KEYS)}")
        language = fields.language(columns.language)
        speaker = fields.word(columns.speaker)
        references = fields.texts(columns.reference)
        reference_places = tuple(self._place(fields, reference, "reference ") for reference in references)
        text = fields.text(columns.text)
        contract = fields.text(columns.contract) or None
        if contract is not None and is_contract_file(contract):
            self._place(fields, contract.partition(":")[0], "contract ")
        expect = None
        if not self._asking.isdisjoint(row.values):
            expect = fields.expectation(columns.expect, columns.expected)
        groups = self._groups(fields, row, language, speaker)
        if fields.problem is None:
            entry = Entry(
                id=id or row.where,
                media=media,
                text=text,
                references=tuple(map(places.printable, references)),
                speaker=speaker,
                language=language,
                contract=contract,
                expect=expect,
                groups=groups,
            )
            return Item(position, row.where, entry, place, reference_places, named)
        problem = f"{row.where}: {fields.problem}"
        bad = Entry(id=id or row.where, media=media, groups=groups, problem=problem)
        return Item(position, row.where, bad, place="", named=named)

    def _output(self, fields: Fields, id: str | None) -> tuple[str, str]:
        """The output as it is named, and where it lies."""
        columns = self._columns
        if fields.has(columns.media):
            media = fields.text(columns.media or "") or ""
            # A signature in a URL is a secret, and another one each time.
            return places.printable(media), self._place(fields, media, "") if media else ""
        if self._outputs is None:
            fields.complain(f"it has no {columns.media}: no output is named")
            return "", ""
        if id is None:
            return "", ""
        media = id.lstrip("/") + ".wav"
        # Before the folder is looked into: an id may hold "..".
        place = self._place(fields, self._outputs.expected(id), "", written=media)
        if not place:
            return media, ""
        found = self._outputs.found(id)
        if len(found) > 1:
            fields.complain(f"{len(found)} outputs lie there for it: {', '.join(found)}; leave one")
            return media, ""
        if found:
            return found[0], self._place(fields, places.join(self._outputs.place, found[0]), "", written=found[0])
        return media, place

    def _place(self, fields: Fields, path: str, what: str, *, written: str | None = None) -> str:
        """Where a path leads; empty, with a complaint, where it may not be read."""
        # What stands in a report must not hang on the machine: the path as it is written, not where it leads.
        shown = places.printable(path if written is None else written)
        if wrong := places.unusable(path):
            fields.complain(f"{what}{shown} {wrong}")
            return ""
        place = places.join(self._base, path)
        if self._roots.hold(place):
            return place
        if places.is_remote(place):
            root = _prefix(places.printable(place))
            fields.complain(f"{what}{shown} lies under no URL that was named; allow it with --root {root}")
        elif written is None and path.startswith("/"):
            folder = places.printable(str(PurePosixPath(path).parent))
            fields.complain(f"{what}{shown} leads out of the allowed folders; allow it with --root {folder}")
        else:
            fields.complain(
                f"{what}{shown} leads out of the allowed folders; allow the folder that it leads to with --root"
            )
        return ""

    def _id_of(self, fields: Fields, media: str) -> str | None:
        """The media as it is named, without its suffix."""
        named = places.printable(media)
        path = named if places.is_remote(named) else PurePosixPath(named).as_posix()
        stem, dot, suffix = path.rpartition(".")
        known = dot and f".{suffix.lower()}" in MEDIA_SUFFIXES | RAW_SUFFIXES and not stem.endswith("/")
        id = stem if known and stem else path
        if len(id) > LONGEST_ID:
            fields.complain(f"its media has {len(id)} characters, too many for an id; write an id of its own")
            return None
        return id

    def _groups(self, fields: Fields, row: Row, language: str | None, speaker: str | None) -> tuple[Tag, ...]:
        values = {"language": language, "speaker": speaker}
        # A key of this name in another schema may hold anything.
        if isinstance(row.values.get(self._columns.model), str | int | float):
            values["model"] = fields.group(self._columns.model)
        for column in self._columns.groups:
            values.setdefault(column, fields.group(column))
        return tuple(Tag(key=key, value=value) for key, value in sorted(values.items()) if value is not None)


def _prefix(url: str) -> str:
    """Without the last part of its path."""
    scheme, rest = url.split("://", 1)
    return f"{scheme}://{rest.rpartition('/')[0] or rest}"


