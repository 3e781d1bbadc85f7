"""Reference sets: known-good recordings and texts that candidates are held against."""

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

__all__ = ["About", "Entry", "ReferenceSet", "ReferenceSetError", "folder_of", "load", "shipped", "verify"]
