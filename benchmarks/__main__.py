"""``python -m benchmarks``: run, compare, profile, scale, growth, inputs, statistics, percentiles, large."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks import compare, growth, report, scale, stages
from benchmarks.commands import Setting, bare_python, imports_only
from benchmarks.inputs import Cache
from benchmarks.process import BenchmarkError, run_watched
from benchmarks.rounds import Result, run_scenario
from benchmarks.scenarios import Scenario, all_scenarios, chosen
from benchmarks.versions import Clock, revision, versions

BUILD = Path("build/bench")
PEERS = Path("build/venv-bench/bin/python")
RESULTS = Path("benchmarks/RESULTS.md")
STATISTICS = Path("benchmarks/STATISTICS.md")
PERCENTILES = Path("benchmarks/PERCENTILES.md")
LARGE = Path("benchmarks/LARGE.md")
QUICK_RESULTS = BUILD / "RESULTS-quick.md"
BATCH = Path("benchmarks/BATCH.md")
QUICK_BATCH = BUILD / "BATCH-quick.md"
GUARDED = ("10s-pcm16", "10min-*", "1080p-*", "clips-*")
"""What ``compare`` looks at, unless told otherwise."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    whole = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = whole.add_subparsers(dest="command", required=True)

    one = commands.add_parser("run", help="mediacheck beside its peers; writes RESULTS.md")
    _common(one)
    one.add_argument("--out", type=Path, metavar="FILE", help=f"default: {RESULTS}; with --quick {QUICK_RESULTS}")

    one = commands.add_parser("compare", help="two revisions in turn: the guard against growing slower")
    one.add_argument("before", metavar="REV_A", help="a git revision")
    one.add_argument("after", metavar="REV_B", nargs="?", default=".", help="another; . is the working tree (default)")
    _common(one)

    one = commands.add_parser("profile", help="time per stage of one measurement")
    one.add_argument("file", type=Path, metavar="FILE")

    one = commands.add_parser("scale", help="one worker against two, beside plain loads")
    _common(one)

    one = commands.add_parser("growth", help="the memory of a batch of more items; writes BATCH.md")
    _common(one, pairs=2)
    one.add_argument("--out", type=Path, metavar="FILE", help=f"default: {BATCH}; with --quick {QUICK_BATCH}")

    one = commands.add_parser("inputs", help="make the inputs, and nothing else")
    _choice(one)

    one = commands.add_parser("statistics", help="whether the gate's intervals cover; writes STATISTICS.md")
    one.add_argument("--runs", type=_positive, default=1000, metavar="N", help="pairs of runs a row (1000)")
    one.add_argument("--out", type=Path, default=STATISTICS, metavar="FILE", help=f"default: {STATISTICS}")

    one = commands.add_parser("percentiles", help="the same of percentiles, more closely; writes PERCENTILES.md")
    one.add_argument("--runs", type=_positive, default=1000, metavar="N", help="pairs of runs a row (1000)")
    one.add_argument("--out", type=Path, default=PERCENTILES, metavar="FILE", help=f"default: {PERCENTILES}")

    one = commands.add_parser("large", help="gate and calibrate over a million items; writes LARGE.md")
    one.add_argument("--quick", action="store_true", help="a thousand and ten thousand: shows that it works, no more")
    one.add_argument("--out", type=Path, default=LARGE, metavar="FILE", help=f"default: {LARGE}")
    return whole


def _choice(command: argparse.ArgumentParser) -> None:
    command.add_argument("--only", action="append", default=[], metavar="PATTERN", help="rows by name; repeatable")
    command.add_argument("--quick", action="store_true", help="fewer rounds and clips: shows that it works, no more")
    command.add_argument("--cache", type=Path, default=BUILD, metavar="FOLDER", help=f"of the inputs ({BUILD})")


def _common(command: argparse.ArgumentParser, *, pairs: int = 5) -> None:
    _choice(command)
    command.set_defaults(usual_pairs=pairs)
    command.add_argument("--pairs", type=_positive, metavar="N", help=f"default: {pairs}; with --quick at most 2")
    command.add_argument("--peers", type=Path, default=PEERS, metavar="PYTHON", help=f"that has librosa ({PEERS})")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def rounds(options: argparse.Namespace) -> int:
    """How many rounds are asked for."""
    return int(options.pairs or (2 if options.quick else options.usual_pairs))


def scenarios(options: argparse.Namespace, default: tuple[str, ...] = ()) -> tuple[Scenario, ...]:
    """The inputs that are asked for."""
    return chosen(all_scenarios(clips=100 if options.quick else 1000), options.only or default)


def run_command(options: argparse.Namespace, setting: Setting) -> int:
    """``run``: the file is written anew after every input, so that a run that is broken off leaves what it has."""
    out = options.out or (QUICK_RESULTS if options.quick else RESULTS)
    out.parent.mkdir(parents=True, exist_ok=True)
    cache, pairs = Cache(options.cache), rounds(options)
    wanted = scenarios(options)
    _make(wanted, cache)
    about = versions(options.peers)
    began = Clock.now()
    bare, imports = run_watched(bare_python()), run_watched(imports_only())
    results: list[Result] = []
    failed: list[tuple[str, str]] = []
    for scenario in wanted:
        _say(f"{scenario.name} …")
        try:
            results.append(run_scenario(scenario, cache, setting, pairs))
        except BenchmarkError as error:
            _say(f"{scenario.name}: {error}")
            failed.append((scenario.name, str(error)))
        around = report.Surroundings(about, pairs, Clock.now().others_since(began), bare, imports)
        out.write_text(report.render(results, around, failed), encoding="utf-8")
    _say(f"written to {out}")
    return 2 if failed else 0


def compare_command(options: argparse.Namespace, setting: Setting) -> int:
    """``compare``."""
    cache, rows = Cache(options.cache), []
    wanted = scenarios(options, GUARDED)
    _make(wanted, cache)
    began = Clock.now()
    before, after = (
        compare.check_out(name, setting.scratch / side)
        for side, name in (("a", options.before), ("b", options.after))
    )
    for row in compare.compare(before, after, wanted, cache, setting, rounds(options)):
        _say(f"{row.name}: {row.wall.median:.2f}")
        rows.append(row)
    print(compare.render(rows, options.before, "the working tree" if options.after == "." else options.after))
    print(f"\n{report.noise(Clock.now().others_since(began))}")
    return 0


def scale_command(options: argparse.Namespace, setting: Setting) -> int:
    """``scale``."""
    clips, files = (100, 4) if options.quick else (1000, 8)
    found = []
    began = Clock.now()
    for work in chosen(scale.works(Cache(options.cache), setting, clips=clips, files=files), options.only):
        _say(f"{work.name} …")
        found.append(scale.measure(work, rounds(options)))
    print(scale.render(found))
    print(f"\nmediacheck of {revision()}. {report.noise(Clock.now().others_since(began))}")
    return 0


def statistics_command(options: argparse.Namespace) -> int:
    """``statistics``: the file is written anew after every row."""
    import numpy as np

    from benchmarks import statistics

    about = f"mediacheck of {revision()}, numpy {np.__version__}"
    rows = []
    for row in statistics.run(options.runs):
        rows.append(row)
        _say(f"{type(row).__name__} {len(rows)} done")
        options.out.write_text(statistics.render(rows, options.runs, about), encoding="utf-8")
    return 0


def percentiles_command(options: argparse.Namespace) -> int:
    """``percentiles``: the file is written anew after every population and size."""
    import numpy as np

    from benchmarks import percentiles

    about = f"mediacheck of {revision()}, numpy {np.__version__}"
    rows: list[percentiles.Row] = []
    for found in percentiles.run(options.runs):
        rows += found
        _say(f"{found[0].population.name}, {found[0].items} items done")
        options.out.write_text(percentiles.render(rows, options.runs, about), encoding="utf-8")
    return 0


def large_command(options: argparse.Namespace) -> int:
    """``large``: the file is written anew after every size."""
    from benchmarks import large

    found: list[large.Size] = []
    began = Clock.now()
    for items in large.QUICK_SIZES if options.quick else large.SIZES:
        _say(f"{items} items …")
        found.append(large.measure(items))
        others = report.noise(Clock.now().others_since(began))
        options.out.write_text(large.render(found, f"mediacheck of {revision()}. {others}"), encoding="utf-8")
    return 0


def growth_command(options: argparse.Namespace, setting: Setting) -> int:
    """``growth``: the file is written anew after every work."""
    sizes, clips = (growth.QUICK_SIZES, 100) if options.quick else (growth.SIZES, growth.CLIPS)
    out = options.out or (QUICK_BATCH if options.quick else BATCH)
    out.parent.mkdir(parents=True, exist_ok=True)
    about, began, bare = versions(options.peers), Clock.now(), run_watched(bare_python())
    found: list[growth.Growth] = []
    for work in chosen(growth.WORKS, options.only):
        _say(f"{work.name} …")
        found.append(growth.measure(work, sizes, clips, Cache(options.cache), setting, rounds(options)))
        around = report.Surroundings(about, rounds(options), Clock.now().others_since(began), bare, bare)
        out.write_text(growth.render(found, around), encoding="utf-8")
    _say(f"written to {out}")
    return 0


SIMPLE = {"statistics": statistics_command, "percentiles": percentiles_command, "large": large_command}
"""Those that need no other program and no scratch folder."""
COMMANDS = {"run": run_command, "compare": compare_command, "scale": scale_command, "growth": growth_command}


def _make(wanted: tuple[Scenario, ...], cache: Cache) -> None:
    for scenario in wanted:
        _say(f"input {scenario.name}: {scenario.make(cache).path.name}")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0, or 2 with one line on standard error."""
    options = parser().parse_args(arguments)
    try:
        if options.command == "profile":
            print(stages.render(stages.profile(options.file)))
            return 0
        if options.command in SIMPLE:
            return SIMPLE[options.command](options)
        if options.command == "inputs":
            _make(scenarios(options), Cache(options.cache))
            return 0
        with tempfile.TemporaryDirectory(prefix="mediacheck-bench-") as scratch:
            # Not resolved: the interpreter of a virtual environment is a link, and works by its own name only.
            setting = Setting(peers=options.peers.absolute(), scratch=Path(scratch))
            return COMMANDS[options.command](options, setting)
    except BenchmarkError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
