"""Uncompressed audio: our own reading of the header says where the samples lie and how they are stored.

libsndfile and FFmpeg both take the smaller of the declared size and the file without a word; here the bytes to decode
are exactly those that the header reader found, and what the header says of them is a fact of its own. Values are read
as they are stored; libsndfile decodes A-law and mu-law.
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from mediacheck.errors import UsageError
from mediacheck.facts import AudioStream, Libraries, Timeline
from mediacheck.media.audio_meter import AudioHeader, AudioMeter
from mediacheck.media.channels import is_measurable, names_of
from mediacheck.media.files import Window
from mediacheck.media.kernel import Stored
from mediacheck.media.reading import PcmLayout
from mediacheck.media.scales import ALAW_SCALE, MULAW_SCALE, SCALES, SampleScale

if TYPE_CHECKING:
    from soundfile import SoundFile

SUBTYPES = {
    "u8": "PCM_U8",
    "s8": "PCM_S8",
    "s16": "PCM_16",
    "s24": "PCM_24",
    "s32": "PCM_32",
    "flt": "FLOAT",
    "dbl": "DOUBLE",
    "alaw": "ALAW",
    "mulaw": "ULAW",
}
WIDTHS = {"u8": 1, "s8": 1, "s16": 2, "s24": 3, "s32": 4, "flt": 4, "dbl": 8, "alaw": 1, "mulaw": 1}
PCM_SCALES = {
    "u8": SCALES["u8"],
    "s8": SampleScale(Stored.S8, divisor=128.0, low=-1.0, high=127 / 128),
    "s16": SCALES["s16"],
    "s24": SampleScale(Stored.S24, divisor=8388608.0),
    "s32": SCALES["s32"],
    "flt": SCALES["flt"],
    "dbl": SCALES["dbl"],
}
# libsndfile has scaled these to 1.0 already; what is left is which codes stand at full scale.
COMPANDED_SCALES = {
    "alaw": SampleScale(Stored.DBL, low=ALAW_SCALE.low, high=ALAW_SCALE.high),
    "mulaw": SampleScale(Stored.DBL, low=MULAW_SCALE.low, high=MULAW_SCALE.high),
}
READ_BYTES = 1 << 19
"""Bytes read at a time: below the second-level cache of any processor, above the cost of a call."""


def parse_raw(spec: str, size: int) -> PcmLayout:
    """What ``--raw s16le:24000:1`` says of a file of ``size`` bytes without a header.

    Raises:
        UsageError: the text is not ENCODING:RATE:CHANNELS.
    """
    parts = spec.split(":")
    name = parts[0].lower()
    encoding = {"f32": "flt", "f64": "dbl"}.get(name.removesuffix("le").removesuffix("be"), "")
    encoding = encoding or name.removesuffix("le").removesuffix("be")
    try:
        rate, channels = int(parts[1]), int(parts[2])
    except (IndexError, ValueError):
        rate = channels = 0
    if len(parts) != 3 or encoding not in WIDTHS or not is_measurable(rate, channels):
        raise UsageError(
            f"--raw {spec!r}: write ENCODING:RATE:CHANNELS, such as s16le:24000:1; the encodings are "
            "u8, s8, s16le, s24le, s32le, f32le, f64le (be for big-endian), alaw, mulaw"
        )
    block = WIDTHS[encoding] * channels
    return PcmLayout(
        encoding=encoding,  # type: ignore[arg-type]
        big_endian=name.endswith("be"),
        sample_rate=rate,
        channels=channels,
        offset=0,
        length=size - size % block,
    )


def frame_bytes(pcm: PcmLayout) -> int:
    """Bytes of one sample of every channel."""
    return WIDTHS[pcm.encoding] * pcm.channels


def codec_name(pcm: PcmLayout) -> str:
    """FFmpeg's name of the codec: ``pcm_s16le``."""
    base = {"flt": "f32", "dbl": "f64"}.get(pcm.encoding, pcm.encoding)
    if WIDTHS[pcm.encoding] == 1:
        return f"pcm_{base}"
    return f"pcm_{base}{'be' if pcm.big_endian else 'le'}"


def decode_pcm(path: Path, pcm: PcmLayout) -> AudioStream:
    """Decode the samples that ``pcm`` describes and measure them."""
    names = names_of(pcm.channels, pcm.channel_mask)
    plain = pcm.encoding in PCM_SCALES
    scale = PCM_SCALES[pcm.encoding] if plain else COMPANDED_SCALES[pcm.encoding]
    meter = AudioMeter(names, pcm.sample_rate, replace(scale, big_endian=plain and pcm.big_endian))
    if pcm.length:
        with path.open("rb", buffering=0) as file:
            if plain:
                _read_plain(file, pcm, meter)
            else:
                with open_raw(file, pcm) as sound:
                    read_into(sound, meter)
    return sound_facts(
        meter,
        pcm.sample_rate,
        codec=codec_name(pcm),
        sample_format=pcm.encoding,
        declared_samples=pcm.declared_samples,
    )


def libsndfile_version() -> str:
    import soundfile

    return str(soundfile.__libsndfile_version__)


def libraries_for(pcm: PcmLayout) -> Libraries:
    """What decodes it besides our own reading."""
    if pcm.encoding in PCM_SCALES:
        return Libraries()
    return Libraries(libsndfile=libsndfile_version())


def _read_plain(file: BinaryIO, pcm: PcmLayout, meter: AudioMeter) -> None:
    """Hand on samples as they are stored."""
    frame = frame_bytes(pcm)
    window = Window(file, pcm.offset, pcm.length)
    buffer = array("B", [0]) * (max(1, READ_BYTES // frame) * frame)
    while got := _fill(window, memoryview(buffer)):
        meter.input.add_interleaved(buffer.buffer_info()[0], got // frame)


def _fill(window: Window, buffer: memoryview) -> int:
    """Read until the buffer is full or the window ends: a raw read may give less than it was asked for."""
    filled = 0
    while filled < len(buffer) and (got := window.readinto(buffer[filled:])):
        filled += got
    return filled


def open_raw(file: BinaryIO, pcm: PcmLayout) -> SoundFile:
    """The samples that ``pcm`` describes, as libsndfile reads them."""
    import soundfile

    return soundfile.SoundFile(
        Window(file, pcm.offset, pcm.length),
        format="RAW",
        subtype=SUBTYPES[pcm.encoding],
        endian="BIG" if pcm.big_endian else "LITTLE",
        samplerate=pcm.sample_rate,
        channels=pcm.channels,
    )


def read_into(sound: SoundFile, meter: AudioMeter, order: tuple[int, ...] | None = None) -> None:
    """Hand all samples of ``sound`` to ``meter``, a second or less at a time.

    Args:
        sound: an open file.
        meter: made for as many channels.
        order: which of the file's channels is the meter's first, second, …; None: as they are.
    """
    frames = max(1, min(sound.samplerate, 1 << 20) // max(1, sound.channels))
    buffer = array("d", [0.0]) * (frames * sound.channels)
    while count := sound.buffer_read_into(buffer, dtype="float64"):
        meter.input.add_interleaved(buffer.buffer_info()[0], count, order)


def sound_facts(
    meter: AudioMeter,
    sample_rate: int,
    *,
    codec: str | None,
    sample_format: str | None,
    declared_samples: int | None = None,
    lossy: bool = False,
) -> AudioStream:
    """The facts of a stream that has no packets of its own: its clock is its sample count."""
    meter.flush()
    return meter.finish(
        AudioHeader(
            codec=codec,
            time_base=Fraction(1, sample_rate),
            declared_duration=None if declared_samples is None else Fraction(declared_samples, sample_rate),
            timeline=Timeline(first=Fraction(0), end=Fraction(meter.input.taken, sample_rate)),
            sample_format=sample_format,
            lossy=lossy,
        )
    )
