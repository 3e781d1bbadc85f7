"""All that can be explained, by kind, and how it is found by what a user types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from mediacheck.errors import MediacheckError
from mediacheck.explain import bounds, checks, metrics, policies, requirements, statistics
from mediacheck.explain.explanation import Explanation


class ExplainError(MediacheckError, ValueError):
    """There is nothing of that name to explain."""


class Kind(Protocol):
    """One kind of thing that can be explained; a module with these is one, ``checks``."""

    @property
    def title(self) -> str:
        """Heads its list."""

    def names(self) -> tuple[str, ...]:
        """All of this kind as they are listed; ``ID@VERSION`` where there are versions, of a family its pattern."""

    def more_names(self) -> tuple[str, ...]:
        """What else is explained: members of families, other names of the same."""

    def explain(self, name: str) -> Explanation:
        """The explanation of one of ``names`` or ``more_names``."""


KINDS: tuple[Kind, ...] = (checks, metrics.KIND, bounds.KIND, statistics.KIND, requirements.KIND, policies.KIND)
"""In the order in which they are listed. Ids differ between kinds."""

_SHOWN = 5


@dataclass(frozen=True)
class Group:
    """All that is listed of one kind."""

    title: str
    explanations: tuple[Explanation, ...]


def groups() -> tuple[Group, ...]:
    """Every explanation that is listed, kind by kind."""
    return tuple(Group(kind.title, tuple(kind.explain(name) for name in kind.names())) for kind in KINDS)


def explanations() -> tuple[Explanation, ...]:
    """Every explanation that is listed, in one row."""
    return tuple(told for group in groups() for told in group.explanations)


def find(topic: str) -> Explanation:
    """What ``topic`` names.

    Args:
        topic: a name; of a check, an id, which means its latest version, or ``ID@VERSION``.

    Raises:
        ExplainError: nothing has that name; near ones are named.
    """
    id, at, version = topic.partition("@")
    for kind in KINDS:
        names = kind.names()
        if topic in names or topic in kind.more_names():
            return kind.explain(topic)
        versions = sorted((name for name in names if name.partition("@")[0] == id), key=checks.version)
        if versions and not at:
            return kind.explain(versions[-1])
        if versions:
            raise ExplainError(f"{id} has no version {version!r}; there is {', '.join(versions)}")
    raise ExplainError(f"there is nothing to explain by the name {topic!r}{_hint(id)}")


def _hint(id: str) -> str:
    listed = [name for kind in KINDS for name in kind.names()]
    more = [name for kind in KINDS for name in kind.more_names()]
    # What is listed before what is not: of `findings` the family, rather than five of its members. `findings:silent`
    # asks for a member.
    first, second = (more, listed) if ":" in id else (listed, more)
    beginning = re.split("[:.]", id)[0]
    near = _near(id, first) or _near(id, second) or (_near(beginning, listed) if beginning != id else [])
    if not near:
        return "; 'mediacheck explain' lists all"
    shown = ", ".join(near[:_SHOWN])
    others = " 'mediacheck explain' lists all" if len(near) > _SHOWN else ""
    return f"; did you mean {shown}?{others}"


def _near(id: str, names: Sequence[str]) -> list[str]:
    from difflib import get_close_matches

    ids = {name.partition("@")[0].lower(): name.partition("@")[0] for name in names}
    wanted = dict.fromkeys((id.lower(), id.lower().replace("_", ".", 1)))
    # A part of a name, `silence` say, is nearer than what is spelled alike.
    containing = [one for one in ids for part in wanted if part and part in one]
    alike = [one for part in wanted for one in get_close_matches(part, list(ids), n=_SHOWN, cutoff=0.7)]
    return [ids[one] for one in dict.fromkeys(containing + alike)]
