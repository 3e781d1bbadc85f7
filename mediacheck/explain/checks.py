"""The checks, explained by the texts in ``mediacheck/checks/explained``."""

from __future__ import annotations

from typing import Final

from mediacheck.checks import Check, Parameters, all_checks, get_check
from mediacheck.errors import InstallationError
from mediacheck.explain import text
from mediacheck.explain.explanation import Explanation, Parameter, Use
from mediacheck.validators import PinnedCheck, Setting, list_validators, setting_text

title: Final = "Checks"
"""In small letters: ``catalogue.Kind`` asks for it, of a module or of an object."""


def names() -> tuple[str, ...]:
    """Every check at every version: ``audio.finite@1``."""
    return tuple(check.name for check in all_checks())


def more_names() -> tuple[str, ...]:
    """None."""
    return ()


def version(name: str) -> int:
    """Of ``audio.finite@1``, 1; 0 of a name without one."""
    return int(name.partition("@")[2] or 0)


def explain(name: str) -> Explanation:
    """The explanation of a check.

    Raises:
        InstallationError: its text is missing or malformed.
    """
    check = get_check(name)
    told = text.parse(text.load("mediacheck.checks", f"{name}.md"), f"the text of {name}")
    pinned = [
        (validator.id, pinned)
        for validator in list_validators()
        for pinned in validator.checks
        if pinned.check == check.name
    ]
    return Explanation(
        name=check.name,
        kind="check",
        title=told.title,
        uses=tuple(Use(validator=id, severity=one.severity) for id, one in pinned),
        what=told.sections[text.WHAT],
        why=told.sections[text.WHY],
        how=told.sections[text.HOW],
        parameters=_parameters(check, told.parameters, pinned),
        example=told.example,
        fix=told.sections[text.FIX],
        source=told.sections[text.SOURCE],
    )


def _parameters(
    check: Check[Parameters], described: tuple[text.Described, ...], pinned: list[tuple[str, PinnedCheck]]
) -> tuple[Parameter, ...]:
    known = check.parameters.__struct_fields__
    if sorted(known) != sorted(one.name for one in described):
        raise InstallationError(f"the text of {check.name} does not name its parameters; install mediacheck again")
    default = check.parameters()
    return tuple(
        Parameter(
            name=one.name,
            unit=one.unit,
            meaning=one.meaning,
            default=setting_text(getattr(default, one.name)),
            values=tuple(
                Setting(name=id, value=setting_text(getattr(used.parameters, one.name))) for id, used in pinned
            ),
        )
        for one in described
    )
