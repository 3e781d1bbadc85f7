"""A Ray cluster of several nodes on this machine, in a process of its own: ``python -m tests.batch.ray_nodes``.

It prints the address, and obeys what is written to it line by line: ``kill`` a node besides the head as if its power
had failed, ``join`` one more. When its standard input closes, all of it is gone.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.cli.run import environment

_NODE = {"num_cpus": 1, "object_store_memory": 80_000_000, "include_dashboard": False}


class Nodes:
    """A head that works, and more nodes: each of one processor."""

    def __init__(self, process: subprocess.Popen[str], folder: str) -> None:
        self._process = process
        self._folder = folder
        self.address = self._answer()

    def kill(self) -> None:
        self._tell("kill")

    def join(self) -> None:
        self._tell("join")

    def actors(self) -> list[int]:
        """The processes of all actors."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                command = (process / "cmdline").read_bytes()
                if not command.startswith((b"ray::Validator", b"ray::Scorer")):
                    continue
                if f"RAY_TMPDIR={self._folder}\0".encode() in (process / "environ").read_bytes():
                    found.append(int(process.name))
        return found

    def _tell(self, what: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()
        assert self._answer() == what

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@contextmanager
def ray_folder() -> Iterator[str]:
    """Where a Ray of the tests keeps its files (``RAY_TMPDIR``): not where the machine's own does."""
    # Short: the paths of sockets may have 107 bytes.
    folder = tempfile.mkdtemp(prefix="mc-ray-", dir="/tmp")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def ray_nodes(**variables: str) -> Iterator[Nodes]:
    """A head and one node more; ``variables`` is the environment of what runs there."""
    with ray_folder() as folder:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.batch.ray_nodes"],
            env=environment(RAY_TMPDIR=folder, RAY_USAGE_STATS_ENABLED="0") | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        try:
            yield Nodes(process, folder)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(timeout=40)


def _serve() -> None:
    from ray.cluster_utils import Cluster

    # Ray talks on standard output.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    cluster = Cluster(initialize_head=True, head_node_args=_NODE)
    cluster.add_node(**_NODE)
    print(cluster.address, file=answers)
    for line in sys.stdin:
        what = line.strip()
        if what == "kill":
            cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
        elif what == "join":
            cluster.add_node(**_NODE)
        print(what, file=answers)
    # Whatever hangs now ends, and Ray's processes end with the one that started them.
    signal.alarm(30)
    cluster.shutdown()


if __name__ == "__main__":
    _serve()
