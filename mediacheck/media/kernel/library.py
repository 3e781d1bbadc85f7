"""Finds the compiled library and loads it."""

from __future__ import annotations

import ctypes
import hashlib
import sys
from pathlib import Path

from mediacheck.errors import InstallationError

FOLDER = Path(__file__).parent
# With a dot in its name, for it is no module: Python would take kernel.so for one.
LIBRARY = FOLDER / {"win32": "kernel.native.dll", "darwin": "kernel.native.dylib"}.get(sys.platform, "kernel.native.so")
POINTER, COUNT, REAL = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
_REMEDY = "install mediacheck again (in a checkout: pip install --editable .)"


def source_digest() -> str:
    """sha256 of the C files, by name one after the other, which the library carries too."""
    files = sorted(file for file in FOLDER.iterdir() if file.suffix in (".c", ".h"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def _load() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(str(LIBRARY))
    except OSError as error:
        raise InstallationError(f"{LIBRARY} cannot be loaded ({error}); {_REMEDY}") from error
    library.kernel_source.restype = ctypes.c_char_p
    if library.kernel_source().decode() != source_digest():
        raise InstallationError(f"{LIBRARY} was built from other sources than the C files beside it; {_REMEDY}")
    return library


kernel = _load()
