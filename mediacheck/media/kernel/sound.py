"""Blocks of sound, and what is measured of each in one call (``sound.c``)."""

from __future__ import annotations

import ctypes
from array import array
from dataclasses import dataclass
from typing import NamedTuple

from mediacheck.media.kernel.library import COUNT, POINTER, kernel

_SAMPLE = 8
"""Bytes of a float64."""
TAPS = 12
"""Of each phase of the interpolating filter, as in sound.c."""


class _Block(ctypes.Structure):
    """``struct block`` of sound.c."""

    _fields_ = (
        ("samples", POINTER),
        ("clean", POINTER),
        ("channels", COUNT),
        ("count", COUNT),
        ("stride", COUNT),
        ("windows", POINTER),
        ("window_count", COUNT),
        ("finite", POINTER),
        ("squares", POINTER),
        ("rms", POINTER),
        ("peaks", POINTER),
        ("summaries", POINTER),
        ("least_run", COUNT),
        ("run_room", COUNT),
        ("runs", POINTER),
        ("run_count", POINTER),
        ("steps", POINTER),
        ("step_count", COUNT),
        ("sections", POINTER),
        ("fade", COUNT),
        ("states", POINTER),
        ("energy", POINTER),
        ("phases", POINTER),
        ("phase_count", COUNT),
        ("bounds", POINTER),
        ("before", POINTER),
        ("true_peak", POINTER),
    )


class _Apart(ctypes.Structure):
    """``struct apart`` of samples.c."""

    _fields_ = (("nan", COUNT), ("inf", COUNT), ("spans", COUNT))


kernel.measure_block.argtypes = [POINTER, ctypes.c_int]
kernel.measure_block.restype = ctypes.c_int
kernel.finish_true_peak.argtypes = [POINTER]
kernel.finish_true_peak.restype = None
kernel.set_apart.argtypes = [POINTER, POINTER, COUNT, COUNT, COUNT, POINTER, COUNT, POINTER, POINTER, POINTER]
kernel.set_apart.restype = None


class Block:
    """Samples of all channels, float64, full scale 1.0, one row a channel."""

    def __init__(self, channels: int, room: int) -> None:
        """``room``: samples per channel that there is memory for."""
        self.channels = channels
        self.room = room
        self.count = 0
        """Samples per channel that are there."""
        self._memory = bytearray(_SAMPLE * channels * room)
        # It never grows, so it stays where it is.
        self._address = ctypes.addressof(ctypes.c_char.from_buffer(self._memory)) if self._memory else 0

    def address(self, channel: int, sample: int = 0) -> int:
        """Where a sample lies in memory."""
        return self._address + _SAMPLE * (channel * self.room + sample)

    def row(self, channel: int) -> memoryview[float]:
        """The samples of a channel, without a copy."""
        start = channel * self.room
        return memoryview(self._memory).cast("d")[start : start + self.count]


@dataclass(frozen=True)
class Filters:
    """What loudness and true peak are measured with."""

    sections: tuple[tuple[float, float, float, float, float], ...]
    """b0, b1 - a1 b0, b2 - a2 b0, a1, a2 of each of two second-order sections."""
    fade: int
    """Samples after which nothing of what was before is left in them, at least 1."""
    phases: tuple[tuple[float, ...], ...]
    """The interpolating filter, ``TAPS`` a phase; none where samples are close enough by themselves."""
    bounds: tuple[float, float, float]
    """An interpolated value does not exceed ``bounds[0]`` times the greatest sample that it hangs on, nor ``bounds[1]``
    times that plus ``bounds[2]`` times the greatest second difference of those samples."""


class Measured(NamedTuple):
    """What one block gives. The arrays hold it until the next block is measured."""

    rms: list[array[float]]
    """Of each channel an ``array('f')``: RMS of each window's finite samples; NaN of none."""
    squares: list[float]
    """Of each channel the sum of squares."""
    sums: list[float]
    """Of each channel."""
    peaks: list[float]
    """Of each channel the greatest magnitude."""
    runs: list[list[tuple[int, int]]]
    """Of each channel the (start, end) of runs of equal samples: the block's first and last, whatever their length, and
    those between that are long enough. NaN equals nothing."""
    energy: list[array[float]]
    """Of each channel the sum of squares behind the sections, a step each; none without filters."""


class Apart(NamedTuple):
    """A block whose samples are not all finite."""

    clean: Block
    """The samples, and zeros where they are not finite."""
    windows: array[int]
    """Finite samples, (channels, windows)."""
    finite: list[int]
    """Finite samples of each channel."""
    nan: int
    """Samples of all channels."""
    inf: int
    spans: list[tuple[int, int]]
    """(start, end) of stretches in which any channel holds one that is not finite."""


def set_apart(block: Block, windows: array[int]) -> Apart | None:
    """Look for samples that are not finite, and make each of them one and the same NaN.

    Args:
        block: its samples are changed in place.
        windows: ``array('q')``: edges of the envelope's windows.

    Returns:
        None where all are finite.
    """
    clean = Block(block.channels, block.room)
    clean.count = block.count
    wanted = len(windows) - 1
    finite = array("q", [0]) * (block.channels * wanted)
    spans = array("q", [0]) * (block.count + 1)
    found = _Apart()
    kernel.set_apart(
        block.address(0),
        clean.address(0),
        block.channels,
        block.count,
        block.room,
        windows.buffer_info()[0],
        wanted,
        finite.buffer_info()[0],
        spans.buffer_info()[0],
        ctypes.byref(found),
    )
    if not found.spans:
        return None
    ends = spans[: 2 * found.spans]
    totals = [sum(finite[wanted * c : wanted * (c + 1)]) for c in range(block.channels)]
    return Apart(clean, finite, totals, found.nan, found.inf, list(zip(ends[::2], ends[1::2], strict=True)))


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
        self._filtered = filters is not None
        self._room = most // least_run + 2
        self._summaries = _zeros("d", 3 * channels)
        self._runs = _zeros("q", 2 * channels * self._room)
        self._run_count = _zeros("q", channels)
        self._states = _zeros("d", 4 * channels)
        self._before = _zeros("d", channels * (TAPS - 1))
        self._true_peak = _zeros("d", 1)
        self._block = _Block(
            channels=channels,
            summaries=_address(self._summaries),
            least_run=least_run,
            run_room=self._room,
            runs=_address(self._runs),
            run_count=_address(self._run_count),
            states=_address(self._states),
            before=_address(self._before),
            true_peak=_address(self._true_peak),
        )
        if filters is not None:
            assert [len(section) for section in filters.sections] == [5, 5]
            assert all(len(phase) == TAPS for phase in filters.phases)
            self._sections = array("d", [x for section in filters.sections for x in section])
            self._phases = array("d", [x for phase in filters.phases for x in phase])
            self._bounds = array("d", filters.bounds)
            self._block.sections = _address(self._sections)
            self._block.fade = filters.fade
            self._block.phases = _address(self._phases)
            self._block.phase_count = len(filters.phases)
            self._block.bounds = _address(self._bounds)
        self._windows = self._steps = _zeros("q", 1)
        self._squares, self._rms, self._energy = _zeros("d", 0), _zeros("f", 0), _zeros("d", 0)
        self._peaks = _zeros("d", 0)

    def measure(
        self, block: Block, windows: array[int], steps: array[int], apart: Apart | None = None, *, sure: bool = False
    ) -> Measured | None:
        """Measure the next block.

        Args:
            block: of 1 to ``most`` samples; one NaN for all that is not finite.
            windows: ``array('q')`` that rises from 0 to the block's end: edges of the envelope's windows, which may be
                empty.
            steps: likewise, edges of the loudness's steps; unused without filters.
            apart: what was set apart of the block; None: nothing.
            sure: that was looked for.

        Returns:
            None where a sum is not finite and that is not ``sure``: nothing is carried then, and the caller looks.
        """
        clean = block if apart is None else apart.clean
        assert (clean.channels, clean.count, clean.room) == (block.channels, block.count, block.room)
        assert 0 < block.count <= self._most
        assert windows[-1] == steps[-1] == block.count
        self._block.samples, self._block.clean = block.address(0), clean.address(0)
        self._block.count, self._block.stride = block.count, block.room
        self._block.finite = None if apart is None else _address(apart.windows)
        self._lay_out(windows, steps)
        if not kernel.measure_block(ctypes.byref(self._block), sure or apart is not None):
            return None
        count, wanted = len(windows) - 1, self._block.step_count
        return Measured(
            rms=[self._rms[count * c : count * (c + 1)] for c in range(self._channels)],
            sums=self._summaries[::3].tolist(),
            peaks=self._summaries[1::3].tolist(),
            squares=self._summaries[2::3].tolist(),
            runs=[self._runs_of(channel) for channel in range(self._channels)],
            energy=[self._energy[wanted * c : wanted * (c + 1)] for c in range(self._channels)],
        )

    def _runs_of(self, channel: int) -> list[tuple[int, int]]:
        first = 2 * channel * self._room
        ends = self._runs[first : first + 2 * self._run_count[channel]]
        return list(zip(ends[::2], ends[1::2], strict=True))

    def _lay_out(self, windows: array[int], steps: array[int]) -> None:
        """Room for results at these edges, which are the same from block to block but for the last."""
        if windows is self._windows and steps is self._steps:
            return
        self._windows, self._steps = windows, steps
        count = len(windows) - 1
        wanted = len(steps) - 1 if self._filtered else 0
        self._squares = _zeros("d", self._channels * count)
        self._rms = _zeros("f", self._channels * count)
        self._peaks = _zeros("d", self._channels * count)
        self._energy = _zeros("d", self._channels * wanted)
        self._block.windows, self._block.window_count = _address(windows), count
        self._block.steps, self._block.step_count = _address(steps), wanted
        self._block.squares, self._block.rms = _address(self._squares), _address(self._rms)
        self._block.peaks, self._block.energy = _address(self._peaks), _address(self._energy)

    def finish_true_peak(self) -> None:
        """Count what the interpolating filter still gives behind the last sample."""
        kernel.finish_true_peak(ctypes.byref(self._block))

    @property
    def true_peak(self) -> float:
        """The greatest magnitude of samples and of what lies between them, linear; 0 without filters."""
        return float(self._true_peak[0])


def _zeros(kind: str, count: int) -> array:  # type: ignore[type-arg]
    return array(kind, [0]) * count


def _address(values: array) -> int:  # type: ignore[type-arg]
    """Where an array starts; the kernel sees nothing else of it."""
    return values.buffer_info()[0]
