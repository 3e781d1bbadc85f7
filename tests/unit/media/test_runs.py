"""Runs against a plain loop over the samples, cut into blocks anywhere."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import groupby, pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacheck.media.kernel import BlockKernel
from mediacheck.media.runs import ChannelRuns, ClippingMeter, NonFiniteMeter, least_run
from tests.unit.media.blocks import apart_of, block_of, measured_of

RATE = 1000  # 5 samples make a zero run, 20 a constant run, 2 lie on either side

VALUES = st.sampled_from([0.0, 0.0, 0.0, 0.5, 0.5, -1.0, 1.0, 0.25, math.nan])
SIGNALS = st.lists(st.tuples(VALUES, st.integers(1, 30)), min_size=1, max_size=12).map(
    lambda runs: np.array([value for value, count in runs for _ in range(count)])
)


def blocks(x: np.ndarray, cuts: list[int]) -> list[np.ndarray]:
    edges = sorted({0, len(x), *(c % (len(x) + 1) for c in cuts)})
    return [x[a:b] for a, b in pairwise(edges)]


def runs_of(x: np.ndarray) -> list[tuple[float, int, int]]:
    found, start = [], 0
    for value, group in groupby(x, key=lambda v: "nan" if math.isnan(v) else float(v)):
        end = start + len(list(group))
        if value != "nan":
            found.append((float(value), start, end))
        start = end
    return found


def equal_runs(block: np.ndarray) -> list[tuple[int, int]]:
    return measured_of(BlockKernel(1, len(block), least_run(RATE), None), block[None]).runs[0]


def level(x: np.ndarray) -> float | None:
    x = x[np.isfinite(x)]
    power = float(np.mean(x * x)) if len(x) else 0.0
    return round(10 * math.log10(power), 3) if power else None


@settings(max_examples=200)
@given(SIGNALS, st.lists(st.integers(0, 400), max_size=5))
def test_zero_and_constant_runs(x: np.ndarray, cuts: list[int]) -> None:
    meter = ChannelRuns(3, RATE)
    for block in blocks(x, cuts):
        meter.update(block_of(block[None]).row(0), equal_runs(block))
    meter.finish()
    zeros = [(s, e) for v, s, e in runs_of(x) if v == 0 and e - s >= 5]
    assert [(z.start * RATE, z.end * RATE) for z in meter.zeros] == zeros
    assert [(z.before_dbfs, z.after_dbfs) for z in meter.zeros] == [
        (level(x[max(0, s - 2) : s]), level(x[e : e + 2])) for s, e in zeros
    ]
    assert all(z.channel == 3 and z.samples == (z.end - z.start) * RATE for z in meter.zeros)
    constants = [(v, s, e) for v, s, e in runs_of(x) if v != 0 and e - s >= 20]
    assert [(c.value, c.start * RATE, c.end * RATE) for c in meter.constants] == constants


@settings(max_examples=200)
@given(SIGNALS, st.lists(st.integers(0, 400), max_size=5))
def test_clipping(x: np.ndarray, cuts: list[int]) -> None:
    x = np.nan_to_num(x)
    meter = ClippingMeter(-32767 / 32768, 32767 / 32768)
    for block in blocks(x, cuts):
        meter.update(block_of(block[None], room=400), 0, float(np.abs(block).max()))
    meter.finish()
    lengths = [len(list(group)) for full, group in groupby(np.abs(x) >= 32767 / 32768) if full]
    assert meter.full_scale == sum(lengths)
    assert meter.clipped == sum(n for n in lengths if n >= 3)
    assert meter.runs == sum(1 for n in lengths if n >= 3)


def test_full_scale_of_8_bits_is_its_outermost_codes() -> None:
    meter = ClippingMeter(-1.0, 127 / 128)
    x = [127 / 128] * 3 + [0.0] + [-1.0] * 3 + [126 / 128] * 5 + [-127 / 128] * 5
    meter.update(block_of(np.array([x])), 0, 1.0)
    meter.finish()
    assert (meter.full_scale, meter.clipped, meter.runs) == (6, 6, 2)


def test_non_finite_spans_join_across_blocks_and_channels() -> None:
    meter = NonFiniteMeter(RATE)
    first = np.array([[0, 1, np.nan, np.inf], [0, 0, 0, np.nan]])
    second = np.array([[np.nan, 0, 0, 0], [0, 0, -np.inf, 0]])
    for block in (first, second):
        meter.update(4, apart_of(block)[1])
    meter.update(4, None)
    assert (meter.nan, meter.inf) == (3, 2)
    assert [(s.start, s.end) for s in meter.spans()] == [
        (Fraction(2, RATE), Fraction(5, RATE)),
        (Fraction(6, RATE), Fraction(7, RATE)),
    ]
