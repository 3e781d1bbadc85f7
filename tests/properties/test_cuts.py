"""A file that was cut never passes as complete; where the format cannot show a cut, the report says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import av
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mediacheck
from mediacheck.verdict import Report
from tests.synthesis import encode, faded, pictures, write_wav

FILM = {"video": pictures(24), "video_options": {"bf": "2"}}
SOUND = faded(48000, 48000)
FAST = {"container_options": {"movflags": "+faststart"}}
FRAGMENTED = {"container_options": {"movflags": "+frag_keyframe+default_base_moof"}}
LIVE = {"container_options": {"live": "1"}}

Maker = Callable[[Path], Path]


def with_(suffix: str, **options: object) -> Maker:
    return lambda folder: encode(folder / f"whole{suffix}", **options)  # type: ignore[arg-type]


DECLARED: dict[str, Maker] = {
    "wav": lambda folder: write_wav(folder / "whole.wav", SOUND, 48000),
    "float wav": lambda folder: write_wav(folder / "whole.wav", SOUND, 48000, "f32"),
    "flac": with_(".flac", audio=SOUND, audio_codec="flac", sample_format="s16"),
    "w64": with_(".w64", audio=SOUND, audio_codec="pcm_s16le", sample_format="s16"),
    "aiff": with_(".aiff", audio=SOUND, audio_codec="pcm_s16be", sample_format="s16"),
    "mp3": with_(".mp3", audio=SOUND, audio_codec="libmp3lame"),
    "opus": with_(".opus", audio=SOUND, audio_codec="libopus", sample_format="flt"),
    "m4a": with_(".m4a", audio=SOUND),
    "mp4": with_(".mp4", audio=SOUND, **FILM),
    "fast-start mp4": with_(".mp4", audio=SOUND, **FILM, **FAST),
    "mkv": with_(".mkv", audio=SOUND, audio_codec="flac", sample_format="s16", **FILM),
    "webm": with_(".webm", audio=SOUND, audio_codec="libopus", sample_format="flt"),
    "avi": with_(
        ".avi", audio=SOUND, audio_codec="pcm_s16le", sample_format="s16", video=pictures(24), video_codec="mpeg4"
    ),
}

UNDECLARED: dict[str, Maker] = {
    "adts": with_(".aac", audio=SOUND),
    "plain mp3": with_(".mp3", audio=SOUND, audio_codec="libmp3lame", container_options={"write_xing": "0"}),
    "mpeg-ts": with_(".ts", audio=SOUND, **FILM),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory):
    made: dict[str, Path] = {}

    def get(name: str) -> Path:
        if name not in made:
            made[name] = (DECLARED | UNDECLARED)[name](tmp_path_factory.mktemp("cuts"))
        return made[name]

    return get


def media_bytes(path: Path) -> tuple[int, int]:
    """From where to where the media data lie: from the first packet to the end of the last."""
    size = path.stat().st_size
    if path.suffix in (".wav", ".w64", ".aiff"):
        return size - 96000, size - 1
    with av.open(str(path)) as container:
        places = [(p.pos, p.pos + p.size) for p in container.demux() if p.size and p.pos is not None and p.pos >= 0]
    return min(start for start, _ in places), min(size - 1, max(end for _, end in places) - 1)


def complete(report: Report) -> str:
    (found,) = [f for f in report.findings if f.check == "media.complete"]
    return found.outcome


def cut(path: Path, at: int) -> Report:
    return mediacheck.validate(path.read_bytes()[:at])


@pytest.mark.parametrize("name", [*DECLARED])
def test_the_whole_file_is_complete(whole, name: str) -> None:
    report = mediacheck.validate(whole(name))
    assert complete(report) == "pass"
    assert report.verdict == "pass"


@pytest.mark.parametrize("name", [*DECLARED])
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0, 1))
def test_a_cut_inside_the_media_data_is_seen(whole, name: str, share: float) -> None:
    path = whole(name)
    first, last = media_bytes(path)
    report = cut(path, first + round(share * (last - first)))
    assert complete(report) == "fail"
    assert report.verdict == "fail"


@pytest.mark.parametrize("name", [*UNDECLARED])
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0.1, 0.8))
def test_where_no_length_is_declared_the_report_says_so_and_a_stated_duration_holds(
    whole, name: str, share: float
) -> None:
    path = whole(name)
    bare = mediacheck.validate(path)
    assert complete(bare) == "not_applicable"
    assert "media.complete" in bare.not_checked
    asked = {"duration": "1", "tolerance": "0.06"}
    assert mediacheck.validate(path, expect=asked).verdict == "pass"
    data = path.read_bytes()[: round(share * path.stat().st_size)]
    report = mediacheck.validate(data, expect=asked)
    assert complete(report) != "pass"
    assert report.verdict == "fail"
    assert "duration.expected" in {f.check for f in report.findings if f.outcome == "fail"}


def test_fragmented_mp4_never_claims_more_than_it_knows(tmp_path: Path) -> None:
    path = encode(tmp_path / "f.mp4", audio=SOUND, **FILM, **FRAGMENTED)  # type: ignore[arg-type]
    assert mediacheck.validate(path).verdict == "pass"
    size = path.stat().st_size
    for at in range(size // 10, size - 200, size // 17):
        assert complete(cut(path, at)) != "pass"
