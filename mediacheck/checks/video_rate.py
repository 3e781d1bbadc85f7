from __future__ import annotations

from mediacheck.checks.registry import Case, NoParameters, Result, check, every_video, failed, not_applicable, passed
from mediacheck.checks.wording import fraction_text
from mediacheck.facts import VideoStream


@check("video.rate", 1, NoParameters)
def video_rate(case: Case, parameters: NoParameters) -> Result:
    """The frame rate is constant."""
    return every_video(case, _judge)


def _judge(stream: VideoStream) -> Result:
    measured = None if stream.measured_rate is None else fraction_text(stream.measured_rate)
    if stream.constant_rate is True:
        return passed(f"constant at {stream.measured_rate} fps", measured=measured, unit="fps")
    if stream.constant_rate is False:
        average = "" if stream.measured_rate is None else f"; it is {stream.measured_rate} fps on average"
        return failed(f"the frame rate is not constant{average}", measured=measured, unit="fps")
    return not_applicable("a single frame, a still picture" if stream.frames == 1 else "no two frames with timestamps")
