"""The engine ray gives what the engine local gives, whatever becomes of nodes, actors and the driver."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from mediacheck.batch.engines import cluster
from mediacheck.batch.engines.cluster import Node
from mediacheck.batch.errors import RunError
from tests.batch.ray_nodes import Nodes, ray_folder, ray_nodes
from tests.batch.runs import export, results, start, write_manifest, write_tone
from tests.cli.run import ROOT, mediacheck, one_line
from tests.needs import needs_module

ITEMS = 200

# One cluster at a time: each is a dozen processes.
pytestmark = [needs_module("ray"), pytest.mark.xdist_group("ray")]

# Takes the place of decoder and scorers wherever they run: in forks of the driver, and below the actors of a node.
BEHAVE = """
import os, sys
if any("spawn_main" in argument or "mediacheck" in argument for argument in sys.orig_argv):
    import ctypes, time
    from mediacheck.batch import examining, record, scoring
    from mediacheck.scoring.scorer import ModelError
    measure, score, prepare, version = (
        examining.measure_one, scoring._score, scoring.prepare, record.library_version
    )
    def behave(name, stage):
        if name == f"crash-{stage}.wav": ctypes.string_at(0)
        if name == f"hang-{stage}.wav": time.sleep(100)
        if name == f"memory-{stage}.wav": bytearray(10**10)
        if name == f"bug-{stage}.wav": raise KeyError("a bug")
    def measure_one(work):
        time.sleep(float(os.environ.get("SLOW", "0")))
        behave(work.name, "measure")
        return measure(work)
    def scored(scorers, task):
        behave(task.candidate.validated.file.name, "score")
        return score(scorers, task)
    def prepared(ids, options):
        if options.language != "eo": return prepare(ids, options)
        raise ModelError("there is no model for Esperanto; fetch it")
    examining.measure_one, scoring._score, scoring.prepare = measure_one, scored, prepared
    record.library_version = lambda name: os.environ.get(f"VERSION_OF_{name}") or version(name)
"""


@pytest.fixture(scope="module")
def behaving(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What PYTHONPATH must be for ``BEHAVE``."""
    folder = tmp_path_factory.mktemp("behaving")
    (folder / "sitecustomize.py").write_text(BEHAVE)
    return f"{folder}:{ROOT}"


@pytest.fixture(scope="module")
def nodes(behaving: str) -> Iterator[Nodes]:
    with ray_nodes(PYTHONPATH=behaving, SLOW="0.05") as nodes:
        yield nodes


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Good files, some broken, and one that is missing."""
    folder = tmp_path_factory.mktemp("media")
    manifest = write_manifest(folder, ITEMS)
    for number in range(0, ITEMS, 50):
        path = folder / f"{number:04}.wav"
        path.write_bytes(path.read_bytes()[:1000])
    (folder / "0007.wav").unlink()
    return manifest


@pytest.fixture(scope="module")
def local(manifest: Path) -> Path:
    """The run that all others must equal."""
    run = manifest.parent.parent / "local"
    process = start(manifest, "--run", run, "--scorer", "loudness", "--quiet", cwd=manifest.parent)
    _, err = process.communicate()
    assert process.returncode == 1, err
    return run


def begin(manifest: Path, run: Path, *more: str, **variables: str) -> subprocess.Popen[bytes]:
    command = (manifest, "--run", run, "--scorer", "loudness", "--quiet", "--engine", "ray", *more)
    return start(*command, cwd=run.parent, **variables)


def end(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    _, err = process.communicate(timeout=120)
    return process.returncode, err.decode()


def attempts(run: Path, folder: Path) -> int:
    """How many outcomes the ledger holds, of which the driver has the lock: a copy is looked at."""
    copy = folder / "ledger.sqlite"
    try:
        for suffix in ("", "-wal"):
            shutil.copy(run / f"ledger.sqlite{suffix}", f"{copy}{suffix}")
        database = sqlite3.connect(copy)
        (count,) = database.execute("SELECT count(*) FROM attempt").fetchone()
        database.close()
    except (OSError, sqlite3.Error):
        return 0
    assert isinstance(count, int)
    return count


def wait_for(run: Path, count: int, tmp_path: Path) -> None:
    """Wait until so many outcomes are written, and see that the run is not near its end."""
    folder = tmp_path / "looked at"
    folder.mkdir(exist_ok=True)
    end = time.monotonic() + 60
    while (done := attempts(run, folder)) < count and time.monotonic() < end:
        time.sleep(0.05)
    assert count <= done < count + ITEMS // 4


def assert_equal(run: Path, other: Path) -> None:
    assert export(run) == export(other)
    assert (run / "summary.json").read_bytes() == (other / "summary.json").read_bytes()
    counted = Counter(result["id"] for result in results(run))
    assert len(counted) == len(results(run))


def test_a_node_dies_midway_another_joins_and_the_export_is_that_of_one_machine(
    nodes: Nodes, manifest: Path, local: Path, tmp_path: Path
) -> None:
    process = begin(manifest, tmp_path / "run", "--ray-address", nodes.address)
    wait_for(tmp_path / "run", ITEMS // 4, tmp_path)
    nodes.kill()
    wait_for(tmp_path / "run", ITEMS // 2, tmp_path)
    nodes.join()
    assert end(process) == (1, "")
    assert_equal(tmp_path / "run", local)


def test_the_driver_is_killed_and_actors_besides(nodes: Nodes, manifest: Path, local: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    process = begin(manifest, run, "--ray-address", nodes.address)
    wait_for(run, ITEMS // 4, tmp_path)
    process.kill()
    process.communicate()
    # RAY_ADDRESS is how Ray itself names a cluster.
    process = begin(manifest, run, RAY_ADDRESS=nodes.address)
    wait_for(run, ITEMS // 2, tmp_path)
    killed = [os.kill(pid, signal.SIGKILL) for pid in nodes.actors()]
    assert len(killed) >= 2
    assert end(process) == (1, "")
    assert_equal(run, local)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_when_what_is_under_way_is_done(
    nodes: Nodes, manifest: Path, tmp_path: Path, number: signal.Signals
) -> None:
    run = tmp_path / "run"
    process = begin(manifest, run, "--ray-address", nodes.address)
    wait_for(run, ITEMS // 4, tmp_path)
    os.killpg(process.pid, number)
    code, err = end(process)
    assert code == 130
    assert "ending when what is under way is done" in err
    assert "Traceback" not in err
    assert not (run / "results.jsonl").exists()


def test_what_breaks_a_process_is_told_as_on_one_machine_and_one_processor_is_enough(
    behaving: str, tmp_path: Path
) -> None:
    (tmp_path / "media").mkdir()
    for number, stage in enumerate(("measure", "score")):
        for kind, how in enumerate(("crash", "hang", "memory", "bug", "good")):
            write_tone(tmp_path / "media" / f"{how}-{stage}.wav", 10 * number + kind)
    runs = {}
    with ray_folder() as folder:
        for engine in ("local", "ray"):
            runs[engine] = tmp_path / engine
            # A processor must be left for validating, though scoring takes one too.
            more = ("--engine", engine, "--jobs", "1", "--timeout", "4", "--memory-limit", "2000")
            process = start(
                "media", "--run", engine, "--scorer", "loudness", "--quiet", *more, cwd=tmp_path,
                PYTHONPATH=behaving, RAY_TMPDIR=folder,
            )  # fmt: skip
            code, err = end(process)
            assert code == 4, err
            assert err.count("\n") == 2, "one line for each bug"
    assert_equal(runs["ray"], runs["local"])
    assert (runs["ray"] / "results.jsonl").read_bytes() == (runs["local"] / "results.jsonl").read_bytes()
    status = {result["id"].removesuffix(".wav"): result["status"] for result in results(runs["ray"])}
    assert {status[f"{how}-measure"] for how in ("crash", "hang", "memory", "bug", "good")} == {
        "crashed", "timeout", "memory", "error", "judged",
    }  # fmt: skip


def test_another_version_on_the_nodes_is_refused(
    nodes: Nodes, behaving: str, manifest: Path, tmp_path: Path
) -> None:
    here = {"PYTHONPATH": behaving, "VERSION_OF_av": "0.1"}
    code, err = end(begin(manifest, tmp_path / "run", "--ray-address", nodes.address, **here))
    assert code == 2
    assert "this machine 0.1; install the same on every node" in err
    assert err.count("\n") == 1


def test_a_missing_model_is_one_line_that_names_the_node(nodes: Nodes, manifest: Path, tmp_path: Path) -> None:
    more = ("--language", "eo", "--ray-address", nodes.address)
    code, err = end(begin(manifest, tmp_path / "run", *more))
    assert code == 2
    host = nodes.address.partition(":")[0]
    assert err == f"mediacheck: the node {host}: there is no model for Esperanto; fetch it\n"


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("127.0.0.1:1", "Ray cannot be reached at 127.0.0.1:1: Connection refused"),
        ("no-such-host.invalid:6379", "Ray cannot be reached at no-such-host.invalid:6379"),
        ("ray://127.0.0.1:10001", "Ray Client is not supported"),
        ("127.0.0.1", "write HOST:PORT"),
        ("127.0.0.1:port", "write HOST:PORT"),
    ],
)
def test_an_address_where_no_ray_is_is_one_line(tmp_path: Path, address: str, said: str) -> None:
    write_manifest(tmp_path, 1)
    ran = mediacheck(
        "batch", "manifest.jsonl", "--run", "run", "--engine", "ray", "--ray-address", address, "-q", cwd=tmp_path
    )
    assert ran.code == 2
    assert said in one_line(ran)


def test_what_listens_and_is_no_ray_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_HEALTHY_S", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(RunError, match="does not answer as the head of a Ray cluster"):
            cluster.connect(f"127.0.0.1:{port}", 1)


def test_a_gpu_by_its_number_is_refused(tmp_path: Path) -> None:
    write_manifest(tmp_path, 1)
    ran = mediacheck(
        "batch", "manifest.jsonl", "--run", "run", "--engine", "ray", "--scorer", "loudness", "--device", "cuda:1",
        cwd=tmp_path,
    )  # fmt: skip
    assert ran.code == 2
    assert "--device cuda:1: Ray hands out the GPUs" in ran.err


class TestPlaces:
    small = Node("a", "10.0.0.1", cpus=2, gpus=0)
    large = Node("b", "10.0.0.2", cpus=8, gpus=2)

    def test_without_gpus_each_node_has_a_validator_a_processor_and_one_scorer_a_device(self) -> None:
        found = cluster.placed([self.small, self.large], [False, False], 1000)
        assert found == {
            (self.small, None): 2, (self.large, None): 8,
            (self.small, 0): 1, (self.large, 0): 1, (self.small, 1): 1, (self.large, 1): 1,
        }  # fmt: skip

    def test_where_there_are_gpus_each_has_a_scorer_and_nodes_without_have_none(self) -> None:
        found = cluster.placed([self.small, self.large], [True], 1000)
        assert found == {(self.small, None): 2, (self.large, None): 8, (self.large, 0): 2}

    def test_few_items_are_spread_over_the_nodes(self) -> None:
        found = cluster.placed([self.small, self.large], [False], 3)
        assert found == {(self.small, None): 2, (self.large, None): 1, (self.small, 0): 1, (self.large, 0): 1}
        assert cluster.placed([], [False], 3) == {}

    def test_scorers_of_one_gpu_share_it_and_no_processor_computes_twice(self) -> None:
        assert cluster.share(self.large, 0, [True]) == (1, 4)
        assert cluster.share(self.large, 0, [True, True]) == (0.5, 2)
        assert cluster.share(self.large, 0, [False]) == (0, 8)
        assert cluster.share(self.small, 1, [False] * 5) == (0, 1)
