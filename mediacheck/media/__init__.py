"""The only code that touches a decoder: from a file to its facts.

``measure``, ``measure_array`` and ``read_samples`` are imported on first use, since they bring numpy and FFmpeg.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mediacheck.media.files import require_file, unmeasured

if TYPE_CHECKING:
    from mediacheck.media.measurement import measure, measure_array
    from mediacheck.media.samples import Samples, SamplesError, read_samples

__all__ = ["Samples", "SamplesError", "measure", "measure_array", "read_samples", "require_file", "unmeasured"]


def __getattr__(name: str) -> Any:
    if name in ("measure", "measure_array"):
        from mediacheck.media import measurement as module

        return getattr(module, name)
    if name in ("Samples", "SamplesError", "read_samples"):
        from mediacheck.media import samples

        return getattr(samples, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
