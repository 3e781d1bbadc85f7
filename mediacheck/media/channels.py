"""Names of channels, for loudness weights and for the layout that a PCM header states by a mask or not at all."""

from __future__ import annotations

MAX_RATE = 10_000_000
"""Hz. No sound is sampled faster; a header that says so is broken."""
MAX_CHANNELS = 1024
"""libsndfile's own limit."""
MAX_BLOCK = 1 << 25
"""Samples of all channels in one second, which a block holds at least; there are two blocks (512 MB)."""


def is_measurable(sample_rate: int, channels: int) -> bool:
    """Whether sound of this form exists, and a second of it fits into memory."""
    return 0 < sample_rate <= MAX_RATE and 0 < channels <= MAX_CHANNELS and sample_rate * channels <= MAX_BLOCK


# Bit n of WAVE_FORMAT_EXTENSIBLE's speaker mask, in FFmpeg's names.
MASK_NAMES = (
    "FL", "FR", "FC", "LFE", "BL", "BR", "FLC", "FRC", "BC", "SL", "SR", "TC", "TFL", "TFC", "TFR", "TBL", "TBC", "TBR",
)  # fmt: skip

# What FFmpeg (and players) take a number of channels for where nothing names them.
DEFAULT_NAMES: tuple[tuple[str, ...], ...] = (
    ("FC",),
    ("FL", "FR"),
    ("FL", "FR", "LFE"),
    ("FL", "FR", "FC", "BC"),
    ("FL", "FR", "FC", "BL", "BR"),
    ("FL", "FR", "FC", "LFE", "BL", "BR"),
    ("FL", "FR", "FC", "LFE", "BC", "SL", "SR"),
    ("FL", "FR", "FC", "LFE", "BL", "BR", "SL", "SR"),
)

LAYOUT_NAMES = {
    ("FC",): "mono",
    ("FL", "FR"): "stereo",
    ("FL", "FR", "LFE"): "2.1",
    ("FL", "FR", "FC"): "3.0",
    ("FL", "FR", "FC", "LFE"): "3.1",
    ("FL", "FR", "FC", "BC"): "4.0",
    ("FL", "FR", "BL", "BR"): "quad",
    ("FL", "FR", "SL", "SR"): "quad(side)",
    ("FL", "FR", "FC", "BL", "BR"): "5.0",
    ("FL", "FR", "FC", "SL", "SR"): "5.0(side)",
    ("FL", "FR", "FC", "LFE", "BL", "BR"): "5.1",
    ("FL", "FR", "FC", "LFE", "SL", "SR"): "5.1(side)",
    ("FL", "FR", "FC", "LFE", "BC", "SL", "SR"): "6.1",
    ("FL", "FR", "FC", "LFE", "BL", "BR", "SL", "SR"): "7.1",
}


def names_of(channels: int, mask: int | None = None) -> tuple[str, ...]:
    """The channels' names by a speaker mask where it names as many as there are, else by their number."""
    if mask:
        named = tuple(name for bit, name in enumerate(MASK_NAMES) if mask >> bit & 1)
        if len(named) == channels:
            return named
    if channels <= len(DEFAULT_NAMES):
        return DEFAULT_NAMES[channels - 1]
    return tuple(f"C{n}" for n in range(channels))


def layout_of(names: tuple[str, ...]) -> str:
    """FFmpeg's name of a layout; the channels' own names where it has none."""
    return LAYOUT_NAMES.get(names, "+".join(names) if not names[0].startswith("C") else f"{len(names)} channels")
