"""Workers that crash, hang, eat memory or raise cost their own item and no other."""

from __future__ import annotations

import ctypes
import errno
import faulthandler
import gc
import math
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mediacheck import workers
from mediacheck.errors import UsageError
from mediacheck.workers import Pool, WorkerFailure
from tests.work import ends

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and memory limits are POSIX")
ROOT = Path(__file__).parents[2]


def behave(how: str) -> str:
    match how:
        case "segv":
            # pytest would print the stack of a crash that is meant to happen.
            faulthandler.disable()
            ctypes.string_at(0)
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "hang":
            time.sleep(60)
        case "memory":
            bytearray(1_500_000_000)
        case "exit":
            os._exit(7)
        case "bug":
            raise KeyError("a bug")
        case "usage":
            raise UsageError("--raw is malformed")
        case "noise":
            os.write(1, b"noise")
            os.write(2, b"noise")
    return f"done {how}"


def where(how: str) -> tuple[str, bool, int]:
    """What a worker knows of the process that started it."""
    main = sys.modules["__main__"]
    return getattr(main, "__file__", None) or "", how in INHERITED, os.getppid()


INHERITED: list[str] = []


def run(items: list[str], *, jobs: int, **limits: float) -> Iterator[tuple[int, object]]:
    with Pool(behave, jobs=jobs, **{"timeout_s": 20.0, **limits}) as pool:  # type: ignore[arg-type]
        yield from pool.run(items)


def outcomes(items: list[str], **limits: float) -> dict[str, object]:
    found = dict(run(items, jobs=2, **limits))
    assert sorted(found) == list(range(len(items)))
    return {items[index]: outcome for index, outcome in found.items()}


def failure(outcome: object) -> WorkerFailure:
    assert isinstance(outcome, WorkerFailure)
    return outcome


def test_every_kind_of_end_is_told_apart_and_the_rest_goes_on() -> None:
    found = outcomes(["a", "segv", "b", "kill", "memory", "exit", "bug", "usage", "c"], memory_bytes=1_000_000_000)
    assert [found[key] for key in "abc"] == ["done a", "done b", "done c"]
    assert failure(found["segv"]).kind == "crashed"
    assert "signal 11, SIGSEGV" in failure(found["segv"]).message
    assert "signal 9, SIGKILL, most likely by the system for want of memory" in failure(found["kill"]).message
    assert failure(found["memory"]).kind == "memory"
    assert "exit status 7" in failure(found["exit"]).message
    assert failure(found["bug"]).kind == "raised"
    assert "KeyError" in (failure(found["bug"]).traceback or "")
    assert isinstance(failure(found["usage"]).error, UsageError)


def test_a_hang_ends_at_the_limit() -> None:
    with ends():
        found = outcomes(["hang", "a"], timeout_s=2.0)
    assert failure(found["hang"]).kind == "timeout"
    assert found["a"] == "done a"


def test_no_process_is_left_when_the_loop_is_left_early() -> None:
    for _ in run(["a", "hang", "hang"], jobs=3):
        break
    assert multiprocessing.active_children() == []


def test_no_items_need_no_worker() -> None:
    assert list(run([], jobs=1)) == []


def run_script(body: str, **keywords: object) -> subprocess.Popen[bytes]:
    """A fresh process, single-threaded as the command line is, so that workers are forked."""
    code = f"import sys, os, time, ctypes, signal\nfrom mediacheck.workers import *\n{body}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **keywords,  # type: ignore[call-overload]
    )


def test_forked_workers_keep_native_noise_off_the_terminal_and_restart_after_a_crash() -> None:
    process = run_script(
        "def f(x):\n"
        "    os.write(1, b'noise'); os.write(2, b'noise')\n"
        "    if x == 1: ctypes.string_at(0)\n"
        "    return x\n"
        "with Pool(f, jobs=2, timeout_s=60) as pool:\n"
        "    found = list(pool.run([0, 1, 2, 3]))\n"
        "print(sorted((i, r if isinstance(r, int) else r.kind) for i, r in found))\n"
    )
    out, err = process.communicate(timeout=30)
    assert out.decode() == "[(0, 0), (1, 'crashed'), (2, 2), (3, 3)]\n"
    assert err == b""


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A process that ended but was not yet reaped by init still answers.
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


def gone(pid: int, within_s: float = 30.0) -> bool:
    deadline = time.monotonic() + within_s
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not alive(pid)


HANGING = (
    "def f(x):\n"
    "    os.write(x, b'%d\\n' % os.getpid())\n"
    "    time.sleep(60)\n"
    "out = os.dup(1)\n"
    "with Pool(f, jobs=2, timeout_s=LIMIT) as pool: list(pool.run([out, out]))\n"
)


def test_ctrl_c_leaves_no_worker() -> None:
    process = run_script(HANGING.replace("LIMIT", "60"), start_new_session=True)
    assert process.stdout is not None
    workers = [int(process.stdout.readline()) for _ in range(2)]
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=30)
    assert all(gone(pid) for pid in workers)


def test_workers_outlive_a_killed_parent_by_no_more_than_the_limit() -> None:
    process = run_script(HANGING.replace("LIMIT", "1"), start_new_session=True)
    assert process.stdout is not None
    workers = [int(process.stdout.readline()) for _ in range(2)]
    process.kill()
    process.wait()
    assert all(gone(pid) for pid in workers)
    process.communicate()


@pytest.mark.parametrize(
    "limits",
    [{"timeout_s": 0}, {"timeout_s": -1.0}, {"timeout_s": math.nan}, {"timeout_s": math.inf}, {"memory_bytes": 0}],
)
def test_limits_that_are_none_are_refused(limits: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="above 0"):
        next(run(["a"], jobs=1, **limits))


def test_limits_beyond_what_the_system_counts_are_no_limits() -> None:
    assert outcomes(["a"], timeout_s=1e12, memory_bytes=10**30) == {"a": "done a"}


def test_where_the_system_refuses_more_processes_fewer_work(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    worker = workers._Worker

    def refuse_the_third(*arguments: Any) -> Any:
        if len(made) == 2:
            raise OSError(errno.EMFILE, "Too many open files")
        made.append(worker(*arguments))
        return made[-1]

    monkeypatch.setattr(workers, "_Worker", refuse_the_third)
    items = [str(number) for number in range(8)]
    found = dict(run(items, jobs=8))
    assert found == {index: f"done {item}" for index, item in enumerate(items)}
    made[:] = [None, None]
    with pytest.raises(OSError, match="Too many open files"):
        next(run(items, jobs=8))


def test_a_worker_may_inherit_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # A main module that starts all over again where it is imported, as a script without a guard does.
    script = tmp_path / "script.py"
    script.write_text("raise SystemExit('the main module ran again')")
    main = ModuleType("__main__")
    main.__file__ = str(script)
    monkeypatch.setitem(sys.modules, "__main__", main)
    INHERITED.append("a")
    try:
        with Pool(where, fork=False, timeout_s=60) as pool:
            [(_, found)] = list(pool.run(["a"]))
    finally:
        INHERITED.clear()
    assert sys.modules["__main__"] is main
    assert found != ("", True, os.getpid())
    assert isinstance(found, tuple)
    file, inherited, parent = found
    assert (Path(file).name != "script.py", inherited, parent) == (True, False, os.getpid())


def searched_for_garbage(_: int) -> bool:
    """Whether a module that was there before the item came is among what the garbage collector goes through."""
    return any(found is workers.__dict__ for found in gc.get_objects())


@pytest.mark.parametrize("fork", [True, False])
def test_the_search_for_garbage_leaves_alone_what_a_worker_started_with(fork: bool) -> None:
    with Pool(searched_for_garbage, fork=fork, timeout_s=60) as pool:
        assert list(pool.run([0])) == [(0, False)]


def process_of(_: int) -> int:
    return os.getpid()


def test_a_worker_is_replaced_after_its_share_of_items() -> None:
    with Pool(process_of, jobs=2, items_per_worker=5) as pool:
        processes = [result for _, result in pool.run(range(40))]
    counts = Counter(processes)
    assert len(processes) == 40
    assert max(counts.values()) <= 5
    assert len(counts) >= 8


def test_a_worker_goes_on_while_the_caller_holds_a_result(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "abc"]
    with Pool(Path.touch, timeout_s=20.0) as pool:
        results = pool.run(paths)
        next(results)
        deadline = time.monotonic() + 20
        while not paths[1].exists():
            assert time.monotonic() < deadline, "the second item waits for the caller"
            time.sleep(0.01)
        assert not paths[2].exists()
        assert [index for index, _ in results] == [1, 2]


def is_short(how: str) -> bool:
    return "long" not in how


def test_a_short_item_waits_behind_a_short_one_and_behind_no_other() -> None:
    with Pool(behave, jobs=1, short=is_short) as pool:
        for first, second, taken in (("a", "b", True), ("a", "long", False), ("long", "b", False)):
            assert pool.free
            assert pool.offer(0, first)
            assert not pool.free
            assert pool.offer(1, second) is taken
            if taken:
                assert not pool.offer(2, "c"), "no more than one waits"
            found: dict[int, object] = {}
            while pool.busy:
                workers.wait_for([pool])
                found.update(pool.collect())
            assert found == {0: f"done {first}", **({1: f"done {second}"} if taken else {})}


def test_the_time_of_an_item_begins_when_the_one_before_it_is_done() -> None:
    with Pool(behave, jobs=1, timeout_s=3.0, short=is_short) as pool:
        assert pool.offer(0, "a")
        assert pool.offer(1, "b")
        (worker,) = pool._workers
        ends_first = worker.deadline
        workers.wait_for([pool])
        assert pool.collect()[0] == (0, "done a")
        assert worker.deadline > ends_first


@pytest.mark.parametrize("kind", ["segv", "kill", "exit", "memory", "hang", "bug"])
def test_what_waits_behind_an_item_that_breaks_its_worker_is_done_by_another(kind: str) -> None:
    """Each item but the first begins as the one that waits, and is judged by what it does itself."""
    items = ["a", kind, "b", kind, kind, "c"]
    with Pool(behave, jobs=1, timeout_s=3.0, memory_bytes=1_000_000_000, short=is_short) as pool:
        found = dict(pool.run(items))
    assert sorted(found) == list(range(len(items)))
    for index, item in enumerate(items):
        assert found[index] == f"done {item}" if item != kind else isinstance(found[index], WorkerFailure)
    names = {"segv": "crashed", "kill": "crashed", "exit": "crashed", "hang": "timeout", "bug": "raised"}
    assert {failure(found[k]).kind for k in (1, 3, 4)} == {names.get(kind, kind)}


def test_each_of_many_short_items_is_done_once(tmp_path: Path) -> None:
    with Pool(note, jobs=3, short=lambda _: True, items_per_worker=7) as pool:
        found = dict(pool.run([(tmp_path, number) for number in range(100)]))
    assert sorted(found.values()) == list(range(100))
    assert sorted(map(int, (tmp_path / "done").read_text().split())) == list(range(100))


def note(work: tuple[Path, int]) -> int:
    folder, number = work
    with (folder / "done").open("a") as file:
        file.write(f"{number}\n")
    return number
