"""What the installed decoders can read, for ``mediacheck doctor``."""

from __future__ import annotations

from importlib import metadata
from typing import Literal

from mediacheck.facts import Struct, Tag

_DEMUXERS = ("wav", "w64", "aiff", "flac", "mp3", "ogg", "aac", "mov", "matroska", "mpegts", "avi")
_DECODERS = (
    "pcm_u8",
    "pcm_s16le",
    "pcm_s24le",
    "pcm_s32le",
    "pcm_f32le",
    "pcm_f64le",
    "pcm_alaw",
    "pcm_mulaw",
    "flac",
    "mp2",
    "mp3",
    "vorbis",
    "opus",
    "aac",
    "h264",
    "hevc",
    "av1",
    "vp8",
    "vp9",
)


class Capability(Struct, kw_only=True):
    """One format or codec that mediacheck supports."""

    kind: Literal["demuxer", "decoder"]
    name: str
    available: bool


def libraries() -> tuple[Tag, ...]:
    """The decoders and what they stand on, with versions."""
    import av
    import soundfile

    from mediacheck.media.kernel import source_digest

    ffmpeg = (
        Tag(key=name, value=".".join(str(part) for part in version))
        for name, version in sorted(av.library_versions.items())
    )
    return (
        Tag(key="av", value=av.__version__),
        Tag(key="ffmpeg", value=av.ffmpeg_version_info),
        *ffmpeg,
        Tag(key="soundfile", value=soundfile.__version__),
        Tag(key="libsndfile", value=soundfile.__libsndfile_version__),
        Tag(key="numpy", value=metadata.version("numpy")),
        Tag(key="kernel", value=f"built from {source_digest()[:12]}"),
    )


def capabilities() -> tuple[Capability, ...]:
    """Which of the supported demuxers and decoders this build of FFmpeg has."""
    import av
    from av.codec.codec import UnknownCodecError

    def decodes(name: str) -> bool:
        try:
            av.Codec(name, "r")
        except UnknownCodecError:
            return False
        return True

    # FFmpeg registers some demuxers under several names at once: "mov,mp4,m4a,3gp,3g2,mj2".
    formats = {name for names in av.formats_available for name in names.split(",")}
    return (
        *(Capability(kind="demuxer", name=name, available=name in formats) for name in _DEMUXERS),
        *(Capability(kind="decoder", name=name, available=decodes(name)) for name in _DECODERS),
    )
