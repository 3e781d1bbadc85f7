from __future__ import annotations

from mediacheck.checks.registry import Case, NoParameters, Result, check, failed, not_applicable, passed


@check("media.header", 1, NoParameters)
def media_header(case: Case, parameters: NoParameters) -> Result:
    """What the header declares is right, and nothing follows the declared end."""
    container = case.facts.container
    found = [problem.message for problem in container.problems if problem.affects == "header"]
    if found:
        return failed("; ".join(found), measured=len(found), expected=0, unit="problems")
    if container.format is None:
        return not_applicable("the file is not media")
    return passed("the header is right")
