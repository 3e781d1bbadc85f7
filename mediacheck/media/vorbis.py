"""Vorbis in Ogg goes through libsndfile: FFmpeg starts its output with the second packet and loses the first block.

(43972 of the 44100 samples of a one-second file, say. FFmpeg still gives the packets and their timestamps.)
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path

import av
import msgspec

from mediacheck.facts import AudioStream
from mediacheck.media.audio_meter import AudioHeader, AudioMeter
from mediacheck.media.channels import MASK_NAMES, names_of
from mediacheck.media.pcm import read_into
from mediacheck.media.scales import SCALES
from mediacheck.media.timeline import AudioTimeline

# The order in which Vorbis stores channels (Vorbis I, 4.3.9), in FFmpeg's names. libsndfile keeps it.
VORBIS_ORDER: tuple[tuple[str, ...], ...] = (
    ("FC",),
    ("FL", "FR"),
    ("FL", "FC", "FR"),
    ("FL", "FR", "BL", "BR"),
    ("FL", "FC", "FR", "BL", "BR"),
    ("FL", "FC", "FR", "BL", "BR", "LFE"),
    ("FL", "FC", "FR", "SL", "SR", "BC", "LFE"),
    ("FL", "FC", "FR", "SL", "SR", "BL", "BR", "LFE"),
)


def channel_order(channels: int) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The channels' names in the order of speaker masks, and where each stands in Vorbis's own order."""
    if channels > len(VORBIS_ORDER):
        return names_of(channels), tuple(range(channels))
    stored = VORBIS_ORDER[channels - 1]
    names = tuple(sorted(stored, key=MASK_NAMES.index))
    return names, tuple(stored.index(name) for name in names)


def is_plain_vorbis(container: av.container.InputContainer) -> bool:
    """Whether the file is Ogg with one Vorbis stream and nothing else."""
    return container.format.name == "ogg" and [s.codec_context and s.codec_context.name for s in container.streams] == [
        "vorbis"
    ]


def decode_vorbis(path: Path, container: av.container.InputContainer) -> Callable[[], AudioStream]:
    """Measure the file's only stream; what is returned makes its facts.

    What libsndfile cannot open or read on counts as a decoding error.
    """
    import soundfile

    stream = container.streams.audio[0]
    time_base = stream.time_base or Fraction(1, stream.rate)
    timeline = AudioTimeline(time_base, time_base)
    packets = 0
    end: Fraction | None = None
    errors = 0
    try:
        for packet in container.demux(stream):
            if packet.size:
                packets += 1
                timeline.packet(packet.pts, packet.duration or 0)
                if packet.pts is not None:
                    end = (packet.pts + (packet.duration or 0)) * time_base
    except MemoryError:
        raise
    except (av.FFmpegError, ValueError, LookupError):
        # A chain whose next link has another form, say.
        errors += 1
    names, order = channel_order(max(1, stream.codec_context.channels))
    meter = AudioMeter(names, stream.rate, SCALES["dbl"])
    try:
        with path.open("rb") as file, soundfile.SoundFile(file) as sound:
            if sound.channels == len(order):
                read_into(sound, meter, order)
    except soundfile.LibsndfileError:
        errors += 1
    meter.flush()
    return partial(
        meter.finish,
        AudioHeader(
            codec="vorbis",
            time_base=time_base,
            declared_duration=None if stream.duration is None else stream.duration * time_base,
            packets=packets,
            decode_errors=errors,
            missing_timestamps=timeline.missing,
            # Ogg counts samples as they are played: the first has number 0, whatever its packet's extrapolated stamp.
            timeline=msgspec.structs.replace(timeline.finish(Fraction(0)), first=Fraction(0), end=end),
            sample_format=stream.codec_context.format.name if stream.codec_context.format else None,
            lossy=True,
        ),
    )
