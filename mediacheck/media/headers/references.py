"""Playlists and descriptions: text that makes a decoder open something else. They are refused, never followed."""

from __future__ import annotations

import re

_ROOTS = {
    "mpd": "a DASH manifest",
    "smoothstreamingmedia": "a Smooth Streaming manifest",
    "asx": "an ASX playlist",
    "smil": "a SMIL presentation",
    "playlist": "an XSPF playlist",
    "compositionplaylist": "an IMF composition playlist",
    "assetmap": "an IMF asset map",
    "packinglist": "an IMF packing list",
}
"""Root elements of XML files, without their name space."""

_STARTS = (
    (re.compile(r"#EXTM3U|#EXT-X-|#EXTINF:", re.I), "an M3U playlist"),
    (re.compile(r"ffconcat\s+version|file[ \t]+\S[^\n]*\n\s*(file|duration|inpoint)\s", re.I), "a concat script"),
    (re.compile(r"\[playlist\]", re.I), "a PLS playlist"),
    (re.compile(r"\[reference\]\s*\n\s*ref\d+\s*=", re.I), "an ASX playlist"),
    (re.compile(r"v=0\s*\n(?=(.*\n)*?[osmc]=)", re.I), "an SDP description"),
    (re.compile(r"#\s*VobSub index file", re.I), "a VobSub index"),
    (re.compile(r"RTSPtext", re.I), "an RTSP reference"),
)
_CUE = re.compile(r"^[ \t]*FILE[ \t]+\S.*\n[\s\S]*?^[ \t]*TRACK[ \t]+\d+[ \t]+\w", re.M | re.I)
_ADDRESS_KINDS = ("http", "https", "rtsp", "rtsps", "rtp", "rtmp", "mms", "mmsh", "pnm", "udp", "tcp", "file", "ftp",
                  "srt", "concat", "subfile", "hls", "data")  # fmt: skip
_XML_ROOT = re.compile(r"<(?![?!])(?:[\w.-]+:)?([\w.-]+)")

HEAD = 4096
"""Bytes of the file's start that are looked at."""


def refusal(head: bytes) -> str | None:
    """Why a file that starts with these bytes must not be opened; None where nothing speaks against it."""
    kind = _kind(_text(head))
    return f"the file is {kind}: it names other files, which are not opened" if kind else None


def _text(head: bytes) -> str:
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = head[: len(head) // 2 * 2].decode("utf-16", "replace")
    else:
        text = head.decode("latin-1").removeprefix("\xef\xbb\xbf")
    return text.lstrip().replace("\r\n", "\n").replace("\r", "\n")


def _kind(text: str) -> str | None:
    for pattern, kind in _STARTS:
        if pattern.match(text):
            return kind
    if text.startswith("<"):
        root = _XML_ROOT.search(re.sub(r"<!--[\s\S]*?(-->|$)", "", text))
        return _ROOTS.get(root.group(1).lower()) if root else None
    if text[:4].upper() in ("REM ", "FILE", "TITL", "PERF", "CATA") and _CUE.search(text):
        return "a cue sheet"
    line = text.partition("\n")[0].strip()
    if line.partition(":")[0].lower() in _ADDRESS_KINDS and ":" in line and not re.search(r"\s", line):
        return "a list of addresses"
    return None
