"""What holds for all tests."""

from __future__ import annotations

import pytest

from tests.needs import require_all


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs"):
        (reason,) = mark.args
        if reason is None:
            continue
        if require_all():
            pytest.fail(f"MEDIACHECK_REQUIRE_ALL is set, but {reason}", pytrace=False)
        pytest.skip(reason)


@pytest.fixture(autouse=True)
def _own_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    """A developer's environment must not decide what a test sees."""
    for name in ("VALIDATOR", "CONTRACT", "JOBS", "TIMEOUT", "MEMORY_LIMIT", "DEBUG"):
        monkeypatch.delenv(f"MEDIACHECK_{name}", raising=False)
