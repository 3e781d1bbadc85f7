"""Files that FFmpeg's muxers write: clean when whole, never whole when cut, counted as the decoders count."""

from __future__ import annotations

import io
import random
import subprocess
from pathlib import Path

import av
import pytest
import soundfile

from mediacheck.media.headers import read_container, read_source
from mediacheck.media.headers.source import Source
from mediacheck.media.headers.waveformat import SAMPLE_BYTES
from tests.needs import needs_program
from tests.unit.media.headers.build import codes

pytestmark = needs_program("ffmpeg")

SOUND = ["-f", "lavfi", "-i", "anoisesrc=r=44100:d=0.7:a=0.3:seed=1"]
PICTURE = ["-f", "lavfi", "-i", "testsrc=s=64x48:r=24:d=1"]
FILM = [*PICTURE, *SOUND, "-c:v", "mpeg4", "-g", "6", "-c:a", "aac"]

DECLARED = {
    "s16.wav": SOUND,
    "s24.wav": [*SOUND, "-c:a", "pcm_s24le"],
    "f32.wav": [*SOUND, "-c:a", "pcm_f32le"],
    "mulaw.wav": [*SOUND, "-c:a", "pcm_mulaw"],
    "rf64.wav": [*SOUND, "-rf64", "always"],
    "bext.wav": [*SOUND, "-write_bext", "1", "-metadata", "title=odd"],
    "adpcm.wav": [*SOUND, "-c:a", "adpcm_ms"],
    "s16.w64": SOUND,
    "s24.w64": [*SOUND, "-c:a", "pcm_s24le"],
    "s16.aif": SOUND,
    "sowt.aif": [*SOUND, "-c:a", "pcm_s16le"],
    "s24.aif": [*SOUND, "-c:a", "pcm_s24be"],
    "fl64.aif": [*SOUND, "-c:a", "pcm_f64be"],
    "cbr.mp3": [*SOUND, "-c:a", "libmp3lame"],
    "vbr.mp3": [*SOUND, "-c:a", "libmp3lame", "-q:a", "5", "-ac", "2"],
    "mpeg2.mp3": [*SOUND, "-c:a", "libmp3lame", "-ar", "22050"],
    "vorbis.ogg": [*SOUND, "-c:a", "libvorbis"],
    "flac.ogg": [*SOUND, "-c:a", "flac"],
    "sound.opus": [*SOUND, "-c:a", "libopus", "-ar", "48000"],
    "slow.mp4": FILM,
    "fast.mp4": [*FILM, "-movflags", "faststart"],
    "fragments.mp4": [*FILM, "-movflags", "frag_keyframe+empty_moov"],
    "delayed.mp4": [*FILM, "-movflags", "frag_keyframe+empty_moov+delay_moov+default_base_moof"],
    "pcm.mov": [*PICTURE, *SOUND, "-c:v", "mpeg4", "-c:a", "pcm_s16le"],
    "film.mkv": FILM,
    "film.webm": [*PICTURE, *SOUND, "-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libvorbis"],
    "sound.au": SOUND,
    "mulaw.au": [*SOUND, "-c:a", "pcm_mulaw"],
    "sound.caf": SOUND,
    "packets.caf": [*SOUND, "-c:a", "alac"],
    "film.avi": [*FILM, "-c:a", "mp2"],
}
"""Arguments that write a file which declares its length."""

STREAMED = {
    "wav": (SOUND, [("wav.size_placeholder", "header")]),
    "w64": (SOUND, [("wav.size_placeholder", "header")]),
    "aiff": (SOUND, [("aiff.size_placeholder", "header")]),
    "au": (SOUND, []),
    "caf": (SOUND, []),
    "flac": (SOUND, []),
    "mp3": ([*SOUND, "-c:a", "libmp3lame"], []),
    "adts": ([*SOUND, "-c:a", "aac"], []),
    "matroska": (FILM, []),
    "webm": ([*SOUND, "-c:a", "libvorbis", "-live", "1"], []),
    "mpegts": (FILM, []),
    "avi": ([*FILM, "-c:a", "mp2"], [("avi.size_placeholder", "header")]),
}
"""Arguments that write to a pipe, where no header can be corrected afterwards, and the problems that this leaves."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("containers")


def make(folder: Path, name: str) -> Path:
    path = folder / name
    if not path.exists():
        command = ["ffmpeg", "-v", "error", "-y", "-threads", "1", *DECLARED[name], "-bitexact", str(path)]
        subprocess.run(command, check=True, timeout=60)
    return path


@pytest.mark.parametrize("name", DECLARED)
def test_whole(folder: Path, name: str) -> None:
    reading = read_container(make(folder, name))
    assert (reading.complete, reading.problems, reading.refused) == (True, (), None)


@pytest.mark.parametrize("name", DECLARED)
def test_no_cut_looks_whole(folder: Path, name: str) -> None:
    data = make(folder, name).read_bytes()
    # Fixed places: a test that fails must fail again.
    places = random.Random(name).sample(range(len(data)), 80)
    for length in {*places, *range(len(data) - 30, len(data)), *range(0, 200, 11)}:
        assert read_source(Source(io.BytesIO(data[:length]))).complete is not True, length


@pytest.mark.parametrize("kind", STREAMED)
def test_streamed(kind: str) -> None:
    arguments, problems = STREAMED[kind]
    command = ["ffmpeg", "-v", "error", "-threads", "1", *arguments, "-f", kind, "-"]
    data = subprocess.run(command, check=True, timeout=60, stdout=subprocess.PIPE).stdout
    reading = read_source(Source(io.BytesIO(data)))
    assert (reading.complete, codes(reading)) == (None, problems)


@pytest.mark.parametrize("name", [name for name in DECLARED if name.endswith((".wav", ".w64", ".aif"))])
def test_layout_is_what_libsndfile_reads(folder: Path, name: str) -> None:
    path = make(folder, name)
    pcm = read_container(path).pcm
    if name == "adpcm.wav":
        assert pcm is None
        return
    info = soundfile.info(str(path))
    assert (pcm.sample_rate, pcm.channels, pcm.declared_samples) == (info.samplerate, info.channels, info.frames)
    assert pcm.length == info.frames * info.channels * SAMPLE_BYTES[pcm.encoding]
    if pcm.encoding == "s16":
        with path.open("rb") as stream:
            stream.seek(pcm.offset)
            stored = stream.read(pcm.length)
        samples, _ = soundfile.read(str(path), dtype="int16")
        assert samples.astype(">i2" if pcm.big_endian else "<i2").tobytes() == stored


@pytest.mark.parametrize("name", [name for name in DECLARED if name.endswith((".mp3", ".ogg", ".opus"))])
def test_declared_samples_are_what_decoders_give(folder: Path, name: str) -> None:
    path = make(folder, name)
    if name == "vorbis.ogg":
        # FFmpeg does not trim a Vorbis stream whose sound fits on one page; libsndfile does.
        decoded = soundfile.info(str(path)).frames
    else:
        with av.open(str(path)) as container:
            decoded = sum(frame.samples for frame in container.decode(audio=0))
    assert read_container(path).declared_samples == decoded


@pytest.mark.parametrize("name", ["cbr.mp3", "vbr.mp3", "mpeg2.mp3"])
def test_declared_packets_are_what_ffmpeg_demuxes(folder: Path, name: str) -> None:
    path = make(folder, name)
    with av.open(str(path)) as container:
        packets = sum(packet.size > 0 for packet in container.demux(audio=0))
    assert read_container(path).declared_packets == packets


def test_mp4_tracks_are_what_ffmpeg_reads(folder: Path) -> None:
    path = make(folder, "fast.mp4")
    picture, sound = read_container(path).tracks
    with av.open(str(path)) as container:
        video, audio = container.streams.video[0], container.streams.audio[0]
        assert (picture.sample_count, sound.sample_count) == (video.frames, audio.frames)
        assert (picture.media_timescale, sound.media_timescale) == (1 / video.time_base, 1 / audio.time_base)
    assert (sound.edit_media_time, sound.edit_duration * 1000) == (1024, 700)
