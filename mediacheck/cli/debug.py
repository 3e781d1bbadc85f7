"""Whether someone looks for a bug of ours: ``--debug`` or ``MEDIACHECK_DEBUG=1``."""

from __future__ import annotations

import os

_VARIABLE = "MEDIACHECK_DEBUG"


def debug_wanted() -> bool:
    return os.environ.get(_VARIABLE, "") not in ("", "0")


def want_debug() -> None:
    os.environ[_VARIABLE] = "1"
