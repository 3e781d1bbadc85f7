"""A missing program skips a test with the reason, and fails it where nothing may be missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SUITE = """
from tests.needs import needs_path, needs_program

@needs_program("sh", "no-such-program")
def test_program(): pass

@needs_path("/no/such/folder", "the prompts")
def test_path(): pass

@needs_program("sh")
def test_present(): pass
"""


@pytest.mark.parametrize(
    ("require", "said"),
    [
        ("0", ["1 passed, 2 skipped", "no-such-program not installed", "the prompts not installed"]),
        ("1", ["2 errors", "MEDIACHECK_REQUIRE_ALL is set, but no-such-program not installed"]),
    ],
)
def test_missing_programs(require: str, said: list[str], tmp_path: Path) -> None:
    (tmp_path / "test_suite.py").write_text(SUITE)
    command = [sys.executable, "-m", "pytest", "-rs", "-p", "tests.conftest", "-p", "no:cacheprovider", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MEDIACHECK_REQUIRE_ALL": require}
    environment.pop("PYTEST_ADDOPTS", None)
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert all(text in done.stdout for text in said), done.stdout
