from __future__ import annotations

from mediacheck.checks.registry import Case, NoParameters, Result, check, every_video, failed, not_applicable, passed
from mediacheck.checks.wording import counted, timecode
from mediacheck.facts import VideoStream


@check("video.corrupt", 1, NoParameters)
def video_corrupt(case: Case, parameters: NoParameters) -> Result:
    """No picture is damaged."""
    return every_video(case, _judge)


def _judge(stream: VideoStream) -> Result:
    bad = stream.corrupt_frames + stream.decode_errors
    if bad <= 0:
        return passed("no damaged frame") if stream.frames > 0 else not_applicable("no frames")
    parts = []
    if stream.corrupt_frames > 0:
        parts.append(f"{counted(stream.corrupt_frames, 'frame is', 'frames are')} damaged")
    if stream.decode_errors > 0:
        where = stream.decode_error_spans
        at = f", the first at {timecode(where[0].start)}" if where else ""
        parts.append(f"{counted(stream.decode_errors, 'packet does', 'packets do')} not decode{at}")
    return failed("; ".join(parts), measured=bad, expected=0, unit="frames", spans=stream.decode_error_spans)
