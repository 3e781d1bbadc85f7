"""All that is measured of decoded pictures, frame by frame, and the facts that come of it."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from fractions import Fraction

import av

from mediacheck import spans
from mediacheck.facts import Series, Span, VideoStream, totals
from mediacheck.media.digest import FrameDigest
from mediacheck.media.kernel import pack_rows
from mediacheck.media.luma import LumaMeter, pixels_of
from mediacheck.media.timeline import VideoTimeline


@dataclass(frozen=True, kw_only=True)
class VideoHeader:
    """What is known of a stream besides its pictures; the fields are those of ``VideoStream``."""

    index: int
    codec: str | None
    profile: str | None = None
    time_base: Fraction
    declared_duration: Fraction | None = None
    packets: int
    decode_errors: int
    decode_error_spans: tuple[Span, ...]
    width: int
    height: int
    pixel_format: str | None
    sample_aspect_ratio: Fraction | None
    declared_rate: Fraction | None
    damaged: int
    """Packets over which the decoder complained without marking their frames."""


class VideoMeter:
    def __init__(self) -> None:
        self._black = array("f")
        self._change = array("f")
        self._local_change = array("f")
        self._luma = LumaMeter()
        self._digest = FrameDigest()
        self._rows = array("B")
        """A plane's visible bytes, one row after the other."""
        self.frames = 0
        self.corrupt = 0
        self.size: tuple[int, int] | None = None
        """Width and height of the first frame."""
        self.pixel_format: str | None = None
        self.rotation = 0
        self.changed_size = False
        """Whether a later frame has another size or pixel format than the first."""

    def update(self, frame: av.VideoFrame) -> None:
        if self.size is None:
            self.size, self.pixel_format = (frame.width, frame.height), frame.format.name
            # PyAV counts counter-clockwise, from -180; players are told clockwise.
            self.rotation = -frame.rotation % 360
        elif self.size != (frame.width, frame.height) or self.pixel_format != frame.format.name:
            self.changed_size = True
        self.frames += 1
        self.corrupt += bool(frame.is_corrupt)
        picture = self._luma.update(frame)
        self._black.append(picture.black_share)
        self._change.append(picture.change)
        self._local_change.append(picture.local_change)
        self._hash(frame)

    def _hash(self, frame: av.VideoFrame) -> None:
        self._digest.start_frame(frame.format.name, frame.width, frame.height)
        if frame.format.name in ("nv12", "nv21") or not frame.format.is_planar:
            # Interleaved components: PyAV knows how wide a row is.
            try:
                pixels = frame.to_ndarray()
            except ValueError:
                pixels = frame.reformat(format="rgba").to_ndarray()
            self._digest.update(pixels.tobytes())
            return
        for component in frame.format.components:
            plane = pixels_of(frame.planes[component.plane], component.width, 2 if component.bits > 8 else 1)
            width = plane.width * plane.itemsize
            if len(self._rows) < width * plane.height:
                self._rows = array("B", [0]) * (width * plane.height)
            pack_rows(plane.start, plane.step, width, plane.height, self._rows)
            self._digest.update(memoryview(self._rows)[: width * plane.height])

    def finish(self, header: VideoHeader, timeline: VideoTimeline) -> VideoStream:
        """The stream's facts."""
        timeline.settle()
        placed = timeline.finish()
        rate, constant = timeline.rate(header.declared_rate)
        if self.frames == 1 and header.declared_rate:
            duration = 1 / header.declared_rate
        elif constant and rate:
            duration = self.frames / rate
        elif placed.first is not None and placed.end is not None:
            duration = placed.end - placed.first
        else:
            duration = Fraction(0)
        seconds = array("f", [float(time) for time in timeline.times()])
        # Read back as a judge would read them from saved facts, so that both find the same spans.
        times = spans.FrameTimes(seconds, rate, constant)
        # A frame without a timestamp has no place: then no span has one.
        every = len(seconds) == self.frames
        black = spans.black_spans(self._black, times, duration) if every else ()
        frozen = spans.frozen_spans(self._change, self._local_change, times, duration) if every else ()
        return VideoStream(
            index=header.index,
            codec=header.codec,
            profile=header.profile,
            time_base=header.time_base,
            start=placed.first,
            declared_duration=header.declared_duration,
            packets=header.packets,
            decode_errors=header.decode_errors,
            decode_error_spans=header.decode_error_spans,
            missing_timestamps=timeline.missing,
            timeline=placed,
            width=self.size[0] if self.size else header.width,
            height=self.size[1] if self.size else header.height,
            pixel_format=self.pixel_format or header.pixel_format,
            sample_aspect_ratio=header.sample_aspect_ratio,
            rotation=self.rotation,
            frames=self.frames,
            declared_rate=header.declared_rate,
            measured_rate=rate,
            constant_rate=constant,
            duration=duration,
            duration_seconds=round(float(duration), 9),
            black_spans=black,
            black_spans_totals=totals(black),
            frozen_spans=frozen,
            frozen_spans_totals=totals(frozen),
            corrupt_frames=max(self.corrupt, header.damaged),
            black_share=Series.pack(self._black),
            change=Series.pack(self._change),
            local_change=Series.pack(self._local_change),
            frame_times=Series.pack(seconds),
            digest=self._digest.finish() if self.frames else None,
        )
