from __future__ import annotations

from fractions import Fraction

from mediacheck.checks.pictures import PictureLimits, judge_stretches
from mediacheck.checks.registry import Case, Result, check, every_video
from mediacheck.facts import Span, SpanTotals, VideoStream
from mediacheck.spans import black_spans


class VideoBlack(PictureLimits, frozen=True, kw_only=True):
    """Limits of ``video.black@1``."""

    max_length: Fraction = Fraction(1, 2)
    """Seconds; exactly as long is allowed."""
    min_share: Fraction = Fraction(49, 50)
    """Share of a frame's luma at or below 32 of limited range, from which on it is black."""


@check("video.black", 1, VideoBlack)
def video_black(case: Case, parameters: VideoBlack) -> Result:
    """The picture is not black for long."""

    def judge(stream: VideoStream) -> Result:
        saved: tuple[tuple[Span, ...], SpanTotals] | None = None
        if parameters.min_share == Fraction(49, 50):
            saved = stream.black_spans, stream.black_spans_totals
        return judge_stretches(
            stream, "black", parameters.max_length, saved, stream.black_share, black_spans, float(parameters.min_share)
        )

    return every_video(case, judge)
