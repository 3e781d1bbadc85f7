"""Whole files through ``measure``: what goes wrong between the decoder and the facts."""

from __future__ import annotations

import io
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
import soundfile

import mediacheck
from mediacheck.errors import PathError, UsageError
from mediacheck.media import measure, measure_array, unmeasured
from mediacheck.media.vorbis import channel_order
from tests.synthesis import encode, faded, pictures, speechlike, wav, write_wav

B_FRAMES = {"bf": "3", "b-adapt": "0"}


def sound_first(path: Path, films: int = 1) -> Path:
    """Streams in another order than writers use: sound, then pictures that are reordered."""
    source = encode(path.with_name("source.mp4"), video=pictures(48), audio=faded(96000, 48000), video_options=B_FRAMES)
    with av.open(str(source)) as given, av.open(str(path), "w") as out:
        order = [given.streams.audio[0], *[given.streams.video[0]] * films]
        targets: list[Any] = [out.add_stream_from_template(stream) for stream in order]
        for packet in given.demux():
            if not packet.size:
                continue
            data, stamps = bytes(packet), (packet.pts, packet.dts, packet.duration, packet.time_base)
            key = packet.is_keyframe
            for target, stream in zip(targets, order, strict=True):
                if stream.index == packet.stream.index:
                    copy = av.Packet(data)
                    copy.pts, copy.dts, copy.duration, copy.time_base = stamps
                    copy.is_keyframe = key
                    copy.stream = target
                    out.mux(copy)
    return path


@pytest.mark.parametrize("suffix", [".mp4", ".mkv", ".mov", ".ts"])
@pytest.mark.parametrize("films", [1, 2])
def test_the_last_frames_go_to_their_own_stream(tmp_path: Path, suffix: str, films: int) -> None:
    facts = measure(sound_first(tmp_path / f"a{suffix}", films), name="a")
    assert [film.frames for film in facts.video] == [48] * films
    assert len(facts.audio) == 1


@pytest.mark.parametrize("rate", [8000, 16000, 24000])
@pytest.mark.parametrize("suffix", [".webm", ".mka", ".opus"])
def test_opus_made_of_low_rates_has_no_gap(tmp_path: Path, rate: int, suffix: str) -> None:
    x = speechlike(rate * 2, rate)
    path = encode(tmp_path / f"a{suffix}", audio=x, rate=rate, audio_codec="libopus", sample_format="flt")
    (sound,) = measure(path, name="a").audio
    assert (sound.timeline.gaps, sound.timeline.overlaps) == ((), ()) if sound.timeline else False


def test_channels_of_vorbis_stand_where_their_names_say(tmp_path: Path) -> None:
    rate = 48000
    x = np.stack([0.4 * faded(rate, rate, 200 + 70 * c) for c in range(6)], 1)
    x[:, 5] = 0.0  # the low-frequency channel, last in Vorbis's order
    path = tmp_path / "a.ogg"
    soundfile.write(path, x, rate, format="OGG", subtype="VORBIS")
    (sound,) = measure(path, name="a").audio
    names, _ = channel_order(6)
    assert sound.layout == "5.1"
    silent = [n for n, c in zip(names, sound.channel_levels, strict=True) if (c.loudest_window_dbfs or -200) < -60]
    assert silent == ["LFE"]
    assert mediacheck.validate(path).verdict == "pass"


@pytest.mark.parametrize("suffix", [".flac", ".mka", ".mp4"])
def test_a_flipped_bit_in_flac_does_not_decode(tmp_path: Path, suffix: str) -> None:
    path = encode(tmp_path / f"a{suffix}", audio=speechlike(96000, 48000), audio_codec="flac", sample_format="s16")
    assert mediacheck.validate(path).verdict == "pass"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x10
    report = mediacheck.validate(bytes(data))
    assert report.verdict == "fail"
    # In a file of its own, FFmpeg's parser leaves the damaged frame out; in a container, the decoder refuses it.
    wanted = "timeline.continuity" if suffix == ".flac" else "media.decodable"
    assert wanted in {f.check for f in report.findings if f.outcome == "fail"}


def portrait(k: int, moving: bool) -> np.ndarray:
    """A still portrait; the mouth, a small ellipse, opens and closes five times a second."""
    image = np.full((512, 512, 3), 120, np.uint8)
    image += (np.arange(512)[:, None, None] // 8).astype(np.uint8)
    height = 4 + round(10 * (1 + np.sin(2 * np.pi * 5 * k / 24))) if moving else 8
    rows, columns = np.ogrid[:512, :512]
    image[((rows - 380) / height) ** 2 + ((columns - 256) / 30) ** 2 <= 1] = (40, 10, 10)
    return image


@pytest.mark.parametrize(("moving", "outcome"), [(True, "pass"), (False, "fail")])
def test_a_mouth_that_moves_in_a_portrait_is_no_frozen_picture(tmp_path: Path, moving: bool, outcome: str) -> None:
    path = encode(tmp_path / "a.mp4", video=[portrait(k, moving) for k in range(48)])
    report = mediacheck.validate(path)
    assert [f.outcome for f in report.findings if f.check == "video.frozen"] == [outcome]


PICTURES = [("yuv420p", "ffv1"), ("yuv420p10le", "ffv1"), ("yuvj420p", "mjpeg"), ("rgb24", "png"), ("gray", "ffv1")]


@pytest.mark.parametrize(("pixel_format", "codec"), PICTURES)
@pytest.mark.parametrize(("level", "black"), [(40, 0.0), (30, 1.0)])
def test_black_at_every_depth_and_range(
    tmp_path: Path, pixel_format: str, codec: str, level: int, black: float
) -> None:
    """``level`` of limited range: 32 is the last that is black."""
    grey = round((level - 16) * 255 / 219)
    path = tmp_path / "a.mov" if codec == "png" else tmp_path / "a.mkv"
    with av.open(str(path), "w") as out:
        stream: Any = out.add_stream(codec, rate=24)
        stream.width, stream.height, stream.pix_fmt = 64, 48, pixel_format
        for k in range(3):
            image = np.full((48, 64, 3), grey, np.uint8)
            frame = av.VideoFrame.from_ndarray(image, format="rgb24").reformat(format=pixel_format)
            frame.pts = k
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    (film,) = measure(path, name="a").video
    assert film.black_share is not None
    assert film.black_share.unpack().tolist() == [black] * 3


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"<!DOCTYPE html><html></html>" * 20, "an HTML page"),
        (b'{"error": "quota exceeded"}', "JSON"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "a PNG picture"),
        (b"PK\x03\x04" + bytes(100), "a ZIP archive"),
        (bytes(4096), "all zero"),
        (b"just some text, no media at all\n" * 30, "no media format"),
    ],
)
def test_what_is_no_media_is_named(data: bytes, words: str) -> None:
    facts = mediacheck.measure(data)
    assert facts.streams == ()
    assert words in " ".join(p.message for p in facts.container.problems)
    report = mediacheck.judge(facts)
    assert report.verdict == "fail"
    assert report.subject.bytes == len(data)


def test_paths_that_cannot_be_measured(tmp_path: Path) -> None:
    import os

    for path in (tmp_path / "missing.wav", tmp_path):
        with pytest.raises(PathError):
            measure(path, name="a")
    os.mkfifo(tmp_path / "pipe.wav")
    with pytest.raises(PathError, match="not a regular file"):
        measure(tmp_path / "pipe.wav", name="a")


@pytest.mark.parametrize("name", ["http:a.wav", "concat:a|b.wav", "%d.wav", "a\nb.wav", "é😀.m4a", "-x.mp3", "a:b.mka"])
def test_a_name_is_only_a_name(tmp_path: Path, name: str) -> None:
    suffix = Path(name).suffix
    codec = {".m4a": "aac", ".mp3": "libmp3lame", ".mka": "flac"}.get(suffix)
    if codec:
        kind = "s16" if codec == "flac" else "fltp"
        encode(tmp_path / f"plain{suffix}", audio=faded(9600, 48000), audio_codec=codec, sample_format=kind)
    else:
        write_wav(tmp_path / f"plain{suffix}", faded(9600, 48000), 48000)
    path = (tmp_path / f"plain{suffix}").rename(tmp_path / name)
    assert mediacheck.validate(path).verdict == "pass"


def test_a_name_that_is_not_utf_8(tmp_path: Path) -> None:
    import os

    source = encode(tmp_path / "plain.mp3", audio=faded(9600, 48000), audio_codec="libmp3lame")
    target = os.fsencode(tmp_path) + b"/caf\xe9.mp3"
    os.rename(source, target)
    assert measure(Path(os.fsdecode(target)), name="a").audio[0].samples == 9600


RAW = [
    ("s16le", "<i2", 32768),
    ("s16be", ">i2", 32768),
    ("u8", "u1", 128),
    ("s32le", "<i4", 2**31),
    ("f32le", "<f4", 1.0),
]


@pytest.mark.parametrize(("encoding", "kind", "scale"), RAW)
def test_raw_samples(tmp_path: Path, encoding: str, kind: str, scale: float) -> None:
    x = 0.5 * faded(2400, 24000)
    stored = x * scale if scale == 1.0 else np.round(x * (scale - 1)) + (128 if kind == "u1" else 0)
    path = tmp_path / "a.pcm"
    path.write_bytes(stored.astype(kind).tobytes() + b"\x01"[: 1 if kind != "u1" else 0])
    (sound,) = measure(path, name="a", raw=f"{encoding}:24000:1").audio
    assert (sound.samples, sound.sample_rate) == (2400, 24000)
    assert 10 ** ((sound.peak_dbfs or 0) / 20) == pytest.approx(float(np.abs(x).max()), abs=0.01)


MALFORMED = [":", "s16le", "s16le:24000", "s17le:24000:1", "s16le:0:1", "s16le:24000:0", "s16le:x:1", "s16le:9e9:1"]


@pytest.mark.parametrize("spec", MALFORMED)
def test_malformed_raw(tmp_path: Path, spec: str) -> None:
    path = tmp_path / "a.pcm"
    path.write_bytes(bytes(100))
    with pytest.raises(UsageError, match="--raw"):
        measure(path, name="a", raw=spec)


def test_arrays() -> None:
    x = faded(2400, 24000)
    mono = measure_array(x, 24000, name="a").audio[0]
    stereo = measure_array(np.stack([x, x], 1).astype(np.float32), 24000, name="a").audio[0]
    whole = measure_array(np.round(x * 32767).astype(np.int16), 24000, name="a").audio[0]
    assert (mono.samples, mono.channels, stereo.channels, whole.samples) == (2400, 1, 2, 2400)
    assert whole.peak_dbfs == pytest.approx(mono.peak_dbfs, abs=0.01)
    for bad in (np.zeros((2, 3, 4)), np.zeros(3, complex), np.array(["a"]), np.zeros(3, bool), np.zeros((5, 0))):
        with pytest.raises(UsageError):
            measure_array(bad, 24000, name="a")
    for rate in (0, -1, 1.5, True):
        with pytest.raises(UsageError):
            measure_array(x, rate, name="a")  # type: ignore[arg-type]


def test_one_sample_and_odd_rates() -> None:
    for rate in (1, 50, 99, 4001, 44100):
        (sound,) = measure_array(np.array([0.25]), rate, name="a").audio
        assert (sound.samples, sound.duration) == (1, Fraction(1, rate))
        assert sound.peak_dbfs == pytest.approx(-12.041)


def test_a_header_with_an_impossible_rate_is_reported() -> None:
    data = io.BytesIO()
    soundfile.write(data, faded(100, 8000), 8000, "PCM_16", format="WAV")
    broken = bytearray(data.getvalue())
    broken[24:28] = b"\xff\xff\xff\x7f"
    facts = mediacheck.measure(bytes(broken))
    assert [p.code for p in facts.container.problems if p.affects == "decodable"] == ["impossible_format"]


def test_unmeasured_carries_the_reason(tmp_path: Path) -> None:
    from mediacheck.facts import Problem

    path = write_wav(tmp_path / "a.wav", faded(100, 8000), 8000)
    problem = Problem(code="worker.crashed", message="the decoder crashed", affects="decodable")
    facts = unmeasured(path, name="a.wav", problem=problem)
    assert facts.file.bytes == path.stat().st_size
    assert mediacheck.judge(facts).verdict == "fail"


def test_padding_behind_the_declared_end_of_an_mp3_is_not_decoded(tmp_path: Path) -> None:
    path = encode(tmp_path / "a.mp3", audio=faded(44100, 44100), rate=44100, audio_codec="libmp3lame")
    whole = measure(path, name="a").audio[0]
    path.write_bytes(path.read_bytes() + bytes(3000))
    (padded,) = measure(path, name="a").audio
    assert (padded.samples, padded.decode_errors, padded.padding) == (44100, 0, whole.padding)
    assert mediacheck.validate(path).verdict == "pass"


def test_raw_samples_that_end_inside_a_frame_are_cut(tmp_path: Path) -> None:
    path = tmp_path / "a.raw"
    path.write_bytes(bytes(range(200)) * 10 + b"\x01")
    report = mediacheck.validate(path, raw="s16le:24000:1")
    (found,) = [f for f in report.findings if f.check == "media.complete"]
    assert found.outcome == "fail"
    assert "the last 1 bytes" in found.message
    assert report.facts.audio[0].samples == 1000


@pytest.mark.parametrize("codec", ["ffv1", "mjpeg"])
def test_damage_that_the_decoder_only_logs_is_counted(tmp_path: Path, codec: str) -> None:
    options = {"level": "3", "slicecrc": "1"} if codec == "ffv1" else {"strict": "unofficial"}
    path = encode(tmp_path / "a.mkv", video=pictures(12), video_codec=codec, video_options=options)
    assert mediacheck.validate(path).verdict == "pass"
    data = bytearray(path.read_bytes())
    for place in range(len(data) // 2, len(data) // 2 + 400, 40):
        data[place] ^= 0x55
    report = mediacheck.validate(bytes(data))
    assert report.verdict == "fail"
    assert report.facts.video[0].corrupt_frames > 0


@pytest.mark.filterwarnings("error")
def test_signalling_nan_and_huge_values_are_measured_without_a_warning(tmp_path: Path) -> None:
    samples = np.tile(np.array([0.25, -0.25, 3e38, -3e38], "<f4"), 6000)
    data = bytearray(samples.tobytes())
    data[400:404] = b"\x01\x00\x80\x7f"  # a signalling NaN
    path = tmp_path / "a.wav"
    path.write_bytes(wav(bytes(data), 24000, 1, 32, 3))
    (sound,) = measure(path, name="a").audio
    assert (sound.samples, sound.non_finite.nan) == (24000, 1)


def test_a_header_that_asks_for_all_memory_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise av.error.MemoryError(12, "Cannot allocate memory", "a.mp3")

    from mediacheck.media import ffmpeg

    path = encode(tmp_path / "a.mp3", audio=faded(9600, 48000), audio_codec="libmp3lame")
    monkeypatch.setattr(ffmpeg, "open_container", refuse)
    assert mediacheck.validate(path).verdict == "fail"


@pytest.mark.parametrize(("suffix", "codec"), [(".mp3", "libmp3lame"), (".ogg", "libopus")])
@pytest.mark.parametrize("behind", [0, 3000])
@pytest.mark.parametrize("length", [None, 1500])
def test_a_demuxer_that_is_named_gives_what_the_one_that_is_found_does(
    tmp_path: Path, suffix: str, codec: str, behind: int, length: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = encode(tmp_path / f"a{suffix}", audio=faded(96000, 48000), audio_codec=codec)
    data = path.read_bytes() + bytes(behind)
    path.write_bytes(data[:length])
    named: list[str | None] = []

    def opened(source: object, mode: str, demuxer: str | None, **options: Any) -> object:
        named.append(demuxer)
        return av_open(source, mode, demuxer, **options)

    av_open = av.open
    monkeypatch.setattr(av, "open", opened)
    facts = measure(path, name="a")
    monkeypatch.setattr("mediacheck.media.container.DEMUXERS", frozenset())
    assert measure(path, name="a") == facts
    # Only where nothing of the file is missing.
    assert named == [suffix[1:] if facts.container.complete else None, None]
    assert facts.container.complete is not True or length is None
