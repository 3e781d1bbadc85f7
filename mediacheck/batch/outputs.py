"""The outputs of a run as what a reference set is made of."""

from __future__ import annotations

from pathlib import Path

from mediacheck.batch.errors import RunError
from mediacheck.batch.ledger import LEDGER, Ledger
from mediacheck.batch.places import is_remote
from mediacheck.references import Recorded, recorded_as


def is_run(folder: Path) -> bool:
    """Whether it is a run folder."""
    return (folder / LEDGER).is_file()


def outputs_of(run: Path, *, language: str) -> tuple[Recorded, ...]:
    """Every output of a run, whatever became of it.

    Args:
        run: a run folder.
        language: ISO 639-1, of items that name none.

    Raises:
        RunError: an item has no text, cannot be used, lies behind a URL, or would have the file name of another one.
    """
    found: list[Recorded] = []
    taken: set[str] = set()
    with Ledger(run) as ledger:
        for item in ledger.items():
            entry = item.entry
            if entry.problem is not None or entry.text is None or is_remote(item.place):
                lacking = entry.problem or ("has no text" if entry.text is None else "lies behind a URL")
                raise RunError(f"{run}: {entry.id!r} {lacking}; a set needs recordings here, with their texts")
            recorded = recorded_as(
                Path(item.place),
                id=entry.id,
                text=entry.text,
                language=entry.language or language,
                speaker=entry.speaker,
            )
            if recorded.entry.audio in taken:
                raise RunError(f"{run}: two ids would both be {recorded.entry.audio}; give them ids that differ more")
            taken.add(recorded.entry.audio)
            found.append(recorded)
    return tuple(found)
