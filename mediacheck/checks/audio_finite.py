from __future__ import annotations

from mediacheck.checks.registry import Case, NoParameters, Result, check, every_audio, failed, not_applicable, passed
from mediacheck.checks.wording import counted, exact
from mediacheck.facts import AudioStream


@check("audio.finite", 1, NoParameters)
def audio_finite(case: Case, parameters: NoParameters) -> Result:
    """Every sample is a number."""
    return every_audio(case, _judge)


def _judge(stream: AudioStream) -> Result:
    if stream.samples <= 0:
        return not_applicable("no samples")
    found = stream.non_finite
    count = found.nan + found.inf
    if count <= 0:
        return passed("every sample is finite", measured=0, expected=0, unit="samples")
    kinds = f"{found.nan} NaN, {found.inf} infinite" if found.nan and found.inf else "NaN" if found.nan else "infinite"
    where = ""
    if found.spans:
        start = found.spans[0].start
        where = f", the first at sample {round(start * stream.sample_rate)} = {exact(start)}"
    return failed(
        f"{counted(count, 'sample is', 'samples are')} not finite ({kinds}){where}",
        measured=count,
        expected=0,
        unit="samples",
        spans=found.spans,
        spans_totals=found.spans_totals,
    )
