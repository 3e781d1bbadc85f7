"""Every metric by its name. A family is a module with ``names`` and ``find``; more may join."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache

from mediacheck.gate.errors import PolicyError
from mediacheck.gate.metrics import findings, scores, statuses, verdicts
from mediacheck.gate.metrics.metric import Metric

FAMILIES = (verdicts, statuses, findings, scores)


@cache
def metric_names() -> tuple[str, ...]:
    """Names, a family after the other."""
    return tuple(name for family in FAMILIES for name in family.names())


@cache
def find_metric(name: str) -> Metric:
    """A metric by its name.

    Raises:
        PolicyError: there is none; near ones are named.
    """
    for family in FAMILIES:
        found: Metric | None = family.find(name)
        if found is not None:
            return found
    near = get_close_matches(name, metric_names(), n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(metric_names()[:6])}, …"
    raise PolicyError(f"there is no metric {name!r}; {hint}")
