"""The loops over single samples and pixels, compiled (``kernel.c``), behind Python's types.

The library is plain C without Python's headers: one build serves every version of Python, and ctypes lets go of the
interpreter's lock while it runs. It is the only implementation, so facts never depend on which path ran; a library that
is missing or was built from another source is an error. docs/design/kernel.md tells why it is there.
"""

from __future__ import annotations

import ctypes
import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mediacheck.errors import InstallationError

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Pixels = NDArray[np.uint8] | NDArray[np.uint16]

TAPS = 12
"""Of each phase of the interpolating filter, as in kernel.c."""
SQUARE = 16
"""Rows and columns of the squares of a picture, as in kernel.c."""
SOURCE = Path(__file__).with_name("kernel.c")
# With a dot in its name, for it is no module: Python would take kernel.so for one.
LIBRARY = SOURCE.with_name(
    {"win32": "kernel.native.dll", "darwin": "kernel.native.dylib"}.get(sys.platform, "kernel.native.so")
)
_REMEDY = "install mediacheck again (in a checkout: pip install --editable .)"
_POINTER, _COUNT = ctypes.c_void_p, ctypes.c_int64


class _Block(ctypes.Structure):
    """``struct block`` of kernel.c."""

    _fields_ = (
        ("samples", _POINTER),
        ("clean", _POINTER),
        ("channels", _COUNT),
        ("count", _COUNT),
        ("windows", _POINTER),
        ("window_count", _COUNT),
        ("squares", _POINTER),
        ("summaries", _POINTER),
        ("least_run", _COUNT),
        ("run_room", _COUNT),
        ("runs", _POINTER),
        ("run_count", _POINTER),
        ("steps", _POINTER),
        ("step_count", _COUNT),
        ("sections", _POINTER),
        ("states", _POINTER),
        ("energy", _POINTER),
        ("phases", _POINTER),
        ("phase_count", _COUNT),
        ("bounds", _POINTER),
        ("before", _POINTER),
        ("true_peak", _POINTER),
    )


def source_digest() -> str:
    """sha256 of the source, which the library carries too."""
    return hashlib.sha256(SOURCE.read_bytes()).hexdigest()


def _load() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(str(LIBRARY))
    except OSError as error:
        raise InstallationError(f"{LIBRARY} cannot be loaded ({error}); {_REMEDY}") from error
    library.kernel_source.restype = ctypes.c_char_p
    if library.kernel_source().decode() != source_digest():
        raise InstallationError(f"{LIBRARY} was built from another source than {SOURCE.name} beside it; {_REMEDY}")
    library.measure_block.argtypes = [_POINTER, ctypes.c_int]
    library.measure_block.restype = ctypes.c_int
    for compare in (library.compare_pictures_8, library.compare_pictures_16):
        compare.argtypes = [_POINTER, _COUNT, _POINTER, _COUNT, _COUNT, _COUNT, _POINTER]
        compare.restype = None
    library.finish_true_peak.argtypes = [_POINTER]
    library.finish_true_peak.restype = None
    return library


_kernel = _load()


@dataclass(frozen=True)
class Filters:
    """What loudness and true peak are measured with."""

    sections: Floats
    """(2, 5): b0, b1 - a1 b0, b2 - a2 b0, a1, a2 of each second-order section."""
    phases: Floats
    """(phases, TAPS): the interpolating filter; none where samples are close enough by themselves."""
    bounds: Floats
    """(3,): an interpolated value does not exceed ``bounds[0]`` times the greatest sample that it hangs on, nor
    ``bounds[1]`` times that plus ``bounds[2]`` times the greatest step between two."""


class Measured(NamedTuple):
    """What one block gives. The arrays hold it until the next block is measured."""

    squares: Floats
    """(channels, windows): sums of squares."""
    sums: Floats
    """(channels,)"""
    peaks: Floats
    """(channels,): greatest magnitudes."""
    runs: list[list[tuple[int, int]]]
    """Of each channel the (start, end) of runs of equal samples: the block's first and last, whatever their length, and
    those between that are long enough. NaN equals nothing."""
    energy: Floats
    """(channels, steps): sums of squares behind the sections; no steps without filters."""


class BlockKernel:
    """Measures the blocks of one stream, in order; the filters' states are carried from one to the next."""

    def __init__(self, channels: int, most: int, least_run: int, filters: Filters | None) -> None:
        """Take the memory that all blocks share.

        Args:
            channels: at least 1.
            most: samples per channel of the longest block.
            least_run: samples that a run in the middle of a block must have, at least 1.
            filters: None where neither loudness nor true peak is wanted.
        """
        self._channels, self._most = channels, most
        self._filters = filters
        pairs = -(-channels // 2)
        self._summaries = np.zeros((channels, 2))
        self._runs = np.zeros((channels, most // least_run + 2, 2), np.int64)
        self._run_count = np.zeros(channels, np.int64)
        self._states = np.zeros((pairs, 4, 2))
        self._before = np.zeros((channels, TAPS - 1))
        self._true_peak = np.zeros(1)
        self._block = _Block(
            channels=channels,
            summaries=_address(self._summaries),
            least_run=least_run,
            run_room=self._runs.shape[1],
            runs=_address(self._runs),
            run_count=_address(self._run_count),
            states=_address(self._states),
            before=_address(self._before),
            true_peak=_address(self._true_peak),
        )
        if filters is not None:
            assert (filters.sections.shape, filters.phases.shape[1], len(filters.bounds)) == ((2, 5), TAPS, 3)
            self._block.sections = _address(filters.sections)
            self._block.phases = _address(filters.phases)
            self._block.phase_count = len(filters.phases)
            self._block.bounds = _address(filters.bounds)
        self._windows = self._steps = np.zeros(1, np.int64)
        self._squares, self._energy = np.zeros((channels, 0)), np.zeros((pairs, 0, 2))

    def measure(self, samples: Floats, windows: Places, steps: Places, clean: Floats | None = None) -> Measured | None:
        """Measure the next block.

        Args:
            samples: (channels, n), n from 1 to ``most``; one NaN for all that is not finite.
            windows: (windows + 1,), rising from 0 to n: edges of the envelope's windows, which may be empty.
            steps: (steps + 1,), rising from 0 to n: edges of the loudness's steps; unused without filters.
            clean: the samples with zeros where they are not finite, if that was looked for; None: it was not.

        Returns:
            None where a sum is not finite and ``clean`` was not given: nothing is carried then, and the caller looks.
        """
        rows = samples if clean is None else clean
        assert samples.shape == rows.shape
        assert 0 < samples.shape[1] <= self._most
        assert windows[-1] == steps[-1] == samples.shape[1]
        self._block.samples, self._block.clean = _address(samples), _address(rows)
        self._block.count = samples.shape[1]
        self._lay_out(windows, steps)
        if not _kernel.measure_block(ctypes.byref(self._block), clean is not None):
            return None
        counts = self._run_count.tolist()
        pairs, steps_wanted = self._energy.shape[:2]
        return Measured(
            squares=self._squares,
            sums=self._summaries[:, 0],
            peaks=self._summaries[:, 1],
            runs=[[(a, b) for a, b in runs[:k].tolist()] for runs, k in zip(self._runs, counts, strict=True)],
            energy=self._energy.transpose(0, 2, 1).reshape(2 * pairs, steps_wanted)[: self._channels],
        )

    def _lay_out(self, windows: Places, steps: Places) -> None:
        """Room for results at these edges, which are the same from block to block but for the last."""
        if windows is self._windows and steps is self._steps:
            return
        self._windows, self._steps = windows, steps
        self._squares = np.zeros((self._channels, len(windows) - 1))
        wanted = len(steps) - 1 if self._filters is not None else 0
        self._energy = np.zeros((len(self._states), wanted, 2))
        self._block.windows, self._block.window_count = _address(windows), len(windows) - 1
        self._block.steps, self._block.step_count = _address(steps), wanted
        self._block.squares, self._block.energy = _address(self._squares), _address(self._energy)

    def finish_true_peak(self) -> None:
        """Count what the interpolating filter still gives behind the last sample."""
        _kernel.finish_true_peak(ctypes.byref(self._block))

    @property
    def true_peak(self) -> float:
        """The greatest magnitude of samples and of what lies between them, linear; 0 without filters."""
        return float(self._true_peak[0])


class Compared(NamedTuple):
    """What was counted of a picture, in pixels and in units of their values."""

    black: int
    """Pixels up to the limit."""
    change: int
    """Sum of absolute differences to the picture before."""
    greatest: int
    """The same of the square of ``SQUARE`` x ``SQUARE`` pixels that changed most."""


def compare_pictures(now: Pixels, before: Pixels, limit: int) -> Compared:
    """Count a picture's black and its change, and keep it in place of the one before.

    Args:
        now: (rows, columns); rows may lie further apart in memory than they are long.
        before: the same shape and type, contiguous; afterwards it is a copy of ``now``.
        limit: the greatest value that is black.
    """
    assert (now.shape, now.dtype) == (before.shape, before.dtype)
    assert now.strides[1] == now.itemsize
    compare = _kernel.compare_pictures_8 if now.itemsize == 1 else _kernel.compare_pictures_16
    found = np.empty(3, np.int64)
    height, width = now.shape
    start = now.ctypes.data
    compare(start, now.strides[0] // now.itemsize, _address(before), width, height, limit, _address(found))
    return Compared(*found.tolist())


def _address(array: Floats | Places | Pixels) -> int:
    """Where a contiguous array starts; the kernel sees nothing else of it."""
    assert array.flags.c_contiguous
    address: int = array.ctypes.data
    return address
