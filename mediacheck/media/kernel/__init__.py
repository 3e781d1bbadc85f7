"""The loops over single samples and pixels, compiled (the C files here), behind Python's types.

The library is plain C without Python's headers: one build serves every version of Python, and ctypes lets go of the
interpreter's lock while it runs. It is the only implementation, so facts never depend on which path ran; a library that
is missing or was built from other sources is an error. docs/design/README.md tells why it is there. Memory is passed by
its address, of the standard library's arrays and of what decoders hold: numpy would take a tenth of a second and 12 MB
of every process that measures.
"""

from mediacheck.media.kernel.library import LIBRARY, source_digest
from mediacheck.media.kernel.pictures import SQUARE, Compared, Pixels, compare_pictures, pack_rows
from mediacheck.media.kernel.samples import (
    Clipping,
    Stored,
    greatest_of,
    loudest_of,
    read_samples,
    rms_of_finite,
)
from mediacheck.media.kernel.sound import TAPS, Apart, Block, BlockKernel, Filters, Measured, set_apart

__all__ = [
    "LIBRARY", "SQUARE", "TAPS", "Apart", "Block", "BlockKernel", "Clipping", "Compared", "Filters", "Measured",
    "Pixels", "Stored", "compare_pictures", "greatest_of", "loudest_of", "pack_rows", "read_samples", "rms_of_finite",
    "set_apart", "source_digest",
]  # fmt: skip
