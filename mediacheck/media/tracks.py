"""One stream while it is decoded: packets in, facts out.

The facts are made when FFmpeg is done with: an hour's index and decoders would stand in memory beside them.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import av

from mediacheck.facts import AudioStream, OtherStream, Problem, SampleBounds, Span, VideoStream
from mediacheck.media.audio_meter import AudioHeader, AudioMeter
from mediacheck.media.blocks import block_seconds
from mediacheck.media.channels import is_measurable, names_of
from mediacheck.media.reading import ContainerReading
from mediacheck.media.scales import ALAW_SCALE, MULAW_SCALE, SCALES
from mediacheck.media.timeline import AudioTimeline, VideoTimeline
from mediacheck.media.video_meter import VideoHeader, VideoMeter

LOSSLESS = frozenset({"alac", "als", "ape", "flac", "mlp", "ralf", "shorten", "tak", "truehd", "tta", "wavpack"})
SHOWN_SPANS = 100

Form = tuple[int, int, str]
"""Sample rate, channels and sample format of decoded sound."""

# Containers that do not stamp every frame: how far an extrapolated timestamp may lie from the truth, in seconds.
MPEG_PRECISION = Fraction(1, 1000)
"""Program and transport streams: the demuxer counts on from the stamped frames in whole ticks."""
AVI_PRECISION = Fraction(1, 20)
"""AVI counts frames. A writer that must delay a stream leaves places empty (ffmpeg for MP3's delay, up to 46 ms)."""
OGG_VORBIS_PRECISION = Fraction(1, 50)
"""Ogg stamps the end of a page. Vorbis packets on it last 64 to 8192 samples, which only decoding tells."""


def precision_of(format_name: str, codec: str, time_base: Fraction) -> Fraction:
    """How far a timestamp of this container may lie from the truth, in seconds: one tick, as a rule."""
    if format_name in ("mpegts", "mpeg"):
        return max(time_base, MPEG_PRECISION)
    if format_name == "avi":
        return max(time_base, AVI_PRECISION)
    if format_name == "ogg" and codec == "vorbis":
        return max(time_base, OGG_VORBIS_PRECISION)
    return time_base


def is_exact(codec: str) -> bool:
    """Whether the codec gives back every sample that went in and no more."""
    return codec in LOSSLESS or codec.startswith(("pcm_", "dsd_"))


class Track:
    """What every decoded stream counts: packets, errors and where they were."""

    def __init__(self, stream: av.AudioStream | av.VideoStream) -> None:
        self.stream = stream
        # packet.decode() gets there too, by a detour.
        self._decode: Callable[[av.Packet[Any]], list[Any]] = stream.codec_context.decode
        self.codec = stream.codec_context.codec.canonical_name
        self.time_base = stream.time_base or Fraction(1, av.time_base)
        self.packets = 0
        self.errors = 0
        self.damaged = 0
        """Packets over which the decoder complained without refusing them."""
        self.error_spans: list[Span] = []
        self.problems: list[Problem] = []

    def decode(self, packet: av.Packet[Any]) -> list[Any]:
        """The packet's frames; an error is counted, and decoding goes on behind it."""
        # A demuxer's end is an empty packet that makes the decoder give what it still holds.
        if packet.size:
            self.packets += 1
        try:
            return self._decode(packet)
        except MemoryError:
            # FFmpeg's own, when the worker's limit is reached: no fault of the packet's.
            raise
        except (av.FFmpegError, ValueError, OverflowError):
            self.errors += 1
            if packet.pts is not None and len(self.error_spans) < SHOWN_SPANS:
                start = packet.pts * self.time_base
                self.error_spans.append(Span(start=start, end=start + (packet.duration or 0) * self.time_base))
            return []

    @property
    def declared_duration(self) -> Fraction | None:
        return None if self.stream.duration is None else self.stream.duration * self.time_base

    @property
    def profile(self) -> str | None:
        return str(self.stream.profile) if self.stream.profile else None

    def change_problem(self, what: str) -> None:
        """Say once that the stream changes its form on the way."""
        if not self.problems:
            self.problems.append(
                Problem(
                    code="stream.format_change",
                    message=f"stream {self.stream.index} changes {what} on the way",
                    affects="decodable",
                )
            )


@dataclass(frozen=True)
class Played:
    """What an MP4 edit list plays of a track."""

    samples: int
    slack: int
    """How far ``samples`` may lie from the truth, since the list counts in coarser ticks."""
    tick: Fraction
    """Seconds."""

    def limit(self, codec: str) -> int:
        """After how many samples it ends, which FFmpeg does not cut to."""
        # A codec without padding is cut only where the edit list really leaves samples out: not by its rounding.
        return self.samples + self.slack if is_exact(codec) else self.samples


def played_of(stream: av.AudioStream, reading: ContainerReading, sample_rate: int) -> Played | None:
    """What the edit list plays of a stream; None without one that gives a length."""
    edit = next((track for track in reading.tracks if track.track_id == stream.id), None)
    if edit is None or edit.edit_duration is None:
        return None
    # One sample more for the rounding of the length itself.
    slack = math.ceil(edit.edit_precision * sample_rate) + 1 if edit.edit_precision else 0
    return Played(round(edit.edit_duration * sample_rate), slack, edit.edit_precision)


class AudioTrack(Track):
    def __init__(self, stream: av.AudioStream, format_name: str, reading: ContainerReading) -> None:
        super().__init__(stream)
        self._ogg = reading.family == "ogg"
        # An Xing header that states delay and padding makes FFmpeg trim both.
        self._exact_total = self._ogg or (reading.family == "mp3" and reading.declared_samples is not None)
        self._reading = reading
        self._played: Played | None = None
        self._timeline = AudioTimeline(self.time_base, precision_of(format_name, self.codec, self.time_base))
        self._meter: AudioMeter | None = None
        # Codec frames are gathered into blocks by FFmpeg: a call for each costs more than the kernel's work on it.
        self._queue = av.AudioFifo()
        self._form: Form | None = None
        self._rate = 0
        self._block = 0
        """Samples."""
        self._names: tuple[str, ...] = ()
        self._priming = 0
        self._padding = 0
        self._frame_size = 0
        self._unread: av.Packet[Any] | None = None
        """The packet before, where its side data was not looked at."""

    def take(self, packet: av.Packet[Any]) -> None:
        if packet.size:
            self._timeline.packet(packet.pts, packet.duration or 0)
        frames: list[av.AudioFrame] = self.decode(packet)
        # What is skipped shortens a frame, or leaves none. Looking at every packet would take a tenth of the time that
        # decoding it does.
        if len(frames) == 1 and frames[0].samples == self._frame_size:
            self._unread = packet
        else:
            for shortened in (self._unread, packet):
                if shortened is not None:
                    self._note_skipped(shortened)
            self._unread = None
        for frame in frames:
            form = (frame.sample_rate, frame.layout.nb_channels, frame.format.name)
            if form != self._form and not self._start(frame, form):
                continue
            count = frame.samples
            if count > self._frame_size:
                self._frame_size = count
            self._timeline.frame(frame.pts, count)
            # The queue would check the timestamp against its own count, and it is noted now.
            frame.pts = None
            self._queue.write(frame)
            while self._queue.samples >= self._block:
                self._measure(self._queue.read(self._block))

    def _note_skipped(self, packet: av.Packet[Any]) -> None:
        if packet.has_sidedata("skip_samples"):
            # AVPacketSideData SKIP_SAMPLES: u32le samples to skip at the start, u32le at the end, two reasons.
            start, end = struct.unpack_from("<II", bytes(packet.get_sidedata("skip_samples")))
            self._priming += start
            self._padding += end

    def _start(self, frame: av.AudioFrame, form: Form) -> bool:
        """Take up the form of the first frame; False for a frame of another form, which is left out."""
        rate, channels, name = form
        if self._form is not None or not is_measurable(rate, channels):
            was = "{} Hz, {} channels, {}".format(*self._form) if self._form else "its declared form"
            self.change_problem(f"from {was} to {rate} Hz, {channels} channels, {name}")
            return False
        self._form = form
        self._rate = rate
        self._block = block_seconds(channels, rate) * rate
        self._timeline.start(rate)
        names = tuple(channel.name for channel in frame.layout.channels)
        # A stream that names no layout has as many channels all the same.
        self._names = names if len(set(names)) == len(names) == channels and "NONE" not in names else names_of(channels)
        scale = {"pcm_alaw": ALAW_SCALE, "pcm_mulaw": MULAW_SCALE}.get(self.codec, SCALES[name.removesuffix("p")])
        assert isinstance(self.stream, av.AudioStream)
        self._played = played_of(self.stream, self._reading, rate)
        limit = None if self._played is None else self._played.limit(self.codec)
        self._meter = AudioMeter(self._names, rate, scale, limit)
        return True

    def _measure(self, frame: av.AudioFrame | None) -> None:
        """Hand a block of sound, or what is left of one, to the meter."""
        if frame is None or self._meter is None:
            return
        starts = [plane.buffer_ptr for plane in audio_planes(frame)]
        if frame.format.is_planar:
            self._meter.input.add_planar(starts, frame.samples)
        else:
            self._meter.input.add_interleaved(starts[0], frame.samples)

    def _bounds(self, samples: int, dropped: int) -> SampleBounds | None:
        played = self._played
        if is_exact(self.codec) or not samples:
            return None
        if played is not None and abs(samples - played.samples) <= played.slack:
            if not played.slack:
                return None
            return SampleBounds(
                low=max(0, played.samples - played.slack),
                high=min(played.samples + played.slack, samples + dropped),
                declared=True,
                reason=f"the edit list counts in ticks of {float(played.tick):.6g} s",
            )
        if self._exact_total or self._padding:
            return None
        return SampleBounds(
            low=max(0, samples - max(0, self._frame_size - 1)),
            high=samples,
            declared=False,
            reason=f"the container does not say how much of the last {self.codec} frame is padding",
        )

    def end(self) -> Callable[[], AudioStream]:
        """Take what is left in the queue, and what FFmpeg knows; what is returned makes the facts of it."""
        context = self.stream.codec_context
        assert isinstance(context, av.AudioCodecContext)
        if self._queue.samples:
            self._measure(self._queue.read(partial=True))
        if self._meter is None:
            self._rate, channels = context.sample_rate, context.channels
            if not is_measurable(self._rate, channels):
                self._rate, channels = 1, 1
            self._names = names_of(channels)
            self._meter = AudioMeter(self._names, self._rate, SCALES["flt"])
        self._meter.flush()
        dropped = self._meter.input.dropped
        samples = self._meter.input.taken
        lossy = not is_exact(self.codec)
        return partial(
            self._meter.finish,
            AudioHeader(
                index=self.stream.index,
                codec=self.codec,
                profile=self.profile,
                time_base=self.time_base,
                declared_duration=self.declared_duration,
                packets=self.packets,
                decode_errors=self.errors,
                decode_error_spans=tuple(self.error_spans),
                missing_timestamps=self._timeline.missing,
                timeline=self._timeline.finish(Fraction(dropped, self._rate)),
                sample_format=context.format.name if context.format else None,
                lossy=lossy,
                frame_size=self._frame_size or None if lossy else None,
                samples_bounds=self._bounds(samples, dropped),
                priming=self._priming,
                padding=self._padding + dropped,
            ),
        )


def audio_planes(frame: av.AudioFrame) -> list[av.audio.plane.AudioPlane]:
    """The planes of a frame: one a channel, or one of all where they are interleaved.

    ``frame.planes`` goes on behind the last one where there are more than eight, with what stands in memory there.

    Raises:
        ValueError: they hold fewer samples than the frame says.
    """
    planar, channels = frame.format.is_planar, frame.layout.nb_channels
    wanted = channels if planar else 1
    planes = list(frame.planes[:wanted])
    needed = frame.samples * frame.format.bytes * channels // wanted
    if len(planes) < wanted or any(plane.buffer_size < needed for plane in planes):
        raise ValueError(f"{len(planes)} planes hold no {frame.samples} samples of {channels} channels")
    return planes


class VideoTrack(Track):
    def __init__(self, stream: av.VideoStream, format_name: str) -> None:
        super().__init__(stream)
        self._meter = VideoMeter()
        self._timeline = VideoTimeline(self.time_base, precision_of(format_name, self.codec, self.time_base))

    def take(self, packet: av.Packet[Any]) -> None:
        for frame in self.decode(packet):
            assert isinstance(frame, av.VideoFrame)
            self._timeline.frame(frame.pts, frame.duration or 0)
            self._meter.update(frame)
            if self._meter.changed_size:
                self.change_problem("size or pixel format")

    def end(self) -> Callable[[], VideoStream]:
        """Take what FFmpeg knows; what is returned makes the facts of it."""
        stream = self.stream
        assert isinstance(stream, av.VideoStream)
        context = stream.codec_context
        rate = stream.average_rate or stream.guessed_rate
        aspect = stream.sample_aspect_ratio
        return partial(
            self._meter.finish,
            VideoHeader(
                index=stream.index,
                codec=self.codec,
                profile=self.profile,
                time_base=self.time_base,
                declared_duration=self.declared_duration,
                packets=self.packets,
                decode_errors=self.errors,
                decode_error_spans=tuple(self.error_spans),
                width=context.width,
                height=context.height,
                pixel_format=context.pix_fmt,
                sample_aspect_ratio=Fraction(aspect) if aspect else None,
                declared_rate=Fraction(rate) if rate else None,
                damaged=self.damaged,
            ),
            self._timeline,
        )


def other_stream(stream: av.stream.Stream) -> OtherStream:
    """A stream that is named and not decoded."""
    context = stream.codec_context
    base = stream.time_base
    return OtherStream(
        index=stream.index,
        codec=context.name if context else None,
        time_base=base,
        start=None if stream.start_time is None or base is None else stream.start_time * base,
        declared_duration=None if stream.duration is None or base is None else stream.duration * base,
        media_type=stream.type,
        attached_picture=is_attached_picture(stream),
    )


def is_attached_picture(stream: av.stream.Stream) -> bool:
    return bool(stream.disposition & av.stream.Disposition.attached_pic)
