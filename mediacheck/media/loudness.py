"""Integrated loudness, loudness range and true peak, as ITU-R BS.1770-4 and EBU Tech 3342 define them.

The K-weighting filter is recursive, and numpy has no recursive filter. So a block is cut into segments of 32 samples
and the filter is written as matrices: what a segment's input gives with the filter at rest (a Toeplitz product), plus
what the filter's four state values at the segment's start still give. The states themselves follow from the same idea
one level up. That is the filter exactly, up to the rounding of float64, at the cost of two small matrix products.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mediacheck.media.blocks import Block

Matrix = NDArray[np.float64]

SEGMENT = 32
"""Samples that one matrix product filters."""
GROUP = 16
"""Segments whose states one matrix product gives."""
PRODUCT_LIMIT = 1 << 18
"""Multiplications from which on OpenBLAS starts threads. At these sizes they gain nothing, and cost seconds where other
processes keep the cores busy."""

STEPS_PER_SECOND = 10
"""Gating blocks of 400 ms overlap by 75 %: they start every 100 ms (BS.1770-4, annex 1)."""
GATING_STEPS = 4
SHORT_TERM_STEPS = 30
"""Loudness range looks at windows of 3 s (EBU Tech 3342)."""
OFFSET = -0.691
"""dB: what the K-weighting adds at 1 kHz (BS.1770-4, eq. 2)."""
ABSOLUTE_GATE = -70.0
RELATIVE_GATE = -10.0
RANGE_GATE = -20.0

MINIMUM_RATE = 4000
"""Hz. Below twice the shelf's 1682 Hz the K-weighting filter does not exist."""

SURROUND_WEIGHT = 1.41
SURROUND = frozenset({"BL", "BR", "BC", "SL", "SR", "TBL", "TBC", "TBR", "SDL", "SDR"})
LOW_FREQUENCY = frozenset({"LFE", "LFE2"})


def channel_weights(names: tuple[str, ...]) -> Matrix:
    """G of BS.1770-4 table 3 by FFmpeg's channel names: 1.0, 1.41 behind the listener, 0 for the LFE."""
    return np.array([0.0 if n in LOW_FREQUENCY else SURROUND_WEIGHT if n in SURROUND else 1.0 for n in names])


class Biquad(NamedTuple):
    """A second-order section, a[0] = 1."""

    b: tuple[float, float, float]
    a: tuple[float, float, float]


def k_weighting(sample_rate: int) -> tuple[Biquad, Biquad]:
    """The two stages of the K-weighting filter at ``sample_rate``: the shelf, then the high pass.

    BS.1770-4 tabulates both at 48 kHz only. The analogue prototypes behind the table (a high shelf of +4 dB at
    1682 Hz and a high pass at 38 Hz) follow from inverting the bilinear transform; redone at 48 kHz they give the
    table's values.
    """
    frequency, gain, quality = 1681.974450955533, 3.999843853973347, 0.7071752369554196
    k = math.tan(math.pi * frequency / sample_rate)
    high = 10.0 ** (gain / 20.0)
    band = high**0.4996667741545416
    a0 = 1.0 + k / quality + k * k
    shelf = Biquad(
        b=(
            (high + band * k / quality + k * k) / a0,
            2.0 * (k * k - high) / a0,
            (high - band * k / quality + k * k) / a0,
        ),
        a=(1.0, 2.0 * (k * k - 1.0) / a0, (1.0 - k / quality + k * k) / a0),
    )
    frequency, quality = 38.13547087602444, 0.5003270373238773
    k = math.tan(math.pi * frequency / sample_rate)
    a0 = 1.0 + k / quality + k * k
    high_pass = Biquad(b=(1.0, -2.0, 1.0), a=(1.0, 2.0 * (k * k - 1.0) / a0, (1.0 - k / quality + k * k) / a0))
    return shelf, high_pass


def _state_space(stage: Biquad) -> tuple[Matrix, Matrix, Matrix, float]:
    """Transposed direct form II of one stage: s' = A s + B x, y = C s + d x."""
    (b0, b1, b2), (_, a1, a2) = stage
    return (
        np.array([[-a1, 1.0], [-a2, 0.0]]),
        np.array([b1 - a1 * b0, b2 - a2 * b0]),
        np.array([1.0, 0.0]),
        b0,
    )


def _product(rows: Matrix, matrix: Matrix) -> Matrix:
    """``rows @ matrix``, so many rows at a time that OpenBLAS starts no threads."""
    step = max(1, PRODUCT_LIMIT // matrix.size)
    out = np.empty((*rows.shape[:-1], matrix.shape[1]))
    for first in range(0, rows.shape[-2], step):
        np.matmul(rows[..., first : first + step, :], matrix, out=out[..., first : first + step, :])
    return out


class Recurrence:
    """s[k + 1] = P s[k] + b[k], for all k of a block at once.

    Groups of inputs go through one matrix as if each began at rest; what the state at a group's start adds is again
    such a recurrence, over groups, with P to the power of their size.
    """

    def __init__(self, hop: Matrix, levels: int = 3) -> None:
        """``levels``: 1 goes input by input; each level above divides their number by ``GROUP``."""
        order = len(hop)
        powers = [np.eye(order)]
        for _ in range(GROUP):
            powers.append(hop @ powers[-1])
        self._hop = hop
        # What the state at a group's start still gives before each of its inputs, side by side.
        self._from_head = np.concatenate([power.T for power in powers[:GROUP]], axis=1)
        self._rested = np.zeros((GROUP * order, (GROUP + 1) * order))
        for i in range(GROUP):
            for j in range(i + 1, GROUP + 1):
                self._rested[i * order : (i + 1) * order, j * order : (j + 1) * order] = powers[j - 1 - i].T
        self._groups = Recurrence(powers[GROUP], levels - 1) if levels > 1 else None

    def states(self, start: Matrix, added: Matrix) -> Matrix:
        """States before each input and after the last.

        Args:
            start: (channels, order), the state before the first.
            added: (channels, n, order), the inputs b.

        Returns:
            (channels, n + 1, order).
        """
        channels, count, order = added.shape
        if self._groups is None:
            found = [start]
            for k in range(count):
                found.append(found[-1] @ self._hop.T + added[:, k])
            return np.stack(found, axis=1)
        groups = -(-count // GROUP)
        padded = np.zeros((channels, groups * GROUP, order))
        padded[:, :count] = added
        rested = _product(padded.reshape(channels, groups, GROUP * order), self._rested)
        rested = rested.reshape(channels, groups, GROUP + 1, order)
        heads = self._groups.states(start, rested[:, :, GROUP])
        states = rested[:, :, :GROUP]
        states += _product(heads[:, :groups], self._from_head).reshape(channels, groups, GROUP, order)
        return np.concatenate((states.reshape(channels, -1, order), heads[:, groups:]), axis=1)[:, : count + 1]


class KWeighting:
    """The filter, over blocks of any length, for several channels at once."""

    def __init__(self, channels: int, sample_rate: int) -> None:
        # Both stages in one state space, the second fed by the first. Multiplied out into one filter of order four
        # they would lose six digits: the poles of the high pass lie within 0.5 % of 1.
        (a1, b1, c1, d1), (a2, b2, c2, d2) = (_state_space(stage) for stage in k_weighting(sample_rate))
        step = np.block([[a1, np.zeros((2, 2))], [np.outer(b2, c1), a2]])
        drive = np.concatenate((b1, b2 * d1))
        read = np.concatenate((d2 * c1, c2))
        self._step, self._drive = step, drive

        powers = [np.eye(len(step))]
        for _ in range(SEGMENT):
            powers.append(step @ powers[-1])
        response = np.array([d1 * d2, *(float(read @ powers[n] @ drive) for n in range(SEGMENT - 1))])
        self._rested = np.zeros((SEGMENT, SEGMENT))
        for n in range(SEGMENT):
            self._rested[n, n:] = response[: SEGMENT - n]
        self._from_state = np.array([read @ powers[n] for n in range(SEGMENT)]).T
        self._to_state = np.array([powers[SEGMENT - 1 - n] @ drive for n in range(SEGMENT)])
        self._recurrence = Recurrence(powers[SEGMENT])
        self._state = np.zeros((channels, len(step)))

    def apply(self, block: Block) -> Matrix:
        """Filter the next samples: (channels, n) in, (channels, n) out."""
        channels, count = block.shape
        segments = -(-count // SEGMENT)
        padded = block
        if segments * SEGMENT != count:
            padded = np.zeros((channels, segments * SEGMENT))
            padded[:, :count] = block
        inputs = padded.reshape(channels, segments, SEGMENT)
        states = self._recurrence.states(self._state, _product(inputs, self._to_state))
        out = _product(inputs, self._rested)
        out += _product(states[:, :segments], self._from_state)
        self._state = states[:, count // SEGMENT].copy()
        for n in range(count - count % SEGMENT, count):
            self._state = self._state @ self._step.T + block[:, n, None] * self._drive
        filtered: Matrix = out.reshape(channels, -1)[:, :count]
        return filtered


# BS.1770-4 annex 2, table of the 48-tap interpolating filter, by phase. Phases 2 and 3 are 1 and 0 reversed.
_PHASE_0 = (
    0.0017089843750, 0.0109863281250, -0.0196533203125, 0.0332031250000, -0.0594482421875, 0.1373291015625,
    0.9721679687500, -0.1022949218750, 0.0476074218750, -0.0266113281250, 0.0148925781250, -0.0083007812500,
)  # fmt: skip
_PHASE_1 = (
    -0.0291748046875, 0.0292968750000, -0.0517578125000, 0.0891113281250, -0.1665039062500, 0.4650878906250,
    0.7797851562500, -0.2003173828125, 0.1015625000000, -0.0582275390625, 0.0330810546875, -0.0189208984375,
)  # fmt: skip
TAPS = len(_PHASE_0)
SPAN = 24
"""Samples that are interpolated together."""
SPANS_PER_CHUNK = 20
"""Spans that are left out together where none of their samples is loud enough."""
SPANS_AT_ONCE = 85


class TruePeak:
    """Greatest magnitude of the signal between its samples, by four times oversampling.

    An interpolated value is the nearest sample plus weighted differences to its neighbours: it cannot exceed
    ``gain`` times the largest sample nearby plus ``slope`` times the largest step between two. Only segments that could
    still raise the maximum by that bound are interpolated: the result is the same, the cost a fraction.
    """

    def __init__(self, channels: int, sample_rate: int) -> None:
        phases = np.array([_PHASE_0, _PHASE_1, _PHASE_1[::-1], _PHASE_0[::-1]])
        if sample_rate >= 192_000:
            phases = phases[:0]
        elif sample_rate >= 96_000:
            # Twice is enough from 96 kHz on (annex 2): the phases half a sample apart.
            phases = phases[[0, 2]]
        self._bound = float(np.abs(phases).sum(axis=1).max(initial=0.0))
        self._gain = float(np.abs(phases.sum(axis=1)).max(initial=0.0))
        distances = np.abs(np.arange(TAPS)[None, :] - np.abs(phases).argmax(axis=1)[:, None])
        self._slope = float((np.abs(phases) * distances).sum(axis=1).max(initial=0.0))
        # Column n of the product is the interpolated value that the filter gives when its last input is sample n.
        self._matrix = np.zeros((SPAN + TAPS - 1, SPAN * len(phases)))
        for p, phase in enumerate(phases):
            for n in range(SPAN):
                self._matrix[n : n + TAPS, p * SPAN + n] = phase[::-1]
        self._history = np.zeros((channels, TAPS - 1))
        self.peak = 0.0

    def update(self, block: Block, peaks: Sequence[float]) -> None:
        """``block``: (channels, n), zeros where not finite; ``peaks``: the greatest magnitude in each channel of it."""
        self.peak = max(self.peak, *peaks)
        if not self._matrix.shape[1]:
            return
        for history, row, peak in zip(self._history, block, peaks, strict=True):
            nearby = max(peak, float(np.abs(history).max()))
            if nearby * self._bound > self.peak:
                self._search(history, row, nearby)
        self._history = np.concatenate((self._history, block[:, -(TAPS - 1) :]), axis=1)[:, -(TAPS - 1) :]

    def _limit(self, largest: Any, step: Any) -> Any:
        """What no interpolated value can exceed, by the largest sample and the largest step around it; also arrays."""
        return np.minimum(self._bound * largest, self._gain * largest + self._slope * step)

    def _search(self, history: NDArray[np.float64], row: NDArray[np.float64], nearby: float) -> None:
        """Raise the maximum by what lies between the samples of ``row``; ``nearby`` is the largest of them."""
        chunks = -(-len(row) // (SPAN * SPANS_PER_CHUNK))
        padded = np.zeros(TAPS - 1 + chunks * SPANS_PER_CHUNK * SPAN)
        padded[: TAPS - 1] = history
        padded[TAPS - 1 : TAPS - 1 + len(row)] = row
        steps = np.empty_like(padded)
        steps[0] = 0.0
        np.subtract(padded[1:], padded[:-1], out=steps[1:])
        if self._limit(nearby, max(steps.max(), -steps.min())) <= self.peak:
            return
        near = np.flatnonzero(self._limit(_loudest(padded, chunks), _loudest(steps, chunks)) > self.peak)
        if not len(near):
            return
        windows = np.lib.stride_tricks.sliding_window_view(padded, SPAN + TAPS - 1)[::SPAN]
        spans = windows[(near[:, None] * SPANS_PER_CHUNK + np.arange(SPANS_PER_CHUNK)).ravel()]
        largest = np.abs(spans).max(axis=1, initial=0.0)
        limit = self._limit(largest, np.abs(np.diff(spans, axis=1)).max(axis=1, initial=0.0))
        # The most promising first: they raise the maximum, and most of the rest need not be looked at then.
        order = np.argsort(-limit, kind="stable")
        for first in range(0, len(order), SPANS_AT_ONCE):
            chosen = order[first : first + SPANS_AT_ONCE]
            chosen = chosen[limit[chosen] > self.peak]
            if not len(chosen):
                break
            self.peak = max(self.peak, float(np.abs(_product(spans[chosen], self._matrix)).max()))

    def finish(self) -> None:
        """The filter's tail: what the last samples still give."""
        self.update(np.zeros((len(self._history), TAPS - 1)), [0.0] * len(self._history))


def _loudest(padded: NDArray[np.float64], chunks: int) -> NDArray[np.float64]:
    """Greatest magnitude in each chunk and in the samples before it that it hangs on."""
    own = padded[TAPS - 1 :].reshape(chunks, -1)
    loudest = np.maximum(own.max(axis=1), -own.min(axis=1))
    before = np.concatenate(([np.abs(padded[: TAPS - 1]).max()], loudest[:-1]))
    greatest: NDArray[np.float64] = np.maximum(loudest, before)
    return greatest


class LoudnessMeter:
    """Collects K-weighted energy by steps of 100 ms; the gates are applied at the end."""

    def __init__(self, names: tuple[str, ...], sample_rate: int) -> None:
        self._rate = sample_rate
        self._weights = channel_weights(names)
        self._filter = KWeighting(len(names), sample_rate)
        self._true_peak = TruePeak(len(names), sample_rate)
        self._edges = np.array([-(-k * sample_rate // STEPS_PER_SECOND) for k in range(STEPS_PER_SECOND)])
        self._steps: list[float] = []
        self._counts: list[int] = []

    def update(self, block: Block, peaks: Sequence[float]) -> None:
        """``block``: (channels, one second, or less for the last), zeros where not finite; ``peaks``: per channel."""
        self._true_peak.update(block, peaks)
        weighted = self._filter.apply(block)
        count = block.shape[1]
        if count == self._rate and count % STEPS_PER_SECOND == 0:
            steps = weighted.reshape(len(weighted), STEPS_PER_SECOND, -1)
            energy = self._weights @ np.einsum("csk,csk->cs", steps, steps)
            self._counts.extend([count // STEPS_PER_SECOND] * STEPS_PER_SECOND)
        else:
            starts = self._edges[self._edges < count]
            energy = self._weights @ np.add.reduceat(weighted * weighted, starts, axis=1)
            self._counts.extend(np.diff(np.append(starts, count)).tolist())
        self._steps.extend(energy.tolist())

    def finish(self) -> None:
        self._true_peak.finish()

    @property
    def true_peak(self) -> float:
        """Linear, full scale 1.0."""
        return self._true_peak.peak

    def _loudness(self, steps: int) -> Matrix:
        """LUFS of every window of ``steps`` whole steps; the part of a step at the end is left out, as gating asks."""
        whole = len(self._counts)
        if whole and self._counts[-1] * STEPS_PER_SECOND < self._rate - STEPS_PER_SECOND:
            whole -= 1
        if whole < steps:
            return np.empty(0)
        energy = np.concatenate(([0.0], np.cumsum(self._steps[:whole])))
        counts = np.concatenate(([0], np.cumsum(self._counts[:whole])))
        power = (energy[steps:] - energy[:-steps]) / (counts[steps:] - counts[:-steps])
        with np.errstate(divide="ignore"):
            loudness: Matrix = OFFSET + 10.0 * np.log10(np.maximum(power, 0.0))
        return loudness[loudness < math.inf]

    def integrated(self) -> float | None:
        """Integrated loudness, LUFS; None below 400 ms and where every block lies below the absolute gate."""
        loudness = self._loudness(GATING_STEPS)
        loudness = loudness[loudness > ABSOLUTE_GATE]
        if not len(loudness):
            return None
        gate = _mean_loudness(loudness) + RELATIVE_GATE
        return _rounded(_mean_loudness(loudness[loudness > gate]))

    def range(self) -> float | None:
        """Loudness range, LU; None below 3 s and where every window lies below the absolute gate."""
        loudness = self._loudness(SHORT_TERM_STEPS)
        loudness = loudness[loudness > ABSOLUTE_GATE]
        if not len(loudness):
            return None
        loudness = np.sort(loudness[loudness > _mean_loudness(loudness) + RANGE_GATE])
        # Tech 3342 takes the nearest rank of the 10th and the 95th percentile.
        low, high = (loudness[int((len(loudness) - 1) * share + 0.5)] for share in (0.10, 0.95))
        return _rounded(float(high - low))


def _mean_loudness(loudness: Matrix) -> float:
    """Loudness of the mean energy."""
    return float(10.0 * np.log10(np.mean(10.0 ** (loudness / 10.0))))


def _rounded(value: float) -> float | None:
    return round(value, 3) + 0.0 if math.isfinite(value) else None
