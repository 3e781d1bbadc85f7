from __future__ import annotations

from mediacheck.checks.registry import Case, NoParameters, Result, check, failed, not_applicable, passed


@check("media.complete", 1, NoParameters)
def media_complete(case: Case, parameters: NoParameters) -> Result:
    """The file reaches the length that its container declares."""
    container = case.facts.container
    if container.complete is True:
        return passed(f"the file is whole: {container.completeness or 'all that the container declares is there'}")
    if container.complete is False:
        found = [problem.message for problem in container.problems if problem.affects == "complete"]
        return failed("; ".join(found) or container.completeness or "the file ends before its container says")
    return not_applicable(container.completeness or "the container declares no length")
