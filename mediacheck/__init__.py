"""Exact audio and video validation for generated media.

```python
import mediacheck

report = mediacheck.validate("out.wav", validator="v2", expect={"duration": "15.075"})
print(report.verdict)
for finding in report.findings:
    if finding.outcome == "fail":
        print(finding.message)
```

Everything public stands here and is imported when it is first used: ``import mediacheck`` loads no decoder.

PYTEST_DONT_REWRITE: where mediacheck is imported before pytest starts, pytest would warn that it cannot rewrite it.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mediacheck.api import judge, measure, validate
    from mediacheck.errors import (
        ContractError,
        FactsError,
        MediacheckError,
        PathError,
        UsageError,
        ValidatorError,
    )
    from mediacheck.expectation import Expectation
    from mediacheck.facts import AudioStream, MediaFacts, OtherStream, Problem, Span, VideoStream
    from mediacheck.serialise import to_json
    from mediacheck.verdict import Finding, Report, Reports
    from mediacheck.version import __version__

_HOMES = {
    "mediacheck.api": ("judge", "measure", "validate"),
    "mediacheck.errors": (
        "ContractError",
        "FactsError",
        "MediacheckError",
        "PathError",
        "UsageError",
        "ValidatorError",
    ),
    "mediacheck.expectation": ("Expectation",),
    "mediacheck.facts": ("AudioStream", "MediaFacts", "OtherStream", "Problem", "Span", "VideoStream"),
    "mediacheck.serialise": ("to_json",),
    "mediacheck.verdict": ("Finding", "Report", "Reports"),
    "mediacheck.version": ("__version__",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AudioStream",
    "ContractError",
    "Expectation",
    "FactsError",
    "Finding",
    "MediaFacts",
    "MediacheckError",
    "OtherStream",
    "PathError",
    "Problem",
    "Report",
    "Reports",
    "Span",
    "UsageError",
    "ValidatorError",
    "VideoStream",
    "__version__",
    "judge",
    "measure",
    "to_json",
    "validate",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF})


class _Package(ModuleType):
    """Python binds every imported submodule to its package: ``mediacheck/judge.py`` would hide the function judge."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOME_OF and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
