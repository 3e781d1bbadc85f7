from __future__ import annotations

from fractions import Fraction

from mediacheck.checks.registry import Case, Parameters, Result, check, every_decoded, failed, not_applicable, passed
from mediacheck.checks.wording import counted, exact, fraction_text, timecode
from mediacheck.facts import AudioStream, VideoStream


class TimelineContinuity(Parameters, frozen=True, kw_only=True):
    """Limits of ``timeline.continuity@1``."""

    max_gap: Fraction = Fraction(0)
    """Seconds; gaps and overlaps within the container's precision are never measured as such."""


@check("timeline.continuity", 1, TimelineContinuity)
def timeline_continuity(case: Case, parameters: TimelineContinuity) -> Result:
    """Each frame starts where the one before it ends."""

    def judge(stream: AudioStream | VideoStream) -> Result:
        timeline = stream.timeline
        if timeline is None or timeline.first is None:
            return not_applicable("no timestamps")
        gaps, overlaps = timeline.gaps_totals, timeline.overlaps_totals
        longest = max(gaps.longest, overlaps.longest)
        count = gaps.count + overlaps.count
        if count == 0 or longest <= parameters.max_gap:
            return passed("no gap and no overlap beyond the limit", measured=fraction_text(longest), unit="s")
        parts = []
        for name, spans, totals in (("gap", timeline.gaps, gaps), ("overlap", timeline.overlaps, overlaps)):
            if totals.count:
                where = f", the first at {timecode(spans[0].start)}" if spans else ""
                parts.append(f"{counted(totals.count, name)}{where}, the longest {exact(totals.longest)}")
        return failed(
            "; ".join(parts),
            measured=fraction_text(longest),
            expected=fraction_text(parameters.max_gap),
            unit="s",
            spans=timeline.gaps + timeline.overlaps,
            spans_totals=gaps if not overlaps.count else overlaps if not gaps.count else None,
        )

    return every_decoded(case, judge)
