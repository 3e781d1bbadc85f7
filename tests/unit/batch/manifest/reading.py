"""Write a manifest, read it, and see what stands in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mediacheck.batch.item import Item
from mediacheck.batch.manifest import ManifestOptions, open_manifest


def read(path: Path | str, **options: Any) -> list[Item]:
    return list(open_manifest(str(path), ManifestOptions(**options)).items())


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def problems(items: list[Item]) -> dict[str, str]:
    """By id, without where it stands."""
    found = {}
    for item in items:
        if item.entry.problem is not None:
            where, _, clause = item.entry.problem.partition(": ")
            assert where == item.where
            # What cannot be used leads nowhere.
            assert item.place == ""
            assert item.reference_places == ()
            found[item.entry.id] = clause
    return found
