"""The compiled kernel against the same arithmetic written out in Python, and what happens where it does not fit."""

from __future__ import annotations

import math
import subprocess
import sys
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacheck.media import kernel
from mediacheck.media.kernel import TAPS, BlockKernel, Filters, Measured
from mediacheck.media.loudness import filters, k_weighting

ROOT = Path(__file__).parents[3]


def measure(samples: np.ndarray, *, least: int = 4, windows: list[int] | None = None) -> Measured:
    count = samples.shape[1]
    edges = np.array(windows or [0, count])
    measured = BlockKernel(len(samples), count, least, None).measure(samples, edges, edges, np.nan_to_num(samples))
    assert measured is not None
    return measured


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


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(VALUES, st.integers(1, 9)), min_size=1, max_size=30), st.integers(1, 8))
def test_equal_runs(pieces: list[tuple[float, int]], least: int) -> None:
    row = np.repeat([value for value, _ in pieces], [length for _, length in pieces])
    assert measure(row[None], least=least).runs == [runs_of(row, least)]


def test_there_is_room_for_the_most_runs() -> None:
    # The shortest that count, side by side.
    row = np.repeat(np.arange(50) % 2, 4).astype(float)
    assert measure(row[None], least=4).runs == [[(k, k + 4) for k in range(0, 200, 4)]]


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 3), st.integers(1, 70), st.integers(0, 2**32), st.lists(st.integers(0, 70), max_size=6))
def test_levels(channels: int, count: int, seed: int, cuts: list[int]) -> None:
    samples = np.random.default_rng(seed).uniform(-1, 1, (channels, count))
    edges = [0, *sorted(min(cut, count) for cut in cuts), count]
    measured = measure(samples, windows=edges)
    expected = [[math.fsum(row[a:b] ** 2) for a, b in pairwise(edges)] for row in samples]
    np.testing.assert_allclose(measured.squares, expected, rtol=1e-13, atol=1e-300)
    np.testing.assert_allclose(measured.sums, [math.fsum(row) for row in samples], rtol=1e-12, atol=1e-14)
    assert measured.peaks.tolist() == np.abs(samples).max(axis=1).tolist()


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", [0, 3, 101])
def test_what_is_not_finite_is_never_measured_unasked(bad: float, place: int) -> None:
    samples = np.full((2, 102), 0.25)
    samples[1, place] = bad
    edges = np.array([0, 102])
    meter = BlockKernel(2, 102, 5, filters(48000))
    assert meter.measure(samples, edges, edges) is None
    assert meter.true_peak == 0.0
    measured = meter.measure(samples, edges, edges, np.where(np.isfinite(samples), samples, 0.0))
    assert measured is not None
    assert measured.peaks.tolist() == [0.25, 0.25]
    assert np.isfinite(measured.energy).all()


@pytest.mark.parametrize("channels", [1, 2, 3, 6])
@pytest.mark.parametrize("rate", [4000, 8000, 22050, 44100, 48000])
def test_k_weighting_is_the_recursion(rate: int, channels: int) -> None:
    x = np.random.default_rng(5).standard_normal((channels, 1203))
    meter = BlockKernel(channels, 1203, 100, filters(rate))
    found = []
    # In uneven blocks: the filter goes on from one to the next.
    for first, last in ((0, 7), (7, 700), (700, 1203)):
        block = np.ascontiguousarray(x[:, first:last])
        steps = np.array([0, (last - first) // 3, last - first])
        measured = meter.measure(block, steps[[0, 2]], steps)
        assert measured is not None
        found.append(measured.energy.copy())
    edges = [0, 2, 7, 238, 700, 867, 1203]
    for row, heard in zip(np.concatenate(found, axis=1), x, strict=True):
        filtered = recursion(heard, rate)
        expected = [np.sum(filtered[a:b] ** 2) for a, b in pairwise(edges)]
        np.testing.assert_allclose(row, expected, rtol=1e-9)


def test_silence_after_sound_leaves_no_denormals() -> None:
    # They would make an hour of silence take as long as a hundred of sound.
    meter = BlockKernel(1, 4800, 100, filters(48000))
    edges = np.array([0, 4800])
    meter.measure(np.random.default_rng(1).standard_normal((1, 4800)), edges, edges)
    for _ in range(200):
        meter.measure(np.zeros((1, 4800)), edges, edges)
    assert not meter._states.any()


def interpolated(x: np.ndarray, phases: np.ndarray) -> float:
    return max((float(np.abs(np.convolve(x, phase)).max()) for phase in phases), default=0.0)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.lists(st.integers(1, 200), min_size=1, max_size=5), st.sampled_from([48000, 96000]))
def test_true_peak_skips_nothing_that_matters(seed: int, lengths: list[int], rate: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((2, sum(lengths))) * np.repeat(rng.uniform(0.01, 1, len(lengths)), lengths)
    chosen = filters(rate)
    assert chosen is not None
    meter = BlockKernel(2, 200, 10, chosen)
    for block in np.split(x, np.cumsum(lengths)[:-1], axis=1):
        edges = np.array([0, block.shape[1]])
        meter.measure(np.ascontiguousarray(block), edges, edges)
    meter.finish_true_peak()
    expected = max(float(np.abs(x).max()), *(interpolated(row, chosen.phases) for row in x))
    assert meter.true_peak == pytest.approx(expected, rel=1e-12)


def test_the_bound_holds_for_the_worst_sound() -> None:
    # Samples that have each tap's sign add up to as much as the bound allows: nothing may be skipped there.
    chosen = filters(48000)
    assert chosen is not None
    for phase in chosen.phases:
        row = np.sign(phase[::-1])[None].copy()
        meter = BlockKernel(1, TAPS, 10, Filters(chosen.sections, chosen.phases, chosen.bounds))
        edges = np.array([0, TAPS])
        meter.measure(row, edges, edges)
        assert meter.true_peak >= np.abs(phase).sum() * (1 - 1e-12)


@settings(max_examples=100, deadline=None)
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
    now, before = values[0, :, :width], values[1, :, :width].copy()
    difference = np.abs(now.astype(np.int64) - before)
    squares = [
        difference[y : y + 16, x : x + 16].sum() for y in range(0, height, 16) for x in range(0, width, 16)
    ]
    found = kernel.compare_pictures(now, before, 32)
    assert found == (np.count_nonzero(now <= 32), difference.sum(), max(squares))
    np.testing.assert_array_equal(before, now)


def python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)


IMPORT = "import sys; sys.path.insert(0, '.'); import mediacheck.media.kernel"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package's kernel in a package of its own, which can be broken."""
    for name in ("__init__.py", "errors.py", "media/kernel/__init__.py", "media/kernel/kernel.c"):
        (tmp_path / "mediacheck" / name).parent.mkdir(parents=True, exist_ok=True)
        source = ROOT / "mediacheck" / name
        (tmp_path / "mediacheck" / name).write_text("" if name == "__init__.py" else source.read_text())
    (tmp_path / "mediacheck/media/kernel" / kernel.LIBRARY.name).write_bytes(kernel.LIBRARY.read_bytes())
    return tmp_path


def test_the_copy_works(copy: Path) -> None:
    assert python(IMPORT, copy).returncode == 0


def test_a_library_of_another_source_is_refused(copy: Path) -> None:
    with (copy / "mediacheck/media/kernel/kernel.c").open("a") as source:
        source.write("/* newer */\n")
    done = python(IMPORT, copy)
    assert "InstallationError" in done.stderr
    assert "built from another source" in done.stderr
    assert "pip install" in done.stderr


def test_a_missing_library_is_one_clear_error(copy: Path) -> None:
    (copy / "mediacheck/media/kernel" / kernel.LIBRARY.name).unlink()
    done = python(IMPORT, copy)
    assert "InstallationError" in done.stderr
    assert "cannot be loaded" in done.stderr
