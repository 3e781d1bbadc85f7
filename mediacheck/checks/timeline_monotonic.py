from __future__ import annotations

from fractions import Fraction

from mediacheck.checks.registry import Case, NoParameters, Result, check, every_decoded, failed, not_applicable, passed
from mediacheck.checks.wording import counted, timecode
from mediacheck.facts import AudioStream, Span, VideoStream

# A join goes back to the beginning, to within priming and a packet or two; a stamp out of order goes back by less.
_NEAR_THE_BEGINNING = Fraction(1, 10)


@check("timeline.monotonic", 1, NoParameters)
def timeline_monotonic(case: Case, parameters: NoParameters) -> Result:
    """Timestamps always rise."""
    return every_decoded(case, _judge)


def _judge(stream: AudioStream | VideoStream) -> Result:
    timeline = stream.timeline
    if timeline is None or timeline.first is None:
        return not_applicable("no timestamps")
    found = timeline.non_monotonic
    if found.count <= 0:
        return passed("every timestamp is later than the one before", measured=0, expected=0, unit="timestamps")
    where = ""
    if found.spans:
        where = _where(found.spans[0], timeline.first)
    return failed(
        f"{counted(found.count, 'timestamp does', 'timestamps do')} not rise{where}",
        measured=found.count,
        expected=0,
        unit="timestamps",
        spans=found.spans,
    )


def _where(first: Span, beginning: Fraction) -> str:
    if first.start == first.end:
        return f", the first at {timecode(first.end)} (repeated)"
    if first.end - beginning <= _NEAR_THE_BEGINNING < first.start - first.end:
        return (
            f": after {timecode(first.start)} the clock starts again at {timecode(first.end)}, "
            "as where files are joined end to end"
        )
    return f", the first at {timecode(first.end)} after {timecode(first.start)}"
