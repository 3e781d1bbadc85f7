"""Runs along a channel: exact zeros, stuck values, samples at full scale, samples that are not finite."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from mediacheck.facts import ConstantRun, Span, ZeroRun
from mediacheck.media.kernel import Apart, Block, Clipping, rms_of_finite
from mediacheck.media.levels import dbfs

ZERO_RUNS_PER_SECOND = 200
"""A zero run lasts at least 1/200 s = 5 ms."""
CONSTANT_RUNS_PER_SECOND = 50
"""A constant run lasts at least 1/50 s = 20 ms."""
FLANK_SECONDS = Fraction(2, 1000)
"""The stretch on either side of a zero run whose level is kept."""
CLIPPED_RUN = 3
"""Samples in a row at full scale that count as clipping: one or two may be a true peak."""

SAMPLE = 8
"""Bytes of a float64."""


def least_run(sample_rate: int) -> int:
    """Samples of the shortest run that counts."""
    return -(-sample_rate // ZERO_RUNS_PER_SECOND)


@dataclass
class _Open:
    """A run that reaches the end of the block: it may go on in the next."""

    value: float
    start: int
    before_dbfs: float | None


@dataclass
class _Closed:
    """A zero run whose 2 ms after it are not all here yet."""

    start: int
    end: int
    before_dbfs: float | None
    after: bytes
    """Samples as float64."""


class ChannelRuns:
    """Zero runs and constant runs of one channel, across blocks."""

    def __init__(self, channel: int, sample_rate: int) -> None:
        self._channel = channel
        self._rate = sample_rate
        self._flank = max(1, -(-sample_rate * FLANK_SECONDS.numerator // FLANK_SECONDS.denominator))
        self._history = b""
        self._position = 0
        self._open: _Open | None = None
        self._waiting: _Closed | None = None
        # An hour of speech has thousands: as numbers they take a tenth of what their facts do.
        self._zeros = array("q")
        self._flanks = array("d")
        self.constants: list[ConstantRun] = []

    def update(self, row: memoryview[float], runs: list[tuple[int, int]]) -> None:
        """Take the next block.

        Args:
            row: its samples, float64, NaN where not finite (NaN equals nothing, so it ends a run).
            runs: (start, end) of its first and last run of equal samples and of all that are long enough, in order.
        """
        self._fill_waiting(row)
        # Those that touch an edge of the block may go on beyond it, however short they are here.
        for start, end in runs:
            self._take(row, start, end)
        self._position += len(row)
        # A copy in either case: the block's memory is filled again.
        self._history = (self._history + row[-self._flank :].tobytes())[-self._flank * SAMPLE :]

    def _take(self, row: memoryview[float], start: int, end: int) -> None:
        value = float(row[start])
        if start == 0 and self._open is not None:
            opened = self._open
            self._open = None
            if opened.value == value:
                if end == len(row):
                    self._open = opened
                else:
                    self._close(opened, self._position + end, row[end : end + self._flank].tobytes())
                return
            self._close(opened, self._position, row[: self._flank].tobytes())
        if math.isnan(value):
            return
        run = _Open(value, self._position + start, self._level_before(row, start) if value == 0.0 else None)
        if end == len(row):
            self._open = run
        else:
            self._close(run, self._position + end, row[end : end + self._flank].tobytes())

    def _level_before(self, row: memoryview[float], start: int) -> float | None:
        if start >= self._flank:
            return _level(row[start - self._flank : start].tobytes())
        return _level((self._history + row[:start].tobytes())[-self._flank * SAMPLE :])

    def _close(self, run: _Open, end: int, after: bytes) -> None:
        samples = end - run.start
        if run.value == 0.0:
            if samples * ZERO_RUNS_PER_SECOND >= self._rate:
                self._finish_waiting()
                self._waiting = _Closed(run.start, end, run.before_dbfs, after)
                if len(after) == self._flank * SAMPLE:
                    self._finish_waiting()
        elif samples * CONSTANT_RUNS_PER_SECOND >= self._rate:
            self.constants.append(
                ConstantRun(
                    start=Fraction(run.start, self._rate),
                    end=Fraction(end, self._rate),
                    channel=self._channel,
                    samples=samples,
                    value=run.value,
                )
            )

    def _fill_waiting(self, row: memoryview[float]) -> None:
        if self._waiting is not None:
            missing = self._flank - len(self._waiting.after) // SAMPLE
            self._waiting.after += row[:missing].tobytes()
            if len(self._waiting.after) == self._flank * SAMPLE:
                self._finish_waiting()

    def _finish_waiting(self) -> None:
        closed, self._waiting = self._waiting, None
        if closed is not None:
            self._zeros.extend((closed.start, closed.end))
            flanks = closed.before_dbfs, _level(closed.after)
            self._flanks.extend(math.nan if level is None else level for level in flanks)

    @property
    def zeros(self) -> Iterator[ZeroRun]:
        """The zero runs, made as they are asked for."""
        bounds, levels = iter(self._zeros), iter(self._flanks)
        for start, end, before, after in zip(bounds, bounds, levels, levels, strict=True):
            yield ZeroRun(
                start=Fraction(start, self._rate),
                end=Fraction(end, self._rate),
                channel=self._channel,
                samples=end - start,
                before_dbfs=None if math.isnan(before) else before,
                after_dbfs=None if math.isnan(after) else after,
            )

    def finish(self) -> None:
        if self._open is not None:
            self._close(self._open, self._position, b"")
            self._open = None
        self._finish_waiting()


def _level(samples: bytes) -> float | None:
    """RMS of the finite samples, dBFS."""
    rms = rms_of_finite(samples)
    return None if rms is None else dbfs(rms)


class ClippingMeter:
    """Samples at full scale and runs of three or more of them, on one channel."""

    def __init__(self, low: float, high: float) -> None:
        """``low``, ``high``: the values from which on a sample stands at full scale."""
        self._low = low
        self._high = high
        self._counted = Clipping()

    def update(self, block: Block, channel: int, peak: float) -> None:
        """Take the next samples.

        Args:
            block: zero where not finite.
            channel: which of its rows.
            peak: the greatest magnitude in it: most blocks need no second look.
        """
        if peak >= min(self._high, -self._low):
            self._count(block.address(channel), block.count)
        elif self._counted.open:
            self.finish()

    def _count(self, start: int, count: int) -> None:
        self._counted.count(start, count, self._low, self._high, CLIPPED_RUN)

    @property
    def full_scale(self) -> int:
        return self._counted.full_scale

    @property
    def clipped(self) -> int:
        return self._counted.clipped

    @property
    def runs(self) -> int:
        return self._counted.runs

    def finish(self) -> None:
        """End the run that the last samples may have left open."""
        self._count(0, 0)


class NonFiniteMeter:
    """NaN and infinity: counts over all channels, and the spans in which any channel holds one."""

    def __init__(self, sample_rate: int) -> None:
        self._rate = sample_rate
        self._position = 0
        self.nan = 0
        self.inf = 0
        self._spans: list[tuple[int, int]] = []

    def update(self, count: int, apart: Apart | None) -> None:
        """Take the next ``count`` samples, all of them finite where nothing was set apart."""
        if apart is not None:
            self.nan += apart.nan
            self.inf += apart.inf
            for first, last in apart.spans:
                start, end = first + self._position, last + self._position
                if self._spans and self._spans[-1][1] == start:
                    self._spans[-1] = (self._spans[-1][0], end)
                else:
                    self._spans.append((start, end))
        self._position += count

    def spans(self) -> tuple[Span, ...]:
        return tuple(Span(start=Fraction(s, self._rate), end=Fraction(e, self._rate)) for s, e in self._spans)
