from __future__ import annotations

from mediacheck.checks.registry import Case, NoParameters, Result, check, failed, not_applicable, passed


@check("media.header", 1, NoParameters)
def media_header(case: Case, parameters: NoParameters) -> Result:
    """What the header declares is right, and nothing follows the declared end.

    What it does: fails where a size, count or duration in the header is a placeholder or wrong, or media data follow
    the declared end, while everything decodes.
    Why it is bad: players and libraries that believe the header stop early, refuse the file or show a wrong length.
    Parameters: none.
    Source: speaches-ai/speaches#493, kyutai-labs/pocket-tts#229, richardr1126/openreader#129.
    """
    container = case.facts.container
    found = [problem.message for problem in container.problems if problem.affects == "header"]
    if found:
        return failed("; ".join(found), measured=len(found), expected=0, unit="problems")
    if container.format is None:
        return not_applicable("the file is not media")
    return passed("the header is right")
