"""All that can be explained, by kind, and how it is found by what a user types."""

from __future__ import annotations

from typing import Protocol

from mediacheck.errors import MediacheckError
from mediacheck.explain import checks
from mediacheck.explain.explanation import Explanation


class ExplainError(MediacheckError, ValueError):
    """There is nothing of that name to explain."""


class Kind(Protocol):
    """One kind of thing that can be explained; a module with these two functions is one."""

    def names(self) -> tuple[str, ...]:
        """All of this kind, sorted; ``ID@VERSION`` where there are versions."""

    def explain(self, name: str) -> Explanation:
        """The explanation of one of ``names``."""


KINDS: tuple[Kind, ...] = (checks,)
"""In the order in which they are listed. Ids differ between kinds."""

_SHOWN = 5


def explanations() -> tuple[Explanation, ...]:
    """Every explanation, kind by kind, sorted by name."""
    return tuple(kind.explain(name) for kind in KINDS for name in kind.names())


def find(topic: str) -> Explanation:
    """What ``topic`` names.

    Args:
        topic: an id, which means its latest version, or ``ID@VERSION``.

    Raises:
        ExplainError: nothing has that name; near ones are named.
    """
    kinds = {name: kind for kind in KINDS for name in kind.names()}
    if topic in kinds:
        return kinds[topic].explain(topic)
    id, at, version = topic.partition("@")
    versions = sorted((name for name in kinds if name.partition("@")[0] == id), key=_version)
    if versions and not at:
        return kinds[versions[-1]].explain(versions[-1])
    if versions:
        raise ExplainError(f"{id} has no version {version!r}; there is {', '.join(versions)}")
    raise ExplainError(f"there is nothing to explain by the name {topic!r}{_hint(id, kinds)}")


def _version(name: str) -> int:
    _, _, version = name.partition("@")
    return int(version or 0)


def _hint(id: str, names: dict[str, Kind]) -> str:
    from difflib import get_close_matches

    ids = dict.fromkeys(name.partition("@")[0] for name in names)
    wanted = id.lower().replace("_", ".", 1)
    # A part of a name, `silence` say, is nearer than what is spelled alike.
    containing = [one for one in ids if wanted and wanted in one]
    near = dict.fromkeys(containing + get_close_matches(wanted, list(ids), n=_SHOWN, cutoff=0.7))
    if not near:
        return "; 'mediacheck explain' lists all"
    shown = ", ".join(list(near)[:_SHOWN])
    more = " 'mediacheck explain' lists all" if len(near) > _SHOWN else ""
    return f"; did you mean {shown}?{more}"
