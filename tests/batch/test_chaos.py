"""A run that is killed at any moment loses nothing, counts nothing twice, and ends as if it had never been touched."""

from __future__ import annotations

import random
import time
from collections import Counter
from pathlib import Path

import pytest

from mediacheck.batch.ledger import Ledger
from tests.batch.runs import children, export, kill, results, start, wait_until_gone, write_manifest

ITEMS = 500
KILLS = 25


@pytest.mark.parametrize("seed", [1])
def test_killed_25_times_the_run_ends_as_if_untouched(tmp_path: Path, seed: int) -> None:
    manifest = write_manifest(tmp_path / "media", ITEMS, language=lambda number: ("en", "fr")[number % 2])
    # Some are broken, so that there is something to lose besides passes.
    for number in range(0, ITEMS, 50):
        path = tmp_path / "media" / f"{number:04}.wav"
        path.write_bytes(path.read_bytes()[:1000])
    (tmp_path / "media" / "0007.wav").unlink()
    command = (manifest, "--scorer", "loudness", "--jobs", "2", "--quiet")
    untouched = start(*command, "--run", tmp_path / "untouched", cwd=tmp_path)
    assert untouched.wait() == 1, "a file is missing, and some are broken"

    chance = random.Random(seed)
    run = tmp_path / "killed"
    kills = workers_killed = 0
    while kills < KILLS:
        process = start(*command, "--run", run, cwd=tmp_path)
        time.sleep(chance.uniform(0.1, 0.6))
        strike = chance.random() < 0.6
        end = time.monotonic() + 20
        while strike and not children(process.pid) and process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        workers = children(process.pid)
        if workers and strike:
            workers_killed += kill(chance.choice(workers))
            time.sleep(chance.uniform(0.0, 0.1))
            workers += children(process.pid)
        if process.poll() is None:
            kills += kill(process.pid)
        process.communicate()
        wait_until_gone(workers)
    last = start(*command, "--run", run, cwd=tmp_path)
    assert last.wait() == 1
    assert workers_killed > 0
    assert export(run) == export(tmp_path / "untouched")
    counted = Counter(result["id"] for result in results(run))
    assert len(counted) == ITEMS
    assert set(counted.values()) == {1}
    assert (run / "summary.json").read_bytes() == (tmp_path / "untouched" / "summary.json").read_bytes()
    # Work was done before and after kills, or this test would show nothing.
    with Ledger(run) as ledger:
        at = [ledger.history("validate", position)[-1][1] for position in range(ITEMS)]
    assert len({text[:22] for text in at}) > 5
