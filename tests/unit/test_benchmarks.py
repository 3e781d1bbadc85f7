"""The parts of benchmarks/ that need no clock: statistics, choice of inputs, tables, the stages of a profile."""

from __future__ import annotations

import json
import math
import pkgutil
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mediacheck
from benchmarks import compare, growth, large, percentiles, report, scale, stages
from benchmarks.__main__ import main, parser, rounds, scenarios
from benchmarks.commands import Setting
from benchmarks.inputs import EDITION, Cache
from benchmarks.process import BenchmarkError, Command, Memory, Usage, environment, run, run_watched
from benchmarks.ratios import Ratio, Target, ratio_of, standing
from benchmarks.rounds import Entrant, Result
from benchmarks.scenarios import all_scenarios, chosen

MB = 1024 * 1024
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="benchmarks measure on Linux only")


def usage(wall: float, cpu: float | None = None) -> Usage:
    return Usage(wall, cpu if cpu is not None else wall, 0.0, 0)


def result(name: str, ours: list[float], peer: list[float] | None, memory: float = 50.0) -> Result:
    """``peer``: the times of the first peer of the scenario; None: it is absent."""
    scenario = chosen(all_scenarios(), [name])[0]
    entrant = Entrant("mediacheck", Memory(memory, memory), tuple(usage(time) for time in ours))
    first = scenario.peers[0].name
    if peer is None:
        return Result(scenario, entrant, (), ((first, "it is not installed"),))
    return Result(scenario, entrant, (Entrant(first, Memory(1, 1), tuple(usage(time) for time in peer)),))


def surroundings(others: float = 0.0) -> report.Surroundings:
    return report.Surroundings((("Python", "3.11"),), 3, others, Memory(10, 10), Memory(40, 40))


def cells(text: str, start: str) -> list[str]:
    line = next(line for line in text.splitlines() if line.startswith(f"| {start} |"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_ratio_is_taken_pair_by_pair() -> None:
    # Of the medians it would be 2 / 10; a machine twice as slow in one round changes no ratio of that round.
    assert ratio_of([1.0, 2.0, 40.0], [10.0, 5.0, 80.0]) == Ratio(median=0.4, low=0.1, high=0.5, pairs=3)


@given(st.lists(st.tuples(*[st.floats(0.001, 1000.0)] * 2), min_size=1, max_size=9), st.floats(0.01, 100.0))
def test_ratio_does_not_depend_on_the_speed_of_the_machine(pairs: list[tuple[float, float]], speed: float) -> None:
    one = ratio_of([a for a, _ in pairs], [b for _, b in pairs])
    other = ratio_of([a * speed for a, _ in pairs], [b * speed for _, b in pairs])
    assert one.low <= one.median <= one.high
    assert other.median == pytest.approx(one.median)


@pytest.mark.parametrize(
    ("ours", "theirs"), [([], []), ([1.0], [1.0, 2.0]), ([1.0], [0.0]), ([math.nan], [1.0]), ([1.0], [math.inf])]
)
def test_no_ratio_of_what_are_no_pairs(ours: list[float], theirs: list[float]) -> None:
    with pytest.raises(ValueError, match=r"pairs|ratio"):
        ratio_of(ours, theirs)


@pytest.mark.parametrize(
    ("figure", "said"),
    [(0.2, "goal met"), (0.21, "must met"), (0.35, "must met"), (0.36, "**not met**"), (math.nan, "**not met**")],
)
def test_standing_to_a_target(figure: float, said: str) -> None:
    assert standing(figure, Target(0.20, 0.35)) == said


def test_inputs_are_those_of_the_targets() -> None:
    names = [scenario.name for scenario in all_scenarios()]
    assert len(names) == len(set(names)) == 3 * 6 + 3 * 2 + 2
    targeted = [s.name for s in all_scenarios() if any(c.target for c in s.comparisons)]
    videos = [f"{size}-{picture}" for size in ("1080p", "720p") for picture in ("easy", "noisy")]
    formats = ("pcm16", "float32", "flac", "mp3", "m4a", "opus")
    assert targeted == ["10s-pcm16", *(f"10min-{form}" for form in formats), *videos, "clips-1000", "batch-1000"]


def test_only_chooses_by_pattern_or_part() -> None:
    every = all_scenarios()
    assert [s.name for s in chosen(every, ["10min-f*", "clips"])] == ["10min-float32", "10min-flac", "clips-1000"]
    assert chosen(every, []) == every
    with pytest.raises(BenchmarkError, match="10min-flax fits none of these: 10s-pcm16, "):
        chosen(every, ["10min-flac", "10min-flax"])


def test_results_say_what_is_met() -> None:
    text = report.render([result("10min-flac", [1.0, 1.2, 1.1], [2.0, 2.0, 2.0])], surroundings())
    assert cells(text, "10min-flac | ffmpeg checks") == [
        "10min-flac", "ffmpeg checks", "time", "must met", "0.55", "0.50 … 0.60", "0.45 / 0.60",
    ]  # fmt: skip
    assert cells(text, "10min-flac | mediacheck")[2:4] == ["1.100", "1.100"]
    assert "- Python: 3.11" in text
    assert "Noisy" not in text


def test_results_name_a_peer_that_is_absent() -> None:
    text = report.render([result("10min-flac", [1.0], None)], surroundings(others=0.4))
    assert "10min-flac: ffmpeg checks: it is not installed" in text
    assert "| 10min-flac | ffmpeg checks |" not in text
    assert "**Noisy: other programs took 40% of the processors meanwhile.**" in text


def test_results_name_an_input_that_mediacheck_fails() -> None:
    text = report.render([], surroundings(), [("10min-opus", "/home/me/bin/python -m a/b ended with exit code 1")])
    assert "## Not measured\n\n- **10min-opus: mediacheck: python -m a/b ended with exit code 1**\n" in text


def test_memory_is_held_against_the_limit_and_against_ten_minutes() -> None:
    results = [result("10min-flac", [1.0], [1.0], 70.0), result("60min-flac", [1.0], [1.0], 76.0)]
    text = report.render(results, surroundings())
    assert cells(text, "10min-flac | met")[2:] == ["60", "60", "60"]
    assert cells(text, "60min-flac | **not met**")[2:] == ["66", "66", "60"]
    # Fifty minutes more of two channels at 4 MB per channel and hour.
    assert cells(text, "60min-flac less 10min-flac | met")[2:] == ["6.0", "", "6.7"]


def test_batch_is_held_against_what_validate_takes() -> None:
    scenario = chosen(all_scenarios(), ["batch-1000"])[0]
    ours = Entrant(scenario.ours.name, Memory(1, 1), (usage(3.0),))
    found = Result(scenario, ours, (Entrant("mediacheck validate", Memory(1, 1), (usage(2.0, 4.0),)),))
    text = report.render([found], surroundings())
    assert cells(text, "batch-1000 | mediacheck validate | time")[4] == "1.50"
    assert cells(text, "batch-1000 | mediacheck validate | processor time")[4] == "0.75"
    assert cells(text, "batch-1000 | mediacheck batch")[2] == "3.000"


def test_growth_tells_the_difference() -> None:
    small = growth.Size(1000, (Memory(150, 60, 40), Memory(170, 62, 42)), (usage(8.0, 14.0),))
    large = growth.Size(10_000, (Memory(165, 61, 43), Memory(167, 63, 45)), (usage(70.0, 130.0),))
    text = growth.render([growth.Growth(growth.WORKS[0], small, large)], surroundings())
    assert cells(text, "validate | 1,000")[2:] == ["160.0", "150.0 … 170.0", "61.0", "41.0", "8.00", "14.00"]
    assert cells(text, "validate | 10,000")[2:] == ["166.0", "165.0 … 167.0", "62.0", "44.0", "7.00", "13.00"]
    assert cells(text, "validate | difference")[2:6] == ["+6.0", "", "+1.0", "+3.0"]


def test_truths_of_percentiles_are_those_of_the_populations() -> None:
    random = np.random.default_rng(1)
    for population in percentiles.populations():
        own, base = population.draw(random, 200_000)
        assert np.corrcoef(own, base)[0, 1] > 0.05
        for p in (0.5, 0.9):
            found = np.quantile(own, p) - population.factor * np.quantile(base, p)
            assert population.truth(p) == pytest.approx(float(found), abs=0.05 if not population.lattice else 0.51)


def test_percentiles_are_counted_where_there_are_items_enough() -> None:
    population = percentiles.populations()[0]
    rows = percentiles.measure(population, 200, 10)
    assert [row.percentile for row in rows] == [50, 90, 95]
    assert all(row.covered >= 0.7 and row.promoted + row.failed <= 0.4 for row in rows)
    rows = [percentiles.Row(population, 200, 95, 0.951, 0.048, 0.052), percentiles.Row(population, 500, 99, 0.96, 0, 0)]
    text = percentiles.render(rows, 1000, "here")
    assert cells(text, f"{population.name} | 200")[2:] == ["", "", "95.1 / 4.8 / 5.2", ""]
    assert cells(text, "promoted, most")[1:] == ["nan %", "nan %", "4.8 %", "0.0 %"]


def test_steps_of_large_runs_are_told_beside_reading(tmp_path: Path) -> None:
    said: list[str] = []
    large.main(["60", str(tmp_path)], said.append)
    size = large.Size(**json.loads(said[0]))
    assert size.items == 60
    assert {large.READING, *large.RULES} < set(size.seconds)
    assert size.peak_mb >= size.read_mb > 10
    size.seconds.update({large.READING: 0.5, "mean": 0.25})
    text = large.render([size, size], "here")
    assert cells(text, "mean")[1:] == ["0.500", "0.500", "0.25", "0.25"]


def test_items_beyond_the_clips_are_files_of_their_own(tmp_path: Path) -> None:
    clips = tmp_path / EDITION / "clips-2"
    clips.mkdir(parents=True)
    for name in ("0.wav", "1.mp3"):
        (clips / name).write_text(name)
    manifest = Cache(tmp_path).items(5, clips=2)
    lines = [json.loads(line) for line in manifest.read_text().splitlines()]
    assert len({line["id"] for line in lines}) == len({line["media"] for line in lines}) == 5
    found = [(manifest.parent / line["media"]).read_text() for line in lines]
    assert found == ["0.wav", "1.mp3", "0.wav", "1.mp3", "0.wav"]


def test_growth_scores_what_the_work_names(tmp_path: Path) -> None:
    plain, scoring = (growth.command(w, tmp_path / "m.jsonl", Setting(tmp_path, tmp_path)) for w in growth.WORKS)
    assert scoring.argv == (*plain.argv, "--scorer=loudness")
    assert plain.anew == tmp_path / "run"


def test_compare_table_tells_which_way() -> None:
    row = compare.Row("10s-pcm16", Ratio(1.25, 1.2, 1.3, 5), Ratio(1.5, 1.4, 1.6, 5), -2.0)
    text = compare.render([row], "v1", "v2")
    assert "above 1, v2 is slower" in text
    assert cells(text, "10s-pcm16")[1:] == ["1.25", "1.20 … 1.30", "1.50", "1.40 … 1.60", "-2.0"]


def test_compare_refuses_what_git_does_not_know(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="git knows no revision 'no-such-revision' here"):
        compare.check_out("no-such-revision", tmp_path)


def test_scaling_tells_speed_up_and_its_price() -> None:
    row = scale.Scaling("loop", one=(usage(4.0),) * 3, two=(usage(2.5, 5.0),) * 3)
    assert (row.speed_up, row.dearer) == (1.6, 1.25)
    assert cells(scale.render([row]), "loop")[1:5] == ["1.60", "4.00", "2.50", "1.25"]


def test_command_line() -> None:
    options = parser().parse_args(["run", "--quick", "--only", "clips", "--only", "10s-*"])
    assert rounds(options) == 2
    assert [s.name for s in scenarios(options)][-1] == "clips-100"
    assert rounds(parser().parse_args(["compare", "HEAD", "--pairs", "7"])) == 7
    assert rounds(parser().parse_args(["scale"])) == 5
    assert rounds(parser().parse_args(["growth"])) == 2
    for wrong in (["run", "--pairs", "0"], ["compare"], []):
        with pytest.raises(SystemExit):
            parser().parse_args(wrong)


def test_an_input_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["run", "--only", "no-such-input", "--cache", str(tmp_path), "--out", str(tmp_path / "x.md")]) == 2
    assert capsys.readouterr().err.startswith("benchmarks: --only no-such-input fits none of these: ")


@on_linux
def test_run_counts_the_processor_time_of_children() -> None:
    burn = "import time\nwhile time.process_time() < 0.3: pass"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}])"
    used = run(Command((sys.executable, "-c", child)))
    assert used.cpu_s >= 0.3
    assert used.wall_s > 0


@on_linux
def test_run_hands_over_items_and_tells_failures() -> None:
    read = "import sys; sys.exit(int(sys.stdin.read() != 'a b\\0c\\0'))"
    run(Command((sys.executable, "-c", read), items=("a b", "c")))
    with pytest.raises(BenchmarkError, match=r"exit code 3: no luck$"):
        run(Command((sys.executable, "-c", "import sys; print('no luck', file=sys.stderr); sys.exit(3)")))
    run(Command((sys.executable, "-c", "raise SystemExit(3)"), allowed=frozenset({0, 3})))
    with pytest.raises(BenchmarkError, match="no-such-program is not installed"):
        run(Command(("no-such-program",)))


@on_linux
def test_memory_counts_all_processes_and_what_they_share_once() -> None:
    def peak(script: str) -> Memory:
        return run_watched(Command((sys.executable, "-c", f"import os, time\n{script}\ntime.sleep(0.4)")))

    size = 64 * MB / 1e6
    alone = peak("held = b'x' * (64 << 20)")
    assert size < alone.tree < 1.5 * size
    assert size < alone.largest < 1.5 * size
    assert alone.first == alone.largest
    # Counted twice it would be twice as much. Processes are looked at one after the other, so that a fork between two
    # looks may count half of it again.
    assert size < peak("held = b'x' * (64 << 20); os.fork()").tree < 1.9 * size
    each = peak("os.fork(); held = b'x' * (64 << 20)")
    assert 2 * size < each.tree < 2.5 * size
    assert size < each.largest < 1.5 * size
    large = "held = b'x' * (64 << 20)"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {large!r}])"
    assert run_watched(Command((sys.executable, "-c", child))).first < size


@on_linux
def test_what_a_run_writes_is_gone_before_the_next(tmp_path: Path) -> None:
    out = tmp_path / "run"
    make = Command((sys.executable, "-c", f"import os; os.mkdir({str(out)!r})"), anew=out)
    run(make)
    run(make)
    run_watched(make)
    assert out.is_dir()


def test_settings_of_mediacheck_do_not_reach_the_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEDIACHECK_JOBS", "1")
    ours = environment(tmp_path)
    assert "MEDIACHECK_JOBS" not in ours
    assert ours["PYTHONPATH"] == str(tmp_path)


@pytest.mark.parametrize("stage", stages.STAGES)
def test_every_stage_finds_functions(stage: str) -> None:
    """A renamed function would silently move its time to another stage."""
    for module in pkgutil.walk_packages(mediacheck.__path__, "mediacheck."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    for pattern in stages.STAGES[stage]:
        assert list(stages.find(pattern)), f"{pattern} of stage {stage!r} finds nothing; name it anew in stages.py"


def test_stage_has_its_time_less_that_of_stages_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(range(100))
    monkeypatch.setattr(stages.time, "perf_counter", lambda: next(now))
    clocks = stages.Clocks()
    inner = clocks.wrap(lambda: None, "inner")
    outer = clocks.wrap(lambda: (inner(), inner()), "outer")
    outer()
    # Read at six borders, a second apart, the time between goes to outer, inner, outer, inner, outer.
    assert clocks.main.seconds == {"outer": 3, "inner": 2}
    assert clocks.main.calls == {"outer": 1, "inner": 2}


def test_profile_table_leaves_threads_beside_out_of_the_whole() -> None:
    times = [stages.StageTime("one", 0.3, 1), stages.StageTime("two", 0.1, 4), stages.StageTime("three", 9.0, 1, True)]
    text = stages.render(times)
    assert cells(text, "one")[1:] == ["300.0", "75.0%", "1"]
    assert cells(text, "three (in a thread beside)")[1:] == ["9000.0", "", "1"]
    assert cells(text, "whole")[1] == "400.0"
