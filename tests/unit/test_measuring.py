"""How a worker gets ready to measure."""

from __future__ import annotations

import ctypes
import platform
import threading
from functools import partial
from pathlib import Path

import pytest

from mediacheck.measuring import import_decoders
from mediacheck.workers import Pool

THREADS = 6


def heaps(report: Path) -> int:
    """How many heaps this process has when several threads have taken memory at once."""
    together = threading.Barrier(THREADS)

    def take() -> None:
        together.wait()
        held = bytes(100_000)
        together.wait()
        del held

    threads = [threading.Thread(target=take) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    stream = ctypes.c_void_p(libc.fopen(bytes(report), b"w"))
    libc.malloc_info(0, stream)
    libc.fclose(stream)
    return report.read_text().count("<heap nr=")


def of_a_worker(report: Path, *, ready: bool) -> object:
    with Pool(heaps, prepare=partial(import_decoders, True) if ready else None) as pool:
        ((_, found),) = pool.run([report])
    return found


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc gives threads heaps of their own")
def test_threads_of_a_worker_share_one_heap(tmp_path: Path) -> None:
    assert of_a_worker(tmp_path / "unprepared", ready=False) > 1  # type: ignore[operator]
    assert of_a_worker(tmp_path / "prepared", ready=True) == 1
