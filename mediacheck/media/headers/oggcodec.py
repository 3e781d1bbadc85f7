"""What the codecs inside Ogg put into their first page, and what a granule position counts for each."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from mediacheck.media.headers.flac import total_samples

_SEQUENCES = 1 << 32
"""Page numbers are 32-bit and wrap."""
_AUDIO = ("vorbis", "opus", "flac", "speex")


@dataclass
class OggStream:
    """One logical stream, filled while its pages go by."""

    serial: int
    codec: str | None
    pre_skip: int = 0
    """Samples at 48 kHz (Opus)."""
    longest_packet: int = 0
    """Samples that a packet can hold at most (Vorbis)."""
    total: int = 0
    """Samples by the codec's own header (FLAC); 0 where it gives none."""
    ended: bool = False
    first_granule: int | None = None
    last_granule: int | None = None
    starts_at_zero: bool = True
    """False where the stream was cut out of a longer one, so that granules do not count from its start, or where
    damage hides whether it was."""
    next_sequence: int | None = None
    """The number that the next page should have; None before the first."""

    def lost_before(self, sequence: int) -> int:
        """Pages missing before the one with this number, which is counted as seen.

        Numbers that repeat or run backwards come from writers that do not count, and speak of no loss.
        """
        ahead = 0 if self.next_sequence is None else (sequence - self.next_sequence) % _SEQUENCES
        self.next_sequence = (sequence + 1) % _SEQUENCES
        return ahead if ahead < _SEQUENCES // 2 else 0

    def take_damaged(self, sequence: int, *, last: bool) -> None:
        """Take a page whose checksum is wrong: nothing that it says of the sound is believed."""
        if self.next_sequence is not None and sequence == self.next_sequence:
            self.next_sequence = (sequence + 1) % _SEQUENCES
        if self.first_granule is None:
            self.starts_at_zero = False
        self.last_granule = None
        self.ended = last or self.ended

    def take_first(self, granule: int, lacing: bytes, body: bytes, *, continued: bool) -> None:
        """Take the first page on which sound ends: is its granule more than its packets can hold?"""
        self.first_granule = granule
        packets = _packets(lacing, body)
        if self.codec == "opus" and not continued:
            held = sum(opus_samples(packet) for packet in packets)
            self.starts_at_zero = granule <= held
        elif self.codec == "vorbis":
            self.starts_at_zero = granule <= len(packets) * self.longest_packet


def identify(serial: int, packet: bytes) -> OggStream:
    """The stream that a first packet (its first 512 bytes are enough) announces."""
    if packet[:8] == b"OpusHead" and len(packet) >= 12:
        return OggStream(serial, "opus", pre_skip=struct.unpack("<H", packet[10:12])[0])
    if packet[:7] == b"\x01vorbis" and len(packet) >= 29:
        # Vorbis I, 4.2.2: the exponents of the two block sizes; a packet gives half a long block at most.
        return OggStream(serial, "vorbis", longest_packet=1 << (packet[28] >> 4) >> 1)
    if packet[:5] == b"\x7fFLAC" and len(packet) >= 51:
        # RFC 9639, 10.1: nine bytes of mapping header, "fLaC", the block's header, then STREAMINFO.
        return OggStream(serial, "flac", total=total_samples(packet[17:51]))
    if packet[:8] == b"Speex   ":
        return OggStream(serial, "speex")
    if packet[:7] == b"\x80theora":
        return OggStream(serial, "theora")
    return OggStream(serial, None)


def declared_samples(streams: list[OggStream]) -> int | None:
    """Samples per channel after trimming; None where several sounds, or none that counts, are in the file."""
    sounds = [stream for stream in streams if stream.codec in _AUDIO]
    if len(sounds) != 1:
        return None
    stream = sounds[0]
    if stream.codec == "flac" and stream.total:
        return stream.total
    if stream.codec == "speex" or not stream.last_granule or not stream.starts_at_zero or not stream.ended:
        return None
    # RFC 7845, section 4.3: the end trim is in the last granule, the pre-skip is not.
    samples = stream.last_granule - stream.pre_skip
    return samples if 0 < samples < 1 << 62 else None


def opus_samples(packet: bytes) -> int:
    """Samples at 48 kHz of one Opus packet, by its first two bytes (RFC 6716, section 3.1)."""
    if not packet:
        return 0
    config, code = packet[0] >> 3, packet[0] & 3
    if config < 12:
        frame = (480, 960, 1920, 2880)[config % 4]
    elif config < 16:
        frame = (480, 960)[config % 2]
    else:
        frame = (120, 240, 480, 960)[config % 4]
    if code == 3:
        return frame * (packet[1] & 0x3F) if len(packet) > 1 else 0
    return frame * (1 if code == 0 else 2)


def _packets(lacing: bytes, body: bytes) -> list[bytes]:
    """The packets that end on a page; the first may lack its start."""
    packets = []
    start = end = 0
    for value in lacing:
        end += value
        if value < 255:
            packets.append(body[start:end])
            start = end
    return packets
