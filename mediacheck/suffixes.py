"""By which suffix a file of a folder counts as media; a file that is named counts whatever its suffix."""

from __future__ import annotations

# fmt: off
MEDIA_SUFFIXES = frozenset({
    ".wav", ".wave", ".bwf", ".rf64", ".w64", ".aif", ".aiff", ".aifc", ".au", ".snd", ".caf", ".flac", ".mp3",
    ".mp2", ".mp1", ".ogg", ".oga", ".ogv", ".opus", ".aac", ".adts", ".m4a", ".m4b", ".mp4", ".m4v", ".mov",
    ".3gp", ".3g2", ".webm", ".mkv", ".mka", ".ts", ".mts", ".m2ts", ".avi", ".mpg", ".mpeg", ".wma", ".wmv",
    ".asf", ".flv",
})
"""In lower case with the dot."""
RAW_SUFFIXES = frozenset({
    ".raw", ".pcm", ".u8", ".s8", ".s16", ".s16le", ".s16be", ".s24le", ".s32le", ".f32", ".f32le", ".f64le",
    ".alaw", ".ulaw",
})
"""Of PCM without a header."""
# fmt: on
