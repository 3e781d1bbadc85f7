"""The Python API in a worker process: the same answers, and a file that breaks the worker costs one."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import mediacheck
from mediacheck import UsageError, ValidatorError, isolated
from mediacheck.errors import PathError
from mediacheck.isolated import Isolated
from mediacheck.measuring import Limits
from tests.cli.run import environment, samples, write_wav
from tests.unit import breaking

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and memory limits are POSIX")


@pytest.fixture(scope="module")
def worker() -> Iterator[Isolated]:
    with Isolated() as worker:
        yield worker


@pytest.fixture
def wav(tmp_path: Path) -> Path:
    write_wav(tmp_path / "a.wav")
    return tmp_path / "a.wav"


def test_answers_are_those_of_the_api(worker: Isolated, wav: Path) -> None:
    array = np.array(samples(1.0, 8000), dtype=np.int16)
    assert worker.measure(wav) == mediacheck.measure(wav)
    assert worker.measure(str(wav)) == mediacheck.measure(wav)
    assert worker.measure(wav.read_bytes()) == mediacheck.measure(wav.read_bytes())
    assert worker.measure(memoryview(wav.read_bytes())) == mediacheck.measure(wav.read_bytes())
    assert worker.measure(io.BytesIO(wav.read_bytes())) == mediacheck.measure(io.BytesIO(wav.read_bytes()))
    assert worker.measure(array, sample_rate=8000) == mediacheck.measure(array, sample_rate=8000)
    assert worker.measure(wav, raw="s16le:8000:1", name="x") == mediacheck.measure(wav, raw="s16le:8000:1", name="x")
    with wav.open("rb") as one, wav.open("rb") as other:
        assert worker.measure(one) == mediacheck.measure(other)
    asked = {"samples": 8001}
    assert worker.validate(wav, expect=asked) == mediacheck.validate(wav, expect=asked)
    contract = "kokoro-82m"
    own = worker.validate(wav, validator="v1", contract=contract)
    assert own == mediacheck.validate(wav, validator="v1", contract=contract)


def test_a_relative_path_counts_from_the_callers_folder(
    worker: Isolated, wav: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker.measure(wav)
    monkeypatch.chdir(wav.parent)
    assert worker.measure("a.wav").audio[0].samples == 8000


def test_one_process_serves_many_calls(worker: Isolated, wav: Path) -> None:
    worker.measure(wav)
    pool = worker._pool
    worker.measure(wav)
    assert worker._pool is pool
    assert pool is not None


def test_wrong_questions_are_errors(worker: Isolated, wav: Path, tmp_path: Path) -> None:
    with pytest.raises(ValidatorError, match="there is no validator 'v9'"):
        worker.validate(wav, validator="v9")
    with pytest.raises(UsageError, match="write ENCODING:RATE:CHANNELS"):
        worker.measure(wav, raw="no layout")
    with pytest.raises(PathError, match="does not exist"):
        worker.measure(tmp_path / "missing.wav")
    with pytest.raises(UsageError, match="names nothing"):
        worker.measure("")
    with pytest.raises(UsageError, match="mode 'rb'"):
        worker.measure(io.StringIO("text"))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="type object cannot be measured"):
        worker.measure(object())  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="sample rate"):
        worker.measure(np.zeros(10))


def test_what_breaks_the_worker_costs_one_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(isolated, "_answer", breaking.answer)
    names = {
        "crash.wav": "worker.crashed", "memory.wav": "worker.memory", "hang.wav": "worker.timeout",
        "bug.wav": "worker.error",
    }  # fmt: skip
    with Isolated(Limits(timeout_s=3.0, memory_mb=1024)) as worker:
        for name, code in names.items():
            write_wav(tmp_path / name)
            report = worker.validate(tmp_path / name)
            assert report.verdict == "fail"
            assert report.subject.bytes == 16044
            assert [problem.code for problem in report.facts.container.problems] == [code]
        write_wav(tmp_path / "good.wav")
        assert worker.validate(tmp_path / "good.wav").verdict == "pass"
        assert worker.measure(b"", name="crash.wav").container.problems[0].code == "worker.crashed"


def test_after_an_interrupt_no_answer_is_taken_for_another(wav: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Isolated() as worker:
        worker.measure(wav)

        def interrupt(*_: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr("mediacheck.workers.wait_for", interrupt)
            with pytest.raises(KeyboardInterrupt):
                worker.measure(wav, name="interrupted")
        assert worker.measure(wav, name="next").file.name == "next"


def test_threads_wait_for_each_other(worker: Isolated, wav: Path) -> None:
    found: dict[str, str] = {}

    def measure(name: str) -> None:
        found[name] = worker.measure(wav, name=name).file.name

    threads = [threading.Thread(target=measure, args=(f"t{k}",)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {f"t{k}": f"t{k}" for k in range(4)}


def test_a_forked_process_starts_a_worker_of_its_own(worker: Isolated, wav: Path) -> None:
    worker.measure(wav)
    mine = worker._pool
    child = os.fork()
    if child == 0:
        # No more than what is tested: pytest must not go on here.
        own = Isolated()
        own._pool, own._owner = worker._pool, worker._owner
        good = own.measure(wav).audio[0].samples == 8000 and own._pool is not mine
        own.close()
        os._exit(0 if good else 1)
    _, status = os.waitpid(child, 0)
    assert status == 0
    assert worker.measure(wav, name="still mine").file.name == "still mine"


def test_a_script_without_a_guard_does_not_start_again(wav: Path) -> None:
    script = wav.with_name("script.py")
    script.write_text(
        "import numpy\nfrom mediacheck.isolated import Isolated\nprint('started')\n"
        "with Isolated() as worker:\n    print(worker.validate('a.wav').verdict)\n"
    )
    done = subprocess.run(
        [sys.executable, script], cwd=wav.parent, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.stdout == "started\npass\n"
