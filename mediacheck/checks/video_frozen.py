from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from mediacheck.checks.pictures import PictureLimits, judge_stretches
from mediacheck.checks.registry import Case, Result, check, every_video, inconclusive
from mediacheck.facts import Span, SpanTotals, VideoStream
from mediacheck.spans import FrameTimes, frozen_spans


class VideoFrozen(PictureLimits, frozen=True, kw_only=True):
    """Limits of ``video.frozen@1``."""

    max_length: Fraction = Fraction(1)
    """Seconds; exactly as long is allowed."""
    max_change: Fraction = Fraction(1, 1000)
    """Mean absolute luma difference to the frame before, of full range, up to which a frame repeats it."""
    max_local_change: Fraction = Fraction(12, 1000)
    """The same in the 16x16 square that changed most: above it something moves, however small."""


@check("video.frozen", 1, VideoFrozen)
def video_frozen(case: Case, parameters: VideoFrozen) -> Result:
    """The picture does not stand still for long."""

    def judge(stream: VideoStream) -> Result:
        saved: tuple[tuple[Span, ...], SpanTotals] | None = None
        local = stream.local_change
        if (parameters.max_change, parameters.max_local_change) == (Fraction(1, 1000), Fraction(12, 1000)):
            saved = stream.frozen_spans, stream.frozen_spans_totals
        elif local is None:
            return inconclusive("other limits of frozen need the frames' values, which these facts do not hold")
        squares: Sequence[float] = local.values() if local is not None else ()
        most = float(parameters.max_local_change)

        def find(change: Sequence[float], times: FrameTimes, duration: Fraction, level: float) -> tuple[Span, ...]:
            return frozen_spans(change, squares, times, duration, level, most)

        return judge_stretches(
            stream, "frozen", parameters.max_length, saved, stream.change, find, float(parameters.max_change)
        )

    return every_video(case, judge)
