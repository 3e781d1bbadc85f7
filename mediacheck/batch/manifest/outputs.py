"""The folder of outputs, for manifests that name no media: ``DIR/ID.SUFFIX``."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Final

from mediacheck.batch import places
from mediacheck.batch.errors import ManifestError
from mediacheck.batch.manifest.folder import is_media

USUAL: Final = ".wav"


class Outputs:
    def __init__(self, name: str) -> None:
        """
        Raises:
            ManifestError: it is no folder.
        """
        self.place = places.local_place(name)
        self.is_remote = places.is_remote(self.place)
        if not self.is_remote and not os.path.isdir(self.place):
            raise ManifestError(f"--outputs {places.printable(name)} is no folder; name the one that holds the outputs")
        # Their names need not be held: of a million files, few suffixes differ.
        self._suffixes = lru_cache(maxsize=1024)(_suffixes_in)

    def expected(self, id: str) -> str:
        """Where the output lies where nothing else is known."""
        return places.join(self.place, id.lstrip("/") + USUAL)

    def found(self, id: str) -> list[str]:
        """The names, within the folder, of the media files that there are for an id. A URL is not listed: none."""
        if self.is_remote:
            return []
        name = id.lstrip("/")
        folder = os.path.dirname(os.path.join(self.place, name))
        return [
            name + suffix
            for suffix in self._suffixes(folder)
            if os.path.lexists(os.path.join(self.place, name + suffix))
        ]


def _suffixes_in(folder: str) -> tuple[str, ...]:
    """Of the media files in it, as they are spelt."""
    try:
        with os.scandir(folder) as entries:
            return tuple(sorted({os.path.splitext(entry.name)[1] for entry in entries if is_media(entry.name)}))
    except OSError:
        return ()
