"""Integrated loudness, loudness range and true peak, as ITU-R BS.1770-4 and EBU Tech 3342 define them.

The K-weighting filter is recursive, and numpy has no recursive filter. So a block is cut into segments of 64 samples
and the filter is written as matrices: what a segment's input gives with the filter at rest (a Toeplitz product), plus
what the filter's four state values at the segment's start still give. The states themselves follow the same scheme one
level up. That is the filter exactly, up to the rounding of float64, at the cost of two small matrix products.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mediacheck.media.blocks import Block

Matrix = NDArray[np.float64]

SEGMENT = 64
"""Samples that one matrix product filters."""
GROUP = 25
"""Segments whose states one matrix product gives."""

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


class KWeighting:
    """The filter, over blocks of any length, for several channels at once."""

    def __init__(self, channels: int, sample_rate: int) -> None:
        # Both stages in one state space, the second fed by the first. Multiplied out into one filter of order four
        # they would lose six digits: the poles of the high pass lie within 0.5 % of 1.
        (a1, b1, c1, d1), (a2, b2, c2, d2) = (_state_space(stage) for stage in k_weighting(sample_rate))
        step = np.block([[a1, np.zeros((2, 2))], [np.outer(b2, c1), a2]])
        drive = np.concatenate((b1, b2 * d1))
        read = np.concatenate((d2 * c1, c2))
        order = len(step)
        self._step, self._drive, self._read, self._direct = step, drive, read, d1 * d2

        powers = [np.eye(order)]
        for _ in range(SEGMENT):
            powers.append(step @ powers[-1])
        response = np.array([self._direct, *(float(read @ powers[n] @ drive) for n in range(SEGMENT - 1))])
        self._rested = np.zeros((SEGMENT, SEGMENT))
        for n in range(SEGMENT):
            self._rested[n, n:] = response[: SEGMENT - n]
        self._from_state = np.array([read @ powers[n] for n in range(SEGMENT)]).T
        self._to_state = np.array([powers[SEGMENT - 1 - n] @ drive for n in range(SEGMENT)])

        # The same one level up: states of a group's segments from what each segment adds.
        hop = powers[SEGMENT]
        hops = [np.eye(order)]
        for _ in range(GROUP):
            hops.append(hop @ hops[-1])
        self._hops = np.array(hops)
        self._group = np.zeros((GROUP * order, (GROUP + 1) * order))
        for i in range(GROUP):
            for j in range(i + 1, GROUP + 1):
                self._group[i * order : (i + 1) * order, j * order : (j + 1) * order] = hops[j - 1 - i].T
        self._order = order
        self._state = np.zeros((channels, order))

    def apply(self, block: Block) -> Matrix:
        """Filter the next samples: (channels, n) in, (channels, n) out."""
        channels, count = block.shape
        segments = count // SEGMENT
        whole = segments * SEGMENT
        out = np.empty_like(block)
        if segments:
            inputs = block[:, :whole].reshape(channels, segments, SEGMENT)
            states = self._advance(inputs @ self._to_state)
            out[:, :whole] = (inputs @ self._rested + states @ self._from_state).reshape(channels, whole)
        for n in range(whole, count):
            sample = block[:, n]
            out[:, n] = self._state @ self._read + self._direct * sample
            self._state = self._state @ self._step.T + sample[:, None] * self._drive
        return out

    def _advance(self, added: Matrix) -> Matrix:
        """The state at each segment's start, from what each segment adds to it; moves the filter's own state on."""
        channels, segments, order = added.shape
        groups = -(-segments // GROUP)
        padded = np.zeros((channels, groups * GROUP, order))
        padded[:, :segments] = added
        rested = (padded.reshape(channels, groups, GROUP * order) @ self._group).reshape(
            channels, groups, GROUP + 1, order
        )
        heads = np.empty((channels, groups, order))
        head = self._state
        for g in range(groups):
            heads[:, g] = head
            head = head @ self._hops[GROUP].T + rested[:, g, GROUP]
        carried = np.einsum("cgs,jts->cgjt", heads, self._hops)
        states = (rested + carried)[:, :, :GROUP].reshape(channels, groups * GROUP, order)
        if segments < groups * GROUP:
            self._state = states[:, segments].copy()
        else:
            self._state = head
        starts: Matrix = states[:, :segments]
        return starts


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
CANDIDATES_AT_ONCE = 32


class TruePeak:
    """Greatest magnitude of the signal between its samples, by four times oversampling.

    Interpolated values cannot exceed the largest nearby sample times the filter's absolute sum, so only segments near
    a sample that could still raise the maximum are interpolated: the result is the same, the cost a fraction.
    """

    def __init__(self, channels: int, sample_rate: int) -> None:
        phases = np.array([_PHASE_0, _PHASE_1, _PHASE_1[::-1], _PHASE_0[::-1]])
        if sample_rate >= 192_000:
            phases = phases[:0]
        elif sample_rate >= 96_000:
            # Twice is enough from 96 kHz on (annex 2): the phases half a sample apart.
            phases = phases[[0, 2]]
        self._bound = float(np.abs(phases).sum(axis=1).max()) if len(phases) else 0.0
        # Column n of the product is the interpolated value that the filter gives when its last input is sample n.
        self._matrix = np.zeros((SEGMENT + TAPS - 1, SEGMENT * len(phases)))
        for p, phase in enumerate(phases):
            for n in range(SEGMENT):
                self._matrix[n : n + TAPS, p * SEGMENT + n] = phase[::-1]
        self._history = np.zeros((channels, TAPS - 1))
        self.peak = 0.0

    def update(self, block: Block) -> None:
        """``block``: (channels, n), zeros where not finite."""
        self.peak = max(self.peak, float(np.abs(block).max(initial=0.0)))
        if not self._matrix.shape[1]:
            return
        signal = np.concatenate((self._history, block), axis=1)
        self._history = signal[:, -(TAPS - 1) :].copy()
        for row in signal:
            self._interpolate(row)

    def _interpolate(self, row: NDArray[np.float64]) -> None:
        count = len(row) - (TAPS - 1)
        segments = -(-count // SEGMENT)
        padded = np.zeros(segments * SEGMENT + TAPS - 1)
        padded[: len(row)] = row
        windows = np.lib.stride_tricks.sliding_window_view(padded, SEGMENT + TAPS - 1)[::SEGMENT]
        loudest = np.abs(windows).max(axis=1)
        candidates = np.flatnonzero(loudest * self._bound > self.peak)
        # The loudest first: they raise the maximum, and most of the rest need not be looked at then.
        order = candidates[np.argsort(-loudest[candidates], kind="stable")]
        for first in range(0, len(order), CANDIDATES_AT_ONCE):
            chosen = order[first : first + CANDIDATES_AT_ONCE]
            chosen = chosen[loudest[chosen] * self._bound > self.peak]
            if not len(chosen):
                break
            self.peak = max(self.peak, float(np.abs(windows[chosen] @ self._matrix).max()))

    def finish(self) -> None:
        """The filter's tail: what the last samples still give."""
        self.update(np.zeros((len(self._history), TAPS - 1)))


class LoudnessMeter:
    """Collects K-weighted energy by steps of 100 ms; the gates are applied at the end."""

    def __init__(self, names: tuple[str, ...], sample_rate: int) -> None:
        self._rate = sample_rate
        self._weights = channel_weights(names)
        self._filter = KWeighting(len(names), sample_rate)
        self._true_peak = TruePeak(len(names), sample_rate)
        self._edges = np.array([-(-k * sample_rate // STEPS_PER_SECOND) for k in range(STEPS_PER_SECOND + 1)])
        self._steps: list[float] = []
        self._counts: list[int] = []

    def update(self, block: Block) -> None:
        """``block``: (channels, one second, or less for the last), zeros where not finite."""
        self._true_peak.update(block)
        weighted = self._filter.apply(block)
        starts = np.unique(self._edges[:-1][self._edges[:-1] < block.shape[1]])
        energy = self._weights @ np.add.reduceat(weighted * weighted, starts, axis=1)
        self._steps.extend(energy.tolist())
        self._counts.extend(np.diff(np.append(starts, block.shape[1])).tolist())

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
