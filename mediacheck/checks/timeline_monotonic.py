from __future__ import annotations

from mediacheck.checks.registry import Case, NoParameters, Result, check, every_decoded, failed, not_applicable, passed
from mediacheck.checks.wording import counted, timecode
from mediacheck.facts import AudioStream, VideoStream


@check("timeline.monotonic", 1, NoParameters)
def timeline_monotonic(case: Case, parameters: NoParameters) -> Result:
    """Timestamps always rise.

    What it does: fails where a timestamp goes back or repeats, in the order in which the decoder gives frames (audio:
    packets); nothing is sorted first.
    Why it is bad: players drop or reorder such frames, and muxers refuse them.
    Parameters: none.
    Source: PyAV-Org/PyAV#1090.
    """
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
        first = found.spans[0]
        where = (
            f", the first at {timecode(first.end)} (repeated)"
            if first.start == first.end
            else f", the first at {timecode(first.end)} after {timecode(first.start)}"
        )
    return failed(
        f"{counted(found.count, 'timestamp does', 'timestamps do')} not rise{where}",
        measured=found.count,
        expected=0,
        unit="timestamps",
        spans=found.spans,
    )
