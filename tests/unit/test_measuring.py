"""How a worker gets ready to measure."""

from __future__ import annotations

import ctypes
import platform
import resource
import threading
from functools import partial
from pathlib import Path

import pytest

from mediacheck.measuring import import_decoders, keep_freed_memory
from mediacheck.workers import Pool

THREADS = 6
glibc = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc's heap is set")


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
    with Pool(heaps, prepare=partial(import_decoders, True, several=True, threads=True) if ready else None) as pool:
        ((_, found),) = pool.run([report])
    return found


@glibc
def test_threads_of_a_worker_share_one_heap(tmp_path: Path) -> None:
    assert of_a_worker(tmp_path / "unprepared", ready=False) > 1  # type: ignore[operator]
    assert of_a_worker(tmp_path / "prepared", ready=True) == 1


def faults(rounds: int, size: int = 2_000_000) -> int:
    """Pages of memory that had to be fetched while so many bytes were taken and freed over and over."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(rounds):
        bytearray(size)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


@glibc
@pytest.mark.parametrize("several", [True, False])
def test_memory_is_kept_for_the_next_file_and_given_back_by_the_only_one(several: bool) -> None:
    with Pool(faults, prepare=partial(import_decoders, True, several=several, threads=True)) as pool:
        ((_, fetched),) = pool.run([20])
    pages = 20 * 2_000_000 // resource.getpagesize()
    assert isinstance(fetched, int)
    assert fetched < pages / 4 if several else fetched >= pages


@glibc
def test_what_a_model_frees_is_kept_for_the_next_file() -> None:
    """Above 32 MB glibc maps by itself, whatever was freed before."""
    size, rounds = 64_000_000, 10
    with Pool(partial(faults, size=size), prepare=keep_freed_memory) as pool:
        ((_, fetched),) = pool.run([rounds])
    assert isinstance(fetched, int)
    assert fetched < 2 * size // resource.getpagesize()
