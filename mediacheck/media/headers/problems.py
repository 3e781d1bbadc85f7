"""The problems that readers report, each with the question that it answers."""

from __future__ import annotations

from mediacheck.facts import Problem


def truncated(message: str) -> Problem:
    """The file ends before its container says."""
    return Problem(code="truncated", message=message, affects="complete")


def incomplete(code: str, message: str) -> Problem:
    """A part is missing that is not the end."""
    return Problem(code=code, message=message, affects="complete")


def trailing_data(message: str) -> Problem:
    """Bytes follow the end that the container declares."""
    return Problem(code="trailing_data", message=message, affects="header")


def header(code: str, message: str) -> Problem:
    """A size, count or duration in the header is a placeholder or wrong."""
    return Problem(code=code, message=message, affects="header")


def undecodable(code: str, message: str) -> Problem:
    """What a decoder needs is not there."""
    return Problem(code=code, message=message, affects="decodable")
