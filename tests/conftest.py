"""What holds for all tests."""

from __future__ import annotations

import os
import sys

import pytest
from hypothesis import settings

from tests.needs import require_all

# No example has a time limit: a busy machine must not fail a test. CI tries the same examples every time: a rare one
# belongs into a developer's run, where it can be looked at, and not between two people and their merge.
settings.register_profile("developer", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "developer")


def pytest_runtest_setup(item: pytest.Item) -> None:
    _forget_lazy_modules()
    for mark in item.iter_markers("needs"):
        (reason,) = mark.args
        if reason is None:
            continue
        if require_all():
            pytest.fail(f"MEDIACHECK_REQUIRE_ALL is set, but {reason}", pytrace=False)
        pytest.skip(reason)


def _forget_lazy_modules() -> None:
    """speechbrain leaves modules behind that raise ImportError when somebody asks for their ``__file__``.

    Hypothesis asks every module, so its tests would fail after those that load a speaker model.
    """
    if "speechbrain" not in sys.modules:
        return
    for name, module in list(sys.modules.items()):
        if type(module).__module__ == "speechbrain.utils.importutils":
            del sys.modules[name]


@pytest.fixture(autouse=True)
def _own_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    """A developer's environment must not decide what a test sees."""
    for name in ("VALIDATOR", "CONTRACT", "JOBS", "TIMEOUT", "MEMORY_LIMIT", "DEBUG"):
        monkeypatch.delenv(f"MEDIACHECK_{name}", raising=False)
