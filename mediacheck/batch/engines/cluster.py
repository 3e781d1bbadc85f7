"""A Ray cluster: how it is reached, and the nodes that it has."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from mediacheck.batch.errors import RunError

_ANSWERS_S: Final = 10.0
"""Within which a port is to be open."""
_HEALTHY_S: Final = 30.0
"""Within which what listens there is to say that it is Ray."""
_HEAD_S: Final = 1.0
_STORE_BYTES: Final = 200_000_000
"""Of a cluster of our own: what actors send is small."""


@dataclass(frozen=True)
class Node:
    """A machine that works, or is said to be one."""

    id: str
    host: str
    cpus: int
    gpus: int


def connect(address: str | None, processors: int) -> None:
    """Become a driver of a cluster.

    Args:
        address: of its head, ``HOST:PORT`` or ``auto``; None: what ``RAY_ADDRESS`` says, else a new one here.
        processors: of the new one.

    Raises:
        RunError: nothing answers there within about a minute, or what does is no Ray that this one may join.
    """
    address = address or os.environ.get("RAY_ADDRESS") or None
    # It asks a server of its makers otherwise.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Else a remark on standard error that this will be the default.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    where = "here" if address is None else f"at {address}"
    if address is not None:
        _probe(address)
    import ray

    before = signal.getsignal(signal.SIGTERM)
    own: dict[str, Any] = {
        "include_dashboard": False,
        "num_cpus": processors,
        "object_store_memory": _STORE_BYTES,
    }
    try:
        ray.init(
            address=address or "local",
            log_to_driver=False,
            logging_level="CRITICAL",
            **(own if address is None else {}),
        )
    except Exception as error:
        raise RunError(f"Ray cannot be reached {where}: {last_line(error)}") from error
    finally:
        # Ray takes SIGTERM for itself, which would end the run without its draining.
        signal.signal(signal.SIGTERM, before)


def alive_nodes() -> tuple[Node, ...]:
    """Those that have a processor to work on, in an order that stays."""
    import ray

    nodes = [
        Node(
            found["NodeID"],
            found["NodeManagerAddress"],
            int(found["Resources"].get("CPU", 0)),
            int(found["Resources"].get("GPU", 0)),
        )
        for found in ray.nodes()
        if found["Alive"]
    ]
    return tuple(sorted((node for node in nodes if node.cpus > 0), key=lambda node: node.id))


def placed(nodes: Sequence[Node], on_gpu: Sequence[bool], items: int) -> Counter[tuple[Node, int | None]]:
    """How many actors of which kind belong on which node.

    Args:
        nodes: that are up.
        on_gpu: of each plan of scoring, whether its actors take GPUs.
        items: there are no more actors of a kind than that.

    Returns:
        By node and number of the plan; None: those that validate.
    """
    most = max((node.cpus for node in nodes), default=0)
    # Every node gets its first one before any gets its second.
    validators = [node for level in range(most) for node in nodes if level < node.cpus]
    wanted: Counter[tuple[Node, int | None]] = Counter((node, None) for node in validators[:items])
    for number, takes_gpu in enumerate(on_gpu):
        places = [node for node in nodes for _ in range(node.gpus if takes_gpu else 1)]
        wanted.update((node, number) for node in places[:items])
    return wanted


def share(node: Node, number: int, on_gpu: Sequence[bool]) -> tuple[float, int]:
    """The GPUs that one scoring actor takes, and how many threads it computes with: no processor is computed on twice.

    Args:
        node: on which it is.
        number: of its plan.
        on_gpu: of each plan, whether its actors take GPUs.
    """
    alike = sum(other == on_gpu[number] for other in on_gpu)
    if on_gpu[number]:
        return 1 / alike, max(1, node.cpus // (alike * node.gpus))
    return 0, max(1, node.cpus // alike)


def head_answers() -> bool:
    """Whether the head is there: Ray itself would wait for it for a minute, and then end this process."""
    import ray

    host, _, port = ray.get_runtime_context().gcs_address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_HEAD_S).close()
    except OSError:
        return False
    return True


def last_line(error: object) -> str:
    """What Ray says, short: it is fond of paragraphs, and of tracebacks, whose last line is the one that tells."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = " ".join(lines[-1].split()) if lines else type(error).__name__
    return text if len(text) <= 200 else f"{text[:199]}…"


def _probe(address: str) -> None:
    """Ray would try for many minutes to reach what is not there, and could not be interrupted.

    Raises:
        RunError: nothing answers.
    """
    if address == "auto":
        return
    if "://" in address:
        raise RunError(
            f"--ray-address {address}: Ray Client is not supported; run on a machine of the cluster, "
            "with HOST:PORT of its head or auto"
        )
    host, colon, port = address.rpartition(":")
    if not (colon and host and port.isdecimal() and 0 < int(port) < 65536):
        raise RunError(f"--ray-address {address}: write HOST:PORT, as 'ray start --head' prints it, or auto")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWERS_S).close()
    except (OSError, UnicodeError) as error:
        said = getattr(error, "strerror", None) or error
        raise RunError(f"Ray cannot be reached at {address}: {said}; is the cluster up?") from error
    command = [sys.executable, "-m", "ray.scripts.scripts", "health-check", "--address", address]
    try:
        tried = subprocess.run(
            command, timeout=_HEALTHY_S, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
    except subprocess.TimeoutExpired:
        tried = None
    if tried is not None and tried.returncode == 0:
        return
    if tried is not None and "InvalidAuthToken" in tried.stderr:
        raise RunError(
            f"the Ray at {address} asks for a token: set RAY_AUTH_MODE=token, with the cluster's token on this machine "
            "(see 'token authentication' in Ray's documents)"
        )
    raise RunError(
        f"what listens at {address} does not answer as the head of a Ray cluster; "
        "name the port that 'ray start --head' prints"
    )
