"""Options of which a second one would be silently preferred to the first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from mediacheck.errors import UsageError

Command = TypeVar("Command", bound=Callable[..., Any])


def once(*declarations: str, metavar: str, help: str, required: bool = False) -> Callable[[Command], Command]:
    """``click.option`` with one value, that is refused where it is given twice: click itself takes the last.

    Raises:
        UsageError: from the command, where the option stands there twice.
    """

    def only(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> str | None:
        if len(values) > 1:
            raise UsageError(f"{parameter.opts[0]} is given {len(values)} times ({', '.join(values)}); give it once")
        return values[0] if values else None

    return click.option(*declarations, metavar=metavar, help=help, required=required, multiple=True, callback=only)
