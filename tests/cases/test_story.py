"""The story that the project exists for, on real files.

A model makes 362 frames at 24 fps and the sound to it. Its audio latents tick at 40 Hz and decode to 800 samples at
32 kHz each: round(362 / 24 * 40) = 603 latents = 482400 samples = 15.075 s, while the picture lasts 181/12 s
(15.0833 s). No other length exists. Validator v1 compares the two and rejects the file; v2 follows the arithmetic.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import mediacheck
from mediacheck.verdict import Finding, Report
from tests.synthesis import encode, picture, speechlike

CONTRACT = "minimax-h3-ref2va"
FRAMES, SAMPLES, LATENT = 362, 482400, 800

MUXES = {
    "flac in mkv": (".mkv", "flac", "s16"),
    "pcm in mov": (".mov", "pcm_s16le", "s16"),
    "alac in mp4": (".mp4", "alac", "s16p"),
    "aac in mp4": (".mp4", "aac", "fltp"),
    "aac in mov": (".mov", "aac", "fltp"),
}


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("story")
    sound = speechlike(SAMPLES + LATENT, 32000)
    fade = np.linspace(1, 0, 3200)
    film = [picture(k, 64, 96) for k in range(FRAMES)]

    def build(mux: str, frames: int = FRAMES, samples: int = SAMPLES) -> Path:
        suffix, codec, sample_format = MUXES[mux]
        path = folder / f"{codec}-{frames}-{samples}{suffix}"
        if not path.exists():
            x = sound[:samples].copy()
            x[-len(fade) :] *= fade
            encode(
                path,
                video=film[:frames],
                audio=np.stack([x, 0.8 * x], 1),
                rate=32000,
                audio_codec=codec,
                sample_format=sample_format,
            )
        return path

    return build


def finding(report: Report, check: str) -> Finding:
    (found,) = [f for f in report.findings if f.check == check]
    return found


def failing(report: Report) -> set[str]:
    return {f.check for f in report.findings if f.outcome == "fail"}


@pytest.mark.parametrize("mux", MUXES)
def test_v1_rejects_it_and_v2_passes_it(make, mux: str) -> None:
    path = make(mux)
    old = mediacheck.validate(path, validator="v1")
    assert old.verdict == "fail"
    assert failing(old) == {"duration.av_match"}
    new = mediacheck.validate(path, validator="v2", contract=CONTRACT)
    assert (new.verdict, failing(new)) == ("pass", set())
    assert finding(new, "duration.contract").outcome == "pass"
    (sound,) = new.facts.audio
    (film,) = new.facts.video
    assert (sound.samples, film.frames) == (SAMPLES, FRAMES)
    assert sound.duration == Fraction(603, 40)
    # And without the contract v2 has nothing to hold against it either.
    assert mediacheck.validate(path, validator="v2").verdict == "pass"


@pytest.mark.parametrize("mux", MUXES)
@pytest.mark.parametrize("latents", [-1, 1])
def test_one_latent_more_or_less_fails_and_is_named(make, mux: str, latents: int) -> None:
    report = mediacheck.validate(make(mux, samples=SAMPLES + latents * LATENT), validator="v2", contract=CONTRACT)
    assert report.verdict == "fail"
    message = finding(report, "duration.contract").message
    assert finding(report, "duration.contract").outcome == "fail"
    assert str(SAMPLES + latents * LATENT) in message
    assert str(SAMPLES) in message
    assert "800 samples" in message


@pytest.mark.parametrize("mux", MUXES)
def test_361_frames_fail_and_are_named(make, mux: str) -> None:
    report = mediacheck.validate(make(mux, frames=361), validator="v2", contract=CONTRACT)
    assert report.verdict == "fail"
    assert {"duration.contract", "video.frame_grid"} <= failing(report)
    assert "361" in finding(report, "video.frame_grid").message
    assert "362" in finding(report, "video.frame_grid").message
    assert "361 frames" in finding(report, "duration.contract").message
    assert "samples" in finding(report, "duration.contract").message


def test_aac_is_cut_by_the_container_s_own_declaration(make) -> None:
    (sound,) = mediacheck.measure(make("aac in mp4")).audio
    # FFmpeg decodes 483328 samples after the priming; the edit list plays 482400.
    assert (sound.priming, sound.samples, sound.padding) == (1024, SAMPLES, 928)
    assert sound.samples + sound.padding == 483328


@pytest.mark.parametrize("samples", [SAMPLES - LATENT, SAMPLES, SAMPLES + LATENT])
@pytest.mark.parametrize("suffix", [".mkv", ".ts"])
def test_where_the_end_is_not_declared_no_latent_can_be_counted(tmp_path: Path, suffix: str, samples: int) -> None:
    # AAC in Matroska and MPEG-TS: up to 1023 samples of the last frame are padding, and a latent is 800.
    x = speechlike(samples, 32000)
    path = encode(
        tmp_path / f"a{suffix}",
        video=[picture(k, 64, 96) for k in range(FRAMES)],
        audio=np.stack([x, x], 1),
        rate=32000,
    )
    report = mediacheck.validate(path, validator="v2", contract=CONTRACT)
    judged = finding(report, "duration.contract")
    assert report.verdict != "pass"
    assert judged.outcome in ("inconclusive", "fail")
    if judged.outcome == "inconclusive":
        assert str(SAMPLES) in judged.message


@pytest.mark.parametrize(("samples", "passes"), [(353280, True), (353280 + 1024, False), (353280 - 1024, False)])
def test_an_edit_list_in_milliseconds_carries_its_precision(tmp_path: Path, samples: int, passes: bool) -> None:
    # mmaudio-44k: 8 s ask for 345 latents of 1024 samples, 353280; the edit list of an MP4 counts milliseconds.
    x = speechlike(samples, 44100)
    x[-4410:] *= np.linspace(1, 0, 4410)
    path = encode(tmp_path / "out.mp4", audio=x, rate=44100)
    report = mediacheck.validate(path, validator="v2", contract="mmaudio-44k", expect={"duration": "8"})
    (sound,) = report.facts.audio
    assert sound.samples_bounds is not None
    assert sound.samples_bounds.low <= samples <= sound.samples_bounds.high
    # A tick of the movie's clock is 44.1 samples; a latent is 1024.
    assert sound.samples_bounds.high - sound.samples_bounds.low <= 2 * 46
    judged = finding(report, "duration.contract")
    assert (judged.outcome == "pass") == passes
    if passes:
        assert "353280" in judged.message
        assert "ticks of 0.001 s" in judged.message
