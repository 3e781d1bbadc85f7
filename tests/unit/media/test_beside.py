"""A thread that works beside its caller: in order, one call ahead at most, and gone when it is not needed."""

from __future__ import annotations

import gc
import threading
import time

import pytest

from mediacheck.media.beside import Beside, work_in_one_thread


def test_calls_run_in_order_and_in_another_thread() -> None:
    seen: list[tuple[int, int]] = []
    beside = Beside()
    for k in range(5):
        beside.call(lambda n: seen.append((n, threading.get_ident())), k)
    beside.wait()
    assert [n for n, _ in seen] == [0, 1, 2, 3, 4]
    assert {thread for _, thread in seen}.isdisjoint({threading.get_ident()})


def test_the_caller_is_never_more_than_one_call_ahead() -> None:
    gate = threading.Event()
    beside = Beside()
    beside.call(lambda _: gate.wait(), None)
    second = threading.Thread(target=beside.call, args=(lambda _: None, None))
    second.start()
    second.join(timeout=0.2)
    assert second.is_alive()
    gate.set()
    second.join(timeout=5)
    assert not second.is_alive()
    beside.wait()


def test_an_error_reaches_the_caller_with_the_next_call_and_only_once() -> None:
    def fail(_: object) -> None:
        raise MemoryError("no more")

    beside = Beside()
    beside.call(fail, None)
    with pytest.raises(MemoryError, match="no more"):
        beside.call(lambda _: None, None)
    beside.wait()
    beside.call(fail, None)
    with pytest.raises(MemoryError):
        beside.wait()
    beside.wait()


def test_without_a_call_there_is_no_thread() -> None:
    before = set(threading.enumerate())
    Beside().wait()
    assert set(threading.enumerate()) <= before


def test_in_one_thread_the_caller_does_it_and_is_told_as_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mediacheck.media.beside._threads", True)
    work_in_one_thread()
    by: list[threading.Thread] = []

    def fail(_: object) -> None:
        by.append(threading.current_thread())
        raise MemoryError("no more")

    beside = Beside()
    beside.call(fail, None)
    assert by == [threading.current_thread()]
    with pytest.raises(MemoryError, match="no more"):
        beside.call(fail, None)
    beside.wait()
    beside.call(lambda _: by.clear(), None)
    beside.wait()
    assert not by


def test_the_thread_ends_with_its_owner() -> None:
    class Owner:
        """As a meter: it owns the thread, which calls its method."""

        def __init__(self) -> None:
            self.beside = Beside()

        def work(self, _: object) -> None:
            pass

    before = set(threading.enumerate())
    for _ in range(3):
        owner = Owner()
        owner.beside.call(owner.work, None)
        owner.beside.wait()
    del owner
    gc.collect()
    deadline = time.monotonic() + 30
    while not set(threading.enumerate()) <= before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert set(threading.enumerate()) <= before
