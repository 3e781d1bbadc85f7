"""The only code that touches a decoder: from a file to its facts.

``measure``, ``measure_array`` and ``read_samples`` are imported on first use: they bring the compiled kernel, and the
latter two numpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mediacheck.media.files import require_file, unmeasured

if TYPE_CHECKING:
    from mediacheck.media.arrays import measure_array
    from mediacheck.media.measurement import measure
    from mediacheck.media.samples import Samples, SamplesError, read_samples

__all__ = ["Samples", "SamplesError", "measure", "measure_array", "read_samples", "require_file", "unmeasured"]


def __getattr__(name: str) -> Any:
    if name == "measure":
        from mediacheck.media.measurement import measure

        return measure
    if name == "measure_array":
        from mediacheck.media.arrays import measure_array

        return measure_array
    if name in ("Samples", "SamplesError", "read_samples"):
        from mediacheck.media import samples

        return getattr(samples, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
