from __future__ import annotations

from mediacheck.checks.registry import Case, NoParameters, Result, check, failed, passed
from mediacheck.checks.wording import counted, timecode
from mediacheck.facts import AudioStream, VideoStream


@check("media.decodable", 1, NoParameters)
def media_decodable(case: Case, parameters: NoParameters) -> Result:
    """The file can be decoded, and every stream yields something."""
    facts = case.facts
    problems = [problem.message for problem in facts.container.problems if problem.affects == "decodable"]
    if facts.container.format is None and not problems:
        problems.append("the file is not media: nothing recognised its bytes")
    streams = facts.audio + facts.video
    if not streams and not problems:
        problems.append("there is no audio or video stream")
    refused = 0
    for stream in streams:
        if isinstance(stream, AudioStream) and stream.samples <= 0:
            problems.append(f"audio stream {stream.index} holds 0 samples")
        if isinstance(stream, VideoStream) and stream.frames <= 0:
            problems.append(f"video stream {stream.index} holds 0 frames")
        if stream.decode_errors > 0:
            refused += stream.decode_errors
            first = stream.decode_error_spans
            where = f", the first at {timecode(first[0].start)}" if first else ""
            problems.append(
                f"{counted(stream.decode_errors, 'packet')} of stream {stream.index} "
                f"{'does' if stream.decode_errors == 1 else 'do'} not decode{where}"
            )
    if not problems:
        return passed("every stream decodes")
    spans = tuple(span for stream in streams for span in stream.decode_error_spans)
    if refused:
        return failed("; ".join(problems), measured=refused, expected=0, unit="packets", spans=spans)
    return failed("; ".join(problems))
