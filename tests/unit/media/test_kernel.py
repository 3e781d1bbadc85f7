"""The compiled kernel against the same arithmetic written out in Python, and what happens where it does not fit."""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
from array import array
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hatch_build
from mediacheck.media import kernel
from mediacheck.media.kernel import TAPS, BlockKernel, Measured, Pixels, Stored, set_apart
from mediacheck.media.loudness import filters, k_weighting
from tests.unit.media.blocks import apart_of, block_of, edges, measured_of

ROOT = Path(__file__).parents[3]


def measure(samples: np.ndarray, *, least: int = 4, windows: list[int] | None = None) -> Measured:
    return measured_of(BlockKernel(len(samples), samples.shape[1], least, None), samples, windows)


def runs_of(row: np.ndarray, least: int) -> list[tuple[int, int]]:
    """Every run, NaN by NaN; those at the edges, and those that are long enough."""
    found, start = [], 0
    for _, group in groupby(enumerate(row.tolist()), key=lambda p: f"nan {p[0]}" if math.isnan(p[1]) else p[1]):
        end = start + len(list(group))
        if start == 0 or end == len(row) or end - start >= least:
            found.append((start, end))
        start = end
    return found


def recursion(x: np.ndarray, rate: int) -> np.ndarray:
    for (b0, b1, b2), (_, a1, a2) in k_weighting(rate):
        s1 = s2 = 0.0
        out = []
        for v in x:
            y = s1 + b0 * v
            s1, s2 = s2 + b1 * v - a1 * y, b2 * v - a2 * y
            out.append(y)
        x = np.array(out)
    return x


# Small whole numbers: equal neighbours, and values that look alike to a coarse look.
VALUES = st.sampled_from([0.0, 0.0, 0.5, -0.5, 0.25, math.nan])


@settings(max_examples=300)
@given(st.lists(st.tuples(VALUES, st.integers(1, 9)), min_size=1, max_size=30), st.integers(1, 8))
def test_equal_runs(pieces: list[tuple[float, int]], least: int) -> None:
    row = np.repeat([value for value, _ in pieces], [length for _, length in pieces])
    assert measure(row[None], least=least).runs == [runs_of(row, least)]


def test_there_is_room_for_the_most_runs() -> None:
    # The shortest that count, side by side.
    row = np.repeat(np.arange(50) % 2, 4).astype(float)
    assert measure(row[None], least=4).runs == [[(k, k + 4) for k in range(0, 200, 4)]]


@settings(max_examples=100)
@given(st.integers(1, 3), st.integers(1, 70), st.integers(0, 2**32), st.lists(st.integers(0, 70), max_size=6))
def test_levels(channels: int, count: int, seed: int, cuts: list[int]) -> None:
    samples = np.random.default_rng(seed).uniform(-1, 1, (channels, count))
    windows = [0, *sorted(min(cut, count) for cut in cuts), count]
    measured = measure(samples, windows=windows)
    with np.errstate(invalid="ignore"):
        expected = [[np.sqrt(np.divide(np.sum(row[a:b] ** 2), b - a)) for a, b in pairwise(windows)] for row in samples]
    np.testing.assert_allclose(measured.rms, expected, rtol=1e-7)
    np.testing.assert_allclose(measured.squares, [math.fsum(row**2) for row in samples], rtol=1e-13)
    np.testing.assert_allclose(measured.sums, [math.fsum(row) for row in samples], rtol=1e-12, atol=1e-14)
    assert measured.peaks == np.abs(samples).max(axis=1).tolist()


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", [0, 3, 101])
def test_what_is_not_finite_is_never_measured_unasked(bad: float, place: int) -> None:
    samples = np.full((2, 102), 0.25)
    samples[1, place] = bad
    block, whole = block_of(samples), edges(0, 102)
    meter = BlockKernel(2, 102, 5, filters(48000))
    assert meter.measure(block, whole, whole) is None
    assert meter.true_peak == 0.0
    measured = meter.measure(block, whole, whole, set_apart(block, whole))
    assert measured is not None
    assert measured.peaks == [0.25, 0.25]
    assert measured.rms == [pytest.approx([0.25]), pytest.approx([0.25])]
    assert np.isfinite(measured.energy).all()


def test_what_overflows_is_measured_if_it_is_finite() -> None:
    samples = np.full((1, 8), 1e308)
    block, whole = block_of(samples), edges(0, 8)
    meter = BlockKernel(1, 8, 5, None)
    assert meter.measure(block, whole, whole) is None
    assert set_apart(block, whole) is None
    measured = meter.measure(block, whole, whole, sure=True)
    assert measured is not None
    assert measured.peaks == [1e308]
    assert measured.squares == [math.inf]


@settings(max_examples=200)
@given(st.integers(1, 3), st.integers(1, 40), st.data())
def test_set_apart(channels: int, count: int, data: st.DataObject) -> None:
    values = st.sampled_from([0.0, 0.5, -1.0, math.nan, math.inf, -math.inf])
    rows = st.lists(values, min_size=count, max_size=count)
    samples = np.array(data.draw(st.lists(rows, min_size=channels, max_size=channels)))
    finite = np.isfinite(samples)
    block, apart = apart_of(samples)
    assert (apart is None) == bool(finite.all())
    if apart is None:
        return
    spans = [span for span in runs_of((~finite).any(axis=0).astype(float), 1) if not finite[:, span[0]].all()]
    assert apart.spans == spans
    assert (apart.nan, apart.inf) == (np.isnan(samples).sum(), np.isinf(samples).sum())
    assert apart.finite == finite.sum(axis=1).tolist() == list(apart.windows)
    for channel in range(channels):
        np.testing.assert_array_equal(apart.clean.row(channel), np.where(finite, samples, 0.0)[channel])
        # One and the same NaN: a digest sees its bits.
        expected = np.where(finite, samples, np.nan)[channel]
        assert block.row(channel).tobytes() == expected.tobytes()


TYPES = {
    Stored.U8: "u1", Stored.S8: "i1", Stored.S16: "i2", Stored.S32: "i4", Stored.S64: "i8",
    Stored.FLT: "f4", Stored.DBL: "f8",
}  # fmt: skip


@settings(max_examples=300)
@given(
    st.sampled_from(sorted(TYPES)), st.booleans(), st.integers(0, 40), st.integers(1, 4), st.integers(0, 3), st.data()
)
def test_stored_values(stored: Stored, big: bool, count: int, channels: int, before: int, data: st.DataObject) -> None:
    """Anywhere in memory, at any distance, in both byte orders: as numpy reads them."""
    kind = np.dtype((">" if big else "<") + TYPES[stored])
    size = kind.itemsize * channels * count
    memory = np.frombuffer(bytes(before) + data.draw(st.binary(min_size=size, max_size=size)), np.uint8).copy()
    values = np.frombuffer(memory.tobytes(), kind, count * channels, before).reshape(count, channels)
    zero, divisor = (128.0, 128.0) if stored == Stored.U8 else (0.0, 2.0 ** (8 * kind.itemsize - 1))
    if kind.kind == "f":
        divisor = 1.0
    for channel in range(channels):
        found = np.empty(count)
        start = memory.ctypes.data + before + channel * kind.itemsize
        kernel.read_samples(start, stored, big, kind.itemsize * channels, count, zero, 1 / divisor, found.ctypes.data)
        with np.errstate(invalid="ignore"):
            expected = (values[:, channel].astype(np.float64) - zero) / divisor + 0.0
        np.testing.assert_array_equal(found, expected)
        assert not np.signbit(found[found == 0]).any()


@settings(max_examples=100)
@given(st.binary(max_size=60), st.booleans(), st.integers(3, 9))
def test_24_bits(values: bytes, big: bool, step: int) -> None:
    count = max(0, (len(values) - 3) // step + 1) if len(values) >= 3 else 0
    memory, found = np.frombuffer(values + b"\0", np.uint8).copy(), np.empty(count)
    kernel.read_samples(memory.ctypes.data, Stored.S24, big, step, count, 0.0, 2.0**-23, found.ctypes.data)
    order = "big" if big else "little"
    whole = [int.from_bytes(values[k * step : k * step + 3], order, signed=True) for k in range(count)]
    assert found.tolist() == [value / 2**23 for value in whole]


@settings(max_examples=200)
@given(st.lists(st.floats(0, 1, width=32) | st.just(math.nan), max_size=50), st.integers(1, 12))
def test_loudest_of_and_greatest_of(values: list[float], width: int) -> None:
    levels = array("f", values)
    powers = [0.0 if math.isnan(level) else level * level for level in levels]
    width_ = min(width, len(powers))
    means = [math.fsum(powers[k : k + width_]) / width_ for k in range(len(powers) - width_ + 1) if width_]
    assert kernel.loudest_of(levels, width) == pytest.approx(max(means, default=0.0), rel=1e-12, abs=1e-16)
    assert kernel.greatest_of(levels) == max((level for level in levels if level == level), default=0.0)


@given(st.lists(st.floats(-1, 1) | st.sampled_from([math.nan, math.inf]), max_size=30))
def test_rms_of_finite(values: list[float]) -> None:
    finite = [value for value in values if math.isfinite(value)]
    found = kernel.rms_of_finite(array("d", values).tobytes())
    if not finite:
        assert found is None
        return
    assert found == pytest.approx(math.sqrt(math.fsum(value * value for value in finite) / len(finite)), rel=1e-12)


@pytest.mark.parametrize("channels", [1, 2, 3, 6])
@pytest.mark.parametrize("rate", [4000, 8000, 22050, 44100, 48000])
def test_k_weighting_is_the_recursion(rate: int, channels: int) -> None:
    x = np.random.default_rng(5).standard_normal((channels, 1203))
    meter = BlockKernel(channels, 1203, 100, filters(rate))
    found = []
    # In uneven blocks: the filter goes on from one to the next.
    for first, last in ((0, 7), (7, 700), (700, 1203)):
        measured = measured_of(meter, x[:, first:last], steps=[0, (last - first) // 3, last - first])
        found.append(np.array(measured.energy))
    places = [0, 2, 7, 238, 700, 867, 1203]
    for row, heard in zip(np.concatenate(found, axis=1), x, strict=True):
        filtered = recursion(heard, rate)
        expected = [np.sum(filtered[a:b] ** 2) for a, b in pairwise(places)]
        np.testing.assert_allclose(row, expected, rtol=1e-9)


@pytest.mark.parametrize("glitch", [1e5, 1e80])
@pytest.mark.parametrize("channels", [1, 2, 3])
@pytest.mark.parametrize("count", [3, 5, 8, 20, 21, 22, 23, 40])
def test_k_weighting_in_parts_is_the_recursion(count: int, channels: int, glitch: float) -> None:
    """What was loud before a part is heard there as if all were one, and so is the block before."""
    rate = 4000
    step = rate // 10
    rng = np.random.default_rng(count)
    x = rng.standard_normal((channels, (2 * count + 1) * step)) * 1e-4
    for row in x:
        row[rng.integers(0, len(row), 3)] = glitch
    meter = BlockKernel(channels, count * step, 100, filters(rate))
    found = []
    # The last steps of the last block are not as long as the others.
    for first, steps in ((0, count), (count, count), (2 * count, 1)):
        block = x[:, first * step : (first + steps) * step]
        places = [*range(0, block.shape[1], step), block.shape[1] - step // 3, block.shape[1]]
        found.append(np.array(measured_of(meter, block, steps=places).energy))
    places = np.cumsum([0, *([step] * (count - 1) + [step - step // 3, step // 3]) * 2, step - step // 3, step // 3])
    for heard, energy in zip(x, np.concatenate(found, axis=1), strict=True):
        filtered = recursion(heard, rate)
        expected = [np.sum(filtered[a:b] ** 2) for a, b in pairwise(places)]
        np.testing.assert_allclose(energy, expected, rtol=1e-9)


def test_silence_after_sound_leaves_no_denormals() -> None:
    # They would make an hour of silence take as long as a hundred of sound.
    meter = BlockKernel(1, 4800, 100, filters(48000))
    measured_of(meter, np.random.default_rng(1).standard_normal((1, 4800)))
    for _ in range(200):
        measured_of(meter, np.zeros((1, 4800)))
    assert not any(meter._states)


def interpolated(x: np.ndarray, phases: np.ndarray) -> float:
    return max((float(np.abs(np.convolve(x, phase)).max()) for phase in phases), default=0.0)


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.lists(st.integers(1, 200), min_size=1, max_size=5), st.sampled_from([48000, 96000]))
def test_true_peak_skips_nothing_that_matters(seed: int, lengths: list[int], rate: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((2, sum(lengths))) * np.repeat(rng.uniform(0.01, 1, len(lengths)), lengths)
    chosen = filters(rate)
    assert chosen is not None
    meter = BlockKernel(2, 200, 10, chosen)
    for block in np.split(x, np.cumsum(lengths)[:-1], axis=1):
        cuts = rng.integers(0, block.shape[1] + 1, 4)
        measured_of(meter, block, windows=[0, *sorted(cuts.tolist()), block.shape[1]])
    meter.finish_true_peak()
    expected = max(float(np.abs(x).max()), *(interpolated(row, np.array(chosen.phases)) for row in x))
    assert meter.true_peak == pytest.approx(expected, rel=1e-12)


def test_what_lies_between_the_last_samples_of_a_window_is_heard_in_the_next() -> None:
    chosen = filters(48000)
    assert chosen is not None
    x = np.zeros((1, 100))
    x[0, 58:60] = 1.0
    meter = BlockKernel(1, 100, 10, chosen)
    measured_of(meter, x, windows=[0, 60, 100])
    assert meter.true_peak == pytest.approx(interpolated(x[0], np.array(chosen.phases)), rel=1e-12)
    assert meter.true_peak > 1.2


def test_the_bound_holds_for_the_worst_sound() -> None:
    # Samples that have each tap's sign add up to as much as the bound allows: nothing may be skipped there.
    chosen = filters(48000)
    assert chosen is not None
    for phase in chosen.phases:
        meter = BlockKernel(1, TAPS, 10, chosen)
        measured_of(meter, np.sign(phase[::-1])[None])
        assert meter.true_peak >= np.abs(phase).sum() * (1 - 1e-12)


@pytest.mark.parametrize("rate", [24000, 96000])
def test_the_bound_by_second_differences_is_reached_and_not_passed(rate: int) -> None:
    chosen = filters(rate)
    assert chosen is not None
    _, line, curve = chosen.bounds
    reached = []
    for phase in np.array(chosen.phases):
        # Each second difference as far as it may go and, by the sign of its weight, to one side; and x[5] = x[6] = 0.
        unit = [np.maximum(0, np.arange(12) - k - 1) for k in range(10)]
        unit = [row - row[5] - (row[6] - row[5]) * (np.arange(12) - 5) for row in unit]
        weights = [row @ phase for row in unit]
        bent = np.sign(weights) @ unit
        assert np.abs(np.diff(bent, 2)).max() == 1
        reached.append(bent @ phase)
        assert np.abs(np.ones(12) @ phase) <= line
    assert max(reached) == pytest.approx(curve, rel=1e-12)


@settings(max_examples=100)
@given(
    st.integers(1, 70),
    st.integers(1, 70),
    st.integers(0, 20),
    st.sampled_from([np.uint8, np.uint16]),
    st.integers(0, 2**32),
)
def test_pictures(height: int, width: int, beyond: int, kind: type, seed: int) -> None:
    rng = np.random.default_rng(seed)
    top = int(np.iinfo(kind).max)
    # The extremes too: a difference must not wrap round.
    values = rng.choice([0, 1, 32, 33, top // 2, top], size=(2, height, width + beyond)).astype(kind)
    rows, before = values[0].copy(), values[1, :, :width].copy()
    now = rows[:, :width]
    difference = np.abs(now.astype(np.int64) - before)
    squares = [
        difference[y : y + 16, x : x + 16].sum() for y in range(0, height, 16) for x in range(0, width, 16)
    ]
    kept = array("B" if kind is np.uint8 else "H", before.tobytes())
    found = kernel.compare_pictures(
        Pixels(rows.ctypes.data, rows.strides[0], width, height, rows.itemsize), kept, 32
    )
    assert found == (np.count_nonzero(now <= 32), difference.sum(), max(squares))
    assert kept.tobytes() == now.tobytes()
    packed = array("B", [0]) * now.nbytes
    kernel.pack_rows(rows.ctypes.data, rows.strides[0], width * rows.itemsize, height, packed)
    assert packed.tobytes() == now.tobytes()


def python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)


IMPORT = "import sys; sys.path.insert(0, '.'); import mediacheck.media.kernel"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package's kernel in a package of its own, which can be broken."""
    shutil.copytree(ROOT / "mediacheck/media/kernel", tmp_path / "mediacheck/media/kernel")
    shutil.copy(ROOT / "mediacheck/errors.py", tmp_path / "mediacheck/errors.py")
    (tmp_path / "mediacheck/__init__.py").touch()
    return tmp_path


def test_the_copy_works(copy: Path) -> None:
    assert python(IMPORT, copy).returncode == 0


@pytest.mark.parametrize("name", ["kernel.h", "sound.c", "samples.c", "pictures.c", "weighting.c"])
def test_a_library_of_another_source_is_refused(name: str, copy: Path) -> None:
    with (copy / "mediacheck/media/kernel" / name).open("a") as source:
        source.write("/* newer */\n")
    done = python(IMPORT, copy)
    assert "InstallationError" in done.stderr
    assert "built from other sources" in done.stderr
    assert "pip install" in done.stderr


def test_a_missing_library_is_one_clear_error(copy: Path) -> None:
    (copy / "mediacheck/media/kernel" / kernel.LIBRARY.name).unlink()
    done = python(IMPORT, copy)
    assert "InstallationError" in done.stderr
    assert "cannot be loaded" in done.stderr


WEIGHT = """
import random, sys
from array import array
sys.path.insert(0, ".")
from mediacheck.media.kernel import Block, BlockKernel, Filters

rate, number = 24000, random.Random(3)
sections = ((1.5, -2.6, 1.2, -1.69, 0.73), (1.0, -0.005, 0.005, -1.99, 0.99))
for channels in (1, 2, 3):
    kernel = BlockKernel(channels, rate, 120, Filters(sections, rate // 5, (), (0.0, 0.0, 0.0)))
    block = Block(channels, rate)
    for block.count in (rate, rate, rate // 3):
        for channel in range(channels):
            block.row(channel)[:] = array("d", [number.uniform(-1, 1) for _ in range(block.count)])
        edges = array("q", [*range(0, block.count, rate // 10), block.count])
        print([energy.tobytes().hex() for energy in kernel.measure(block, edges, edges).energy])
"""


def test_every_processor_weights_alike(copy: Path) -> None:
    """What holds four rows and what holds two give the same bits."""
    here = python(WEIGHT, copy)
    assert here.returncode == 0, here.stderr
    compiler = hatch_build.working_compiler()
    assert compiler is not None
    library = copy / "mediacheck/media/kernel" / kernel.LIBRARY.name
    assert hatch_build.compile_kernel([*compiler, "-DBY_TWO"], library) is None
    assert python(WEIGHT, copy).stdout == here.stdout
