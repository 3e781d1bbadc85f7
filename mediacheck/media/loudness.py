"""Integrated loudness, loudness range and true peak, as ITU-R BS.1770-4 and EBU Tech 3342 define them."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from mediacheck.media.kernel import Filters

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

FADES_PER_SECOND = 5
"""The slowest part of the K-weighting, the high pass of 38 Hz, falls by exp(-2π 38 t), below 1e-18 in 200 ms."""
MINIMUM_RATE = 4000
"""Hz. Below twice the shelf's 1682 Hz the K-weighting filter does not exist."""

SURROUND_WEIGHT = 1.41
SURROUND = frozenset({"BL", "BR", "BC", "SL", "SR", "TBL", "TBC", "TBR", "SDL", "SDR"})
LOW_FREQUENCY = frozenset({"LFE", "LFE2"})


def channel_weights(names: tuple[str, ...]) -> list[float]:
    """G of BS.1770-4 table 3 by FFmpeg's channel names: 1.0, 1.41 behind the listener, 0 for the LFE."""
    return [0.0 if n in LOW_FREQUENCY else SURROUND_WEIGHT if n in SURROUND else 1.0 for n in names]


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


def _coefficients(stage: Biquad) -> tuple[float, float, float, float, float]:
    """What the kernel's recursion multiplies with."""
    (b0, b1, b2), (_, a1, a2) = stage
    return b0, b1 - a1 * b0, b2 - a2 * b0, a1, a2


# BS.1770-4 annex 2, table of the 48-tap interpolating filter, by phase. Phases 2 and 3 are 1 and 0 reversed.
_PHASE_0 = (
    0.0017089843750, 0.0109863281250, -0.0196533203125, 0.0332031250000, -0.0594482421875, 0.1373291015625,
    0.9721679687500, -0.1022949218750, 0.0476074218750, -0.0266113281250, 0.0148925781250, -0.0083007812500,
)  # fmt: skip
_PHASE_1 = (
    -0.0291748046875, 0.0292968750000, -0.0517578125000, 0.0891113281250, -0.1665039062500, 0.4650878906250,
    0.7797851562500, -0.2003173828125, 0.1015625000000, -0.0582275390625, 0.0330810546875, -0.0189208984375,
)  # fmt: skip


@lru_cache(maxsize=8)
def filters(sample_rate: int) -> Filters | None:
    """What the kernel measures loudness and true peak with; None where the rate is too low for either.

    True peak is the greatest magnitude of the signal between its samples, by four times oversampling. An interpolated
    value lies on the straight line between the two samples beside it but for weighted second differences of those
    nearby: it cannot exceed ``line`` times the largest sample plus ``curve`` times the largest second difference. Only
    spans that could still raise the maximum by that bound are interpolated: the result is the same, for a fraction of
    the cost.
    """
    if sample_rate < MINIMUM_RATE:
        return None
    phases: tuple[tuple[float, ...], ...] = (_PHASE_0, _PHASE_1, _PHASE_1[::-1], _PHASE_0[::-1])
    if sample_rate >= 192_000:
        phases = ()
    elif sample_rate >= 96_000:
        # Twice is enough from 96 kHz on (annex 2): the phases half a sample apart.
        phases = phases[::2]
    line, curve = zip(*map(_line_and_curve, phases), strict=True) if phases else ((0.0,), (0.0,))
    return Filters(
        # Two sections, one behind the other. Multiplied out into one filter of order four they would lose six digits:
        # the poles of the high pass lie within 0.5 % of 1.
        sections=tuple(_coefficients(stage) for stage in k_weighting(sample_rate)),
        fade=-(-sample_rate // FADES_PER_SECOND),
        phases=phases,
        bounds=(max((math.fsum(map(abs, phase)) for phase in phases), default=0.0), max(line), max(curve)),
    )


def _line_and_curve(phase: tuple[float, ...]) -> tuple[float, float]:
    """What an interpolated value is at most: so many times the largest sample, and the largest second difference.

    The taps are split into a line through the two in the middle, of the same sum and the same first moment, and a rest
    in which both are zero: added up twice, that gives a weight for each second difference.
    """
    before = len(phase) // 2 - 1
    total, moment = math.fsum(phase), math.fsum(tap * (place - before) for place, tap in enumerate(phase))
    line = (total - moment, moment)
    rest = [*phase[:before], phase[before] - line[0], phase[before + 1] - line[1], *phase[before + 2 :]]
    weights = accumulate(accumulate(rest))
    return math.fsum(map(abs, line)), math.fsum(map(abs, weights))


@lru_cache(maxsize=8)
def step_edges(sample_rate: int, seconds: int) -> array[int]:
    """Where the steps of so many seconds begin, and where the last ends: one array, to be read only."""
    return array("q", [-(-k * sample_rate // STEPS_PER_SECOND) for k in range(seconds * STEPS_PER_SECOND + 1)])


class LoudnessMeter:
    """Collects K-weighted energy by steps of 100 ms; the gates are applied at the end."""

    def __init__(self, names: tuple[str, ...], sample_rate: int) -> None:
        self._rate = sample_rate
        self._weights = channel_weights(names)
        self._steps = array("d")
        self._samples = 0

    def update(self, energy: Sequence[Sequence[float]], count: int) -> None:
        """Take a block, which begins where a step does.

        Args:
            energy: of each channel the K-weighted sums of squares, a step each.
            count: samples per channel.
        """
        weighted = ([weight * step for step in steps] for weight, steps in zip(self._weights, energy, strict=True))
        self._steps.extend(map(sum, zip(*weighted, strict=True)))
        self._samples += count

    def _loudness(self, steps: int) -> array[float]:
        """LUFS of every window of ``steps`` whole steps; the part of a step at the end is left out, as gating asks.

        Windows without any energy, and those whose energy overflowed, have none.
        """
        places = array("q", [-(-k * self._rate // STEPS_PER_SECOND) for k in range(len(self._steps))])
        places.append(self._samples)
        if self._steps and (places[-1] - places[-2]) * STEPS_PER_SECOND < self._rate - STEPS_PER_SECOND:
            places.pop()
        energy = array("d", accumulate(self._steps[: len(places) - 1], initial=0.0))
        sums = zip(energy, energy[steps:], places, places[steps:], strict=False)
        powers = ((after - before) / (end - start) for before, after, start, end in sums)
        return array("d", (OFFSET + 10.0 * math.log10(power) for power in powers if 0.0 < power < math.inf))

    def integrated(self) -> float | None:
        """Integrated loudness, LUFS; None below 400 ms and where every block lies below the absolute gate."""
        loudness = _above(ABSOLUTE_GATE, self._loudness(GATING_STEPS))
        gate = _mean_loudness(loudness) + RELATIVE_GATE
        return _rounded(_mean_loudness(_above(gate, loudness)))

    def range(self) -> float | None:
        """Loudness range, LU; None below 3 s and where every window lies below the absolute gate."""
        loudness = _above(ABSOLUTE_GATE, self._loudness(SHORT_TERM_STEPS))
        ranked = sorted(_above(_mean_loudness(loudness) + RANGE_GATE, loudness))
        if not ranked:
            return None
        # Tech 3342 takes the nearest rank of the 10th and the 95th percentile.
        low, high = (ranked[int((len(ranked) - 1) * share + 0.5)] for share in (0.10, 0.95))
        return _rounded(high - low)


def _above(gate: float, loudness: Sequence[float]) -> array[float]:
    return array("d", filter(gate.__lt__, loudness))


def _mean_loudness(loudness: Sequence[float]) -> float:
    """Loudness of the mean energy; NaN of nothing."""
    if not loudness:
        return math.nan
    return 10.0 * math.log10(sum(10.0 ** (level / 10.0) for level in loudness) / len(loudness))


def _rounded(value: float) -> float | None:
    return round(value, 3) + 0.0 if math.isfinite(value) else None
