from __future__ import annotations

from fractions import Fraction

from mediacheck.checks.pictures import PictureLimits, judge_stretches
from mediacheck.checks.registry import Case, Result, check, every_video
from mediacheck.facts import Span, SpanTotals, VideoStream
from mediacheck.spans import frozen_spans


class VideoFrozen(PictureLimits, frozen=True, kw_only=True):
    """Limits of ``video.frozen@1``."""

    max_length: Fraction = Fraction(1)
    """Seconds; exactly as long is allowed."""
    max_change: Fraction = Fraction(1, 1000)
    """Mean absolute luma difference to the frame before, of full range, up to which a frame repeats it."""


@check("video.frozen", 1, VideoFrozen)
def video_frozen(case: Case, parameters: VideoFrozen) -> Result:
    """The picture does not stand still for long.

    What it does: fails where frames repeat the one before them for longer than ``max_length``.
    Why it is bad: a mux that fills up to the length of the sound repeats the last picture.
    Parameters: max_length (seconds, 1.0), max_change (of full range, 0.001).
    Source: mltframework/mlt#479.
    """

    def judge(stream: VideoStream) -> Result:
        saved: tuple[tuple[Span, ...], SpanTotals] | None = None
        if parameters.max_change == Fraction(1, 1000):
            saved = stream.frozen_spans, stream.frozen_spans_totals
        return judge_stretches(
            stream, "frozen", parameters.max_length, saved, stream.change, frozen_spans, float(parameters.max_change)
        )

    return every_video(case, judge)
