"""Text that names other media is refused; other text is no media."""

from __future__ import annotations

import pytest

from tests.unit.media.headers.build import read
from tests.work import ends

REFUSED = {
    "m3u8": "#EXTM3U\n#EXT-X-VERSION:3\n#EXTINF:1,\nhttp://example.com/a.ts\n",
    "m3u8 behind a byte order mark": "\ufeff#EXTM3U\r\na.ts\r\n",
    "ffconcat": "ffconcat version 1.0\nfile 'a.mp4'\n",
    "concat": "file 'a.mp4'\nfile 'b.mp4'\n",
    "mpd": '<?xml version="1.0"?>\n<!-- made by hand -->\n<MPD xmlns="urn:mpeg:dash:schema:mpd:2011"></MPD>',
    "name space": '<?xml version="1.0"?><dash:MPD xmlns:dash="urn:mpeg:dash"></dash:MPD>',
    "smooth": "<SmoothStreamingMedia></SmoothStreamingMedia>",
    "asx": '<ASX version="3.0"><entry><ref href="http://example.com/a"/></entry></ASX>',
    "smil": '<smil xmlns="http://www.w3.org/ns/SMIL"></smil>',
    "xspf": '<?xml version="1.0"?><playlist version="1"></playlist>',
    "pls": "[playlist]\nFile1=http://example.com/a.mp3\n",
    "asx reference": "[Reference]\nRef1=http://example.com/a.asf\n",
    "sdp": "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nm=audio 5004 RTP/AVP 0\r\n",
    "cue": 'REM GENRE Rock\nPERFORMER "x"\nFILE "a.wav" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n',
    "idx": "# VobSub index file, v7 (do not modify this line!)\n",
    "rtsp": "rtsp://example.com/live\n",
    "http": "http://example.com/a.mp3",
}
PLAIN = {
    "html": "<!DOCTYPE html><html><body>http://example.com</body></html>",
    "json": '{"file": "http://example.com"}',
    "prose": "File this under music: it has a track 01 audio.",
    "svg": '<?xml version="1.0"?><svg></svg>',
    "error": "http error 500: try again",
    "csv": "file,duration\na.wav,1\n",
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    reading = read(REFUSED[name].encode())
    assert reading.refused is not None
    assert (reading.family, reading.complete) == (None, None)


def test_refused_in_utf_16() -> None:
    assert read(REFUSED["asx"].encode("utf-16")).refused is not None


@pytest.mark.parametrize("name", PLAIN)
def test_not_refused(name: str) -> None:
    reading = read(PLAIN[name].encode())
    assert (reading.refused, reading.family) == (None, None)


@pytest.mark.parametrize(
    "text", ["file " + "a" * 4000, "http:" + ".a" * 2000, "FILE " * 800, "v=0\n" * 1000, "<!--" * 1000, "\n" * 4000]
)
def test_no_text_keeps_the_patterns_busy(text: str) -> None:
    with ends():
        read(text.encode())
