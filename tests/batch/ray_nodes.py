"""A Ray cluster of several nodes on this machine, in a process of its own: ``python -m tests.batch.ray_nodes``.

It prints the address, and obeys what is written to it line by line: ``kill`` a node besides the head as if its power
had failed, ``join`` one more. When its standard input closes, all of it is gone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cli.run import environment

_NODE = {"num_cpus": 1, "object_store_memory": 80_000_000, "include_dashboard": False}


class Nodes:
    """A head that works, and more nodes: each of one processor."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self._process = process
        self.folder = folder
        """Of Ray's own files; a driver that starts a Ray of its own must not use the machine's."""
        self.address = self._answer()

    def kill(self) -> None:
        self._tell("kill")

    def join(self) -> None:
        self._tell("join")

    def _tell(self, what: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()
        assert self._answer() == what

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@contextmanager
def ray_nodes(**variables: str) -> Iterator[Nodes]:
    """A head and one node more; ``variables`` is the environment of what runs there."""
    # Short: the paths of sockets may have 107 bytes.
    folder = Path(tempfile.mkdtemp(prefix="mc-ray-", dir="/tmp"))
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.batch.ray_nodes"],
        env=environment(RAY_TMPDIR=str(folder), RAY_USAGE_STATS_ENABLED="0", **variables),
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
        process.wait(timeout=60)
        shutil.rmtree(folder, ignore_errors=True)


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
    cluster.shutdown()


if __name__ == "__main__":
    _serve()
