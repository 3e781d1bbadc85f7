"""What every reader gives: lines as keys and values, not yet judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Row:
    where: str
    """``line 12``."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """As the format gives them: texts, numbers, lists; empty where the line cannot be read."""
    problem: str | None = None
    """What is wrong with it, without where it stands."""
