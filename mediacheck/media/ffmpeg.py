"""Decoding with FFmpeg: all streams of a container in one pass."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import av
import av.container
import msgspec

from mediacheck.facts import ContainerFacts, Libraries, Problem, Stream
from mediacheck.media.container import describe, not_media, open_container
from mediacheck.media.decoded import Decoded
from mediacheck.media.log import Log, error_log
from mediacheck.media.pcm import libsndfile_version
from mediacheck.media.reading import ContainerReading
from mediacheck.media.tracks import AudioTrack, VideoTrack, is_attached_picture, other_stream
from mediacheck.media.vorbis import decode_vorbis, is_plain_vorbis

DECODER_THREADS = 1
"""With several, which frame of a damaged stream an error falls on depends on timing, and so would the facts."""
CHECKSUMMED = frozenset({"ac3", "eac3", "ffv1", "flac", "mjpeg", "mlp", "png", "truehd", "tta", "wavpack"})
"""Codecs whose frames carry checksums or leave no room for doubt: FFmpeg hands out damaged ones unless told not to."""
DAMAGE_IN_THE_LOG = frozenset({"ffv1", "mjpeg"})
"""Codecs whose decoders hand out a damaged picture as a good one and say so in FFmpeg's log alone (at level ERROR). The
others raise or mark the frame; H.264's log speaks of harmless things too, such as the start of a copied stream."""
LIBRARIES = Libraries(ffmpeg=av.ffmpeg_version_info)


def decode_ffmpeg(source: Path, size: int, reading: ContainerReading) -> Decoded:
    """Decode with FFmpeg; what cannot be opened or read on is a problem among the facts."""
    with error_log() as log:
        return _decode(source, size, reading, log)


def _decode(source: Path, size: int, reading: ContainerReading, log: Log) -> Decoded:
    try:
        container = open_container(source, reading)
    except MemoryError:
        # A damaged header that asks for more than FFmpeg hands out: nothing was decoded yet that could take as much.
        message = "the header asks for more memory than FFmpeg hands out"
        problem = Problem(code="not_media", message=message, affects="decodable")
        return Decoded(ContainerFacts(format=None, problems=(problem,)))
    except (av.FFmpegError, ValueError, OSError):
        return Decoded(ContainerFacts(format=None, problems=(not_media(source, size, reading.family),)))
    libraries = LIBRARIES
    with container:
        facts = describe(container)
        if is_plain_vorbis(container):
            libraries = msgspec.structs.replace(LIBRARIES, libsndfile=libsndfile_version())
            ended: list[Callable[[], Stream]] = [decode_vorbis(source, container)]
        else:
            facts, ended = _decode_streams(container, facts, reading, log)
    # With it go the decoders, which its streams hold.
    del container
    return Decoded(facts, tuple(facts_of() for facts_of in ended), libraries)


def _decode_streams(
    container: av.container.InputContainer, facts: ContainerFacts, reading: ContainerReading, log: Log
) -> tuple[ContainerFacts, list[Callable[[], Stream]]]:
    """Decode all to the end: what the container says, and of each stream what makes its facts."""
    # What was said while the container was opened is of no packet.
    log.clear()
    tracks: dict[int, AudioTrack | VideoTrack] = {}
    problems: list[Problem] = []
    for stream in container.streams:
        if is_attached_picture(stream) or stream.type not in ("audio", "video"):
            continue
        if stream.codec_context is None:
            message = f"stream {stream.index} ({stream.type}) is in a codec that no decoder here reads"
            problems.append(Problem(code="no_decoder", message=message, affects="decodable"))
            continue
        stream.codec_context.thread_count = DECODER_THREADS
        if stream.codec_context.name in CHECKSUMMED:
            stream.codec_context.options = {"err_detect": "crccheck+explode"}
        if isinstance(stream, av.AudioStream):
            tracks[stream.index] = AudioTrack(stream, facts.format or "", reading)
        elif isinstance(stream, av.VideoStream):
            tracks[stream.index] = VideoTrack(stream, facts.format or "")
    if tracks:
        try:
            # All streams in one pass: demuxed one after the other, the later ones would find the file at its end.
            for packet in container.demux([track.stream for track in tracks.values()]):
                # Not packet.stream_index: the empty packets that end each stream all say 0.
                if track := tracks.get(packet.stream.index):
                    track.take(packet)
                    if log:
                        if track.codec in DAMAGE_IN_THE_LOG and any(name == track.codec for _, name, _ in log):
                            track.damaged += 1
                        log.clear()
        except MemoryError:
            raise
        except (av.FFmpegError, ValueError, LookupError) as error:
            # LookupError: PyAV's answer to a stream that a damaged file brings up only on the way.
            reason = getattr(error, "strerror", None) or str(error)
            message = f"reading stops before the end: {reason}"
            problems.append(Problem(code="demux_error", message=message, affects="decodable"))
    ended: list[Callable[[], Stream]] = []
    for stream in container.streams:
        track = tracks.get(stream.index)
        if track is None:
            ended.append(partial(_same, other_stream(stream)))
        else:
            ended.append(track.end())
            problems.extend(track.problems)
    return msgspec.structs.replace(facts, problems=tuple(problems)), ended


def _same(stream: Stream) -> Stream:
    return stream
