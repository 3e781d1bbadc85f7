"""``facts/`` of a run folder: the facts of each file by its digest, so that two items of one file share them."""

from __future__ import annotations

import shutil
from pathlib import Path

from mediacheck import serialise


class FactsFolder:
    """The facts that a run keeps."""

    def __init__(self, run: Path) -> None:
        self._folder = run / "facts"

    def path(self, sha256: str) -> Path:
        return self._folder / sha256[:2] / f"{sha256}.facts.json"

    def holds(self, sha256: str) -> bool:
        return self.path(sha256).is_file()

    def keep(self, sha256: str, facts: bytes) -> None:
        """Write the facts of a file, as JSON.

        Raises:
            OSError: the system refuses.
        """
        path = self.path(sha256)
        path.parent.mkdir(parents=True, exist_ok=True)
        serialise.write_atomically(path, facts)

    def add(self, other: FactsFolder) -> None:
        """Copy what another run keeps.

        Raises:
            OSError: the system refuses.
        """
        if other._folder.is_dir():
            shutil.copytree(other._folder, self._folder, dirs_exist_ok=True)
