"""Reference sets: known-good recordings and texts that candidates are held against."""

from mediacheck.references.record import AUDIO_KEYS, Recorded, read_run, recorded_as, write_set
from mediacheck.references.reference_set import (
    About,
    Entry,
    ReferenceSet,
    ReferenceSetError,
    folder_of,
    load,
    shipped,
    verify,
)

__all__ = [
    "AUDIO_KEYS",
    "About",
    "Entry",
    "Recorded",
    "ReferenceSet",
    "ReferenceSetError",
    "folder_of",
    "load",
    "read_run",
    "recorded_as",
    "shipped",
    "verify",
    "write_set",
]
