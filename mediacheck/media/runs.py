"""Runs along a channel: exact zeros, stuck values, samples at full scale, samples that are not finite."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mediacheck.facts import ConstantRun, Span, ZeroRun
from mediacheck.media.blocks import Block
from mediacheck.media.levels import dbfs

ZERO_RUNS_PER_SECOND = 200
"""A zero run lasts at least 1/200 s = 5 ms."""
CONSTANT_RUNS_PER_SECOND = 50
"""A constant run lasts at least 1/50 s = 20 ms."""
FLANK_SECONDS = Fraction(2, 1000)
"""The stretch on either side of a zero run whose level is kept."""
CLIPPED_RUN = 3
"""Samples in a row at full scale that count as clipping: one or two may be a true peak."""

Row = NDArray[np.float64]


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
    after: Row


class ChannelRuns:
    """Zero runs and constant runs of one channel, across blocks."""

    def __init__(self, channel: int, sample_rate: int) -> None:
        self._channel = channel
        self._rate = sample_rate
        self._flank = max(1, -(-sample_rate * FLANK_SECONDS.numerator // FLANK_SECONDS.denominator))
        self._history: Row = np.empty(0)
        self._position = 0
        self._open: _Open | None = None
        self._waiting: _Closed | None = None
        self.zeros: list[ZeroRun] = []
        self.constants: list[ConstantRun] = []

    def update(self, row: Row, runs: list[tuple[int, int]]) -> None:
        """Take the next block.

        Args:
            row: its samples, NaN where not finite (NaN equals nothing, so it ends a run).
            runs: (start, end) of its first and last run of equal samples and of all that are long enough, in order.
        """
        self._fill_waiting(row)
        # Those that touch an edge of the block may go on beyond it, however short they are here.
        for start, end in runs:
            self._take(row, start, end)
        self._position += len(row)
        # A copy in either case: the block's memory is filled again.
        self._history = np.concatenate((self._history, row[-self._flank :]))[-self._flank :]

    def _take(self, row: Row, start: int, end: int) -> None:
        value = float(row[start])
        if start == 0 and self._open is not None:
            opened = self._open
            self._open = None
            if opened.value == value:
                if end == len(row):
                    self._open = opened
                else:
                    self._close(opened, self._position + end, row[end : end + self._flank])
                return
            self._close(opened, self._position, row[: self._flank])
        if math.isnan(value):
            return
        run = _Open(value, self._position + start, self._level_before(row, start) if value == 0.0 else None)
        if end == len(row):
            self._open = run
        else:
            self._close(run, self._position + end, row[end : end + self._flank])

    def _level_before(self, row: Row, start: int) -> float | None:
        if start >= self._flank:
            return _level(row[start - self._flank : start])
        return _level(np.concatenate((self._history, row[:start]))[-self._flank :])

    def _close(self, run: _Open, end: int, after: Row) -> None:
        samples = end - run.start
        if run.value == 0.0:
            if samples * ZERO_RUNS_PER_SECOND >= self._rate:
                self._finish_waiting()
                self._waiting = _Closed(run.start, end, run.before_dbfs, after.copy())
                if len(after) == self._flank:
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

    def _fill_waiting(self, row: Row) -> None:
        if self._waiting is not None:
            missing = self._flank - len(self._waiting.after)
            self._waiting.after = np.concatenate((self._waiting.after, row[:missing]))
            if len(self._waiting.after) == self._flank:
                self._finish_waiting()

    def _finish_waiting(self) -> None:
        closed, self._waiting = self._waiting, None
        if closed is not None:
            self.zeros.append(
                ZeroRun(
                    start=Fraction(closed.start, self._rate),
                    end=Fraction(closed.end, self._rate),
                    channel=self._channel,
                    samples=closed.end - closed.start,
                    before_dbfs=closed.before_dbfs,
                    after_dbfs=_level(closed.after),
                )
            )

    def finish(self) -> None:
        if self._open is not None:
            self._close(self._open, self._position, np.empty(0))
            self._open = None
        self._finish_waiting()


def _level(samples: Row) -> float | None:
    """RMS of the finite samples, dBFS."""
    finite = samples[np.isfinite(samples)]
    if not len(finite):
        return None
    return dbfs(float(np.sqrt(np.mean(finite * finite))))


class ClippingMeter:
    """Samples at full scale and runs of three or more of them, on one channel."""

    def __init__(self, low: float, high: float) -> None:
        """``low``, ``high``: the values from which on a sample stands at full scale."""
        self._low = low
        self._high = high
        self._carried = 0
        self.full_scale = 0
        self.clipped = 0
        self.runs = 0

    def update(self, row: Row, peak: float) -> None:
        """``row``: the next samples, zero where not finite; ``peak``: the greatest magnitude among them."""
        if peak < min(self._high, -self._low):
            self._end_run()
            return
        mask = (row >= self._high) | (row <= self._low)
        if not mask.any():
            self._end_run()
            return
        edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).view(np.int8)))
        starts, ends = edges[::2], edges[1::2]
        lengths = ends - starts
        self.full_scale += int(lengths.sum())
        if starts[0] == 0:
            lengths[0] += self._carried
            self._carried = 0
        else:
            self._end_run()
        if ends[-1] == len(row):
            self._carried = int(lengths[-1])
            lengths = lengths[:-1]
        long_enough = lengths[lengths >= CLIPPED_RUN]
        self.clipped += int(long_enough.sum())
        self.runs += len(long_enough)

    def _end_run(self) -> None:
        if self._carried >= CLIPPED_RUN:
            self.clipped += self._carried
            self.runs += 1
        self._carried = 0

    def finish(self) -> None:
        self._end_run()


class NonFiniteMeter:
    """NaN and infinity: counts over all channels, and the spans in which any channel holds one."""

    def __init__(self, sample_rate: int) -> None:
        self._rate = sample_rate
        self._position = 0
        self.nan = 0
        self.inf = 0
        self._spans: list[tuple[int, int]] = []

    def skip(self, count: int) -> None:
        """``count`` samples that are all finite."""
        self._position += count

    def update(self, block: Block, finite: NDArray[np.bool_]) -> None:
        bad = ~finite
        nan = int(np.isnan(block).sum())
        self.nan += nan
        self.inf += int(bad.sum()) - nan
        anywhere = bad.any(axis=0)
        edges = np.flatnonzero(np.diff(np.concatenate(([False], anywhere, [False])).view(np.int8))) + self._position
        for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            if self._spans and self._spans[-1][1] == start:
                self._spans[-1] = (self._spans[-1][0], end)
            else:
                self._spans.append((start, end))
        self._position += block.shape[1]

    def spans(self) -> tuple[Span, ...]:
        return tuple(Span(start=Fraction(s, self._rate), end=Fraction(e, self._rate)) for s, e in self._spans)
