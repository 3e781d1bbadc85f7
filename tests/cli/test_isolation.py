"""A decoder that crashes or hangs costs one file; an interrupt leaves nothing behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.run import environment, mediacheck, write_wav

# Takes the place of the decoder in the workers, which are forked from the process that runs this.
BEHAVE = """
import ctypes, os, time
from mediacheck.cli import measuring
measure = measuring.measure_one
def behave(work):
    if work.name == "crash.wav": ctypes.string_at(0)
    if work.name == "hang.wav": time.sleep(60)
    if work.name == "memory.wav": bytearray(10**10)
    if work.name == "bug.wav": raise KeyError("a bug")
    if work.name == "gone.wav": os.unlink(work.path)
    if work.name not in ("cut.wav", "disk.wav"): return measure(work)
    from mediacheck.media import measurement
    real = measurement.measure
    def strange(path, **arguments):
        if work.name == "disk.wav": raise OSError(5, "Input/output error")
        facts = real(path, **arguments)
        os.truncate(path, 100)
        return facts
    measurement.measure = strange
    try: return measure(work)
    finally: measurement.measure = real
measuring.measure_one = behave
"""


@pytest.fixture
def media(tmp_path: Path) -> Path:
    write_wav(tmp_path / "good.wav")
    return tmp_path


def problems(report: dict[str, object]) -> list[str]:
    return [problem["code"] for problem in report["facts"]["container"]["problems"]]  # type: ignore[index]


def test_one_bad_file_does_not_take_the_others_down(media: Path) -> None:
    for name in ("crash.wav", "hang.wav", "memory.wav", "gone.wav"):
        write_wav(media / name)
    ran = mediacheck("validate", ".", "--json", "-", "--timeout", "3", cwd=media, before=BEHAVE)
    assert ran.code == 1
    found = {report["subject"]["name"]: report for report in ran.json["reports"]}
    assert {name: report["verdict"] for name, report in found.items()} == {
        "crash.wav": "fail",
        "gone.wav": "fail",
        "good.wav": "pass",
        "hang.wav": "fail",
        "memory.wav": "fail",
    }
    assert problems(found["crash.wav"]) == ["worker.crashed"]
    assert problems(found["hang.wav"]) == ["worker.timeout"]
    assert problems(found["memory.wav"]) == ["worker.memory"]
    assert problems(found["gone.wav"]) == ["file.unreadable"]
    assert found["crash.wav"]["subject"]["sha256"] == found["good.wav"]["subject"]["sha256"]
    messages = [finding["message"] for finding in found["crash.wav"]["findings"] if finding["outcome"] == "fail"]
    assert any("signal 11" in message for message in messages)


def test_a_file_that_changes_or_cannot_be_read_on_is_no_bug_of_ours_and_no_pass(media: Path) -> None:
    for name in ("cut.wav", "disk.wav"):
        write_wav(media / name)
    ran = mediacheck("validate", ".", "--json", "-", cwd=media, before=BEHAVE)
    assert ran.code == 1
    assert ran.err == ""
    found = {report["subject"]["name"]: report for report in ran.json["reports"]}
    assert problems(found["cut.wav"]) == ["file.changed"]
    assert problems(found["disk.wav"]) == ["file.unreadable"]
    assert found["good.wav"]["verdict"] == "pass"
    assert str(media) not in ran.text


def test_a_bug_of_ours_is_no_verdict(media: Path) -> None:
    write_wav(media / "bug.wav")
    ran = mediacheck("validate", ".", "--json", "-", cwd=media, before=BEHAVE)
    assert ran.code == 4
    assert "internal error on bug.wav: KeyError" in ran.err
    assert "Traceback" not in ran.err
    assert len(ran.json["reports"]) == 2
    told = mediacheck("--debug", "validate", ".", "--json", "-", cwd=media, before=BEHAVE)
    assert told.code == 4
    assert "Traceback" in told.err
    assert told.out == ran.out


def test_measuring_that_broke_is_not_exit_code_0(media: Path) -> None:
    write_wav(media / "crash.wav")
    assert mediacheck("measure", ".", "--quiet", cwd=media, before=BEHAVE).code == 3


def test_an_unexpected_exception_is_exit_code_4_with_a_traceback_only_on_request(media: Path) -> None:
    broken = (
        "from mediacheck.cli import validate\ndef resolve(*_): raise KeyError('a bug')\nvalidate.resolve = resolve\n"
    )
    ran = mediacheck("validate", "good.wav", cwd=media, before=broken)
    assert ran.code == 4
    assert ran.err.count("\n") == 1
    assert "internal error: KeyError" in ran.err
    for arguments, variables in ((("--debug",), {}), ((), {"MEDIACHECK_DEBUG": "1"})):
        ran = mediacheck(*arguments, "validate", "good.wav", cwd=media, before=broken, **variables)
        assert ran.code == 4
        assert "Traceback" in ran.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_is_exit_code_130_and_leaves_no_half_written_file(media: Path, number: signal.Signals) -> None:
    write_wav(media / "hang.wav")
    code = f"{BEHAVE}import sys\nfrom mediacheck.cli.main import main\nsys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "validate", "hang.wav", "-o", "r.json"],
        cwd=media,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    deadline = time.monotonic() + 10
    while not (children.exists() and children.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(number)
    out, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert out == b""
    assert err.strip().endswith(b"mediacheck: interrupted")
    assert sorted(path.name for path in media.iterdir()) == ["good.wav", "hang.wav"]


def test_a_missing_kernel_is_the_tools_fault_and_named(media: Path) -> None:
    before = """
import ctypes
def refuse(path, *rest): raise OSError("no such file")
ctypes.CDLL = refuse
"""
    ran = mediacheck("validate", "good.wav", cwd=media, before=before)
    assert ran.code == 4
    assert "kernel" in ran.err
    assert "pip install" in ran.err
    assert "this is a bug" not in ran.err
