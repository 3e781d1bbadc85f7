"""The only code that touches a decoder: from a file to its facts.

``measure`` and ``measure_array`` are imported on first use, since they bring numpy and FFmpeg.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mediacheck.media.files import require_file, unmeasured

if TYPE_CHECKING:
    from mediacheck.media.measurement import measure, measure_array

__all__ = ["measure", "measure_array", "require_file", "unmeasured"]


def __getattr__(name: str) -> Any:
    if name in ("measure", "measure_array"):
        from mediacheck.media import measurement as module

        return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
