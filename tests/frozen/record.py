"""Write the records and findings of set 1 again: ``python -m tests.frozen.record``. Only while nothing is frozen."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from mediacheck.checks import Case
from mediacheck.expectation import Expectation
from mediacheck.facts import (
    ConstantRun,
    Loudness,
    MediaFacts,
    NonFinite,
    NonMonotonic,
    OtherStream,
    Problem,
    SampleBounds,
    Struct,
    Tail,
    Timeline,
    ZeroRun,
    totals,
)
from mediacheck.judge import find
from mediacheck.serialise import to_json
from mediacheck.validators import Validator, list_validators
from mediacheck.validators_lock import Record, RecordSet, load_record_set, read_lock, shipped_root
from mediacheck.verdict import Finding
from tests.unit.factory import audio, audio_of, facts, levels, span, video, video_of

FOLDER = Path(__file__).resolve().parent
H3 = "contracts/h3.toml"
UNVERIFIED = "contracts/unverified.toml"


class RecordFindings(Struct, frozen=True, kw_only=True):
    """What a validator finds in one record."""

    record: str
    findings: tuple[Finding, ...]


class Findings(Struct, frozen=True, kw_only=True):
    """What a validator finds in a set."""

    validator: str
    records: tuple[RecordFindings, ...]


def findings_of(validator: Validator, records: RecordSet) -> Findings:
    """Judge every record by every check of a validator."""
    names = [path.stem for path in sorted((FOLDER / str(records.number)).glob("*.json"))]
    return Findings(
        validator=validator.id,
        records=tuple(
            RecordFindings(record=name, findings=_findings(validator, case))
            for name, case in zip(names, records.cases, strict=True)
        ),
    )


def _findings(validator: Validator, case: Case) -> tuple[Finding, ...]:
    return tuple(find(case, pinned) for pinned in validator.checks)


def records() -> Iterator[Record]:
    """The records of set 1."""

    def record(name: str, what: str, of: MediaFacts, contract: str | None = None, **expect: Any) -> Record:
        asked = Expectation(**expect) if expect else None
        return Record(name=name, what=what, facts=of, contract=contract, expect=asked)

    def problem(code: str, affects: Any, message: str) -> Problem:
        return Problem(code=code, affects=affects, message=message)

    mp4 = {"format": "mov,mp4,m4a,3gp,3g2,mj2"}
    h3 = audio(482400, 32000, 2)
    yield record("good-speech", "Two seconds of sound", facts(audio()), samples=48000, channels=1)
    yield record("good-picture", "Sound and picture", facts(audio(), video(), **mp4), frames=48, fps=Fraction(24))
    yield record("not-media", "An error page", facts(format=None, complete=None))
    yield record("cover-only", "A cover picture", facts(OtherStream(index=0, codec="mjpeg", attached_picture=True)))
    yield record("empty", "A header without samples", facts(audio(0, loudest_window_dbfs=None)))
    yield record(
        "truncated",
        "A WAV that ends early",
        facts(
            audio(30000),
            complete=False,
            problems=(problem("truncated", "complete", "the header declares 48000 samples, 30000 are there"),),
        ),
        duration=Fraction(2),
    )
    yield record(
        "placeholder",
        "A streamed WAV",
        facts(
            audio(),
            complete=None,
            completeness="the size in the header is a placeholder",
            problems=(problem("wav.size_placeholder", "header", "the data size is 4294967295, a placeholder"),),
        ),
        max_duration=Fraction(2),
    )
    yield record("story", "362 frames, 603 latents", facts(h3, video(362), **mp4), H3)
    yield record("story-no-contract", "The same, nothing known", facts(h3, video(362), **mp4))
    yield record("latent-more", "One latent more", facts(audio(483200, 32000, 2), video(362), **mp4), H3)
    yield record("latent-less", "One latent less", facts(audio(481600, 32000, 2), video(362), **mp4), H3)
    yield record("frame-less", "361 frames", facts(h3, video(361), **mp4), H3)
    yield record("wrong-request", "379 frames asked for", facts(h3, video(362), **mp4), H3, frames=379)
    yield record("latents", "604 latents asked for", facts(h3, video(362), **mp4), H3, latents=604)
    yield record("no-sound", "The sound is missing", facts(video(362), **mp4), H3, audio=True)
    yield record("wrong-rate", "44.1 kHz, mono, 25 fps", facts(audio(661500, 44100), video(375, 25), **mp4), H3)
    yield record("unverified", "A contract nobody verified", facts(audio(48001)), UNVERIFIED)
    bounds = SampleBounds(low=48129, high=49152, declared=False, reason="the codec's padding is not declared")
    aac = audio(49152, 48000, codec="aac", lossy=True, frame_size=1024, samples_bounds=bounds)
    yield record(
        "no-edit-list", "AAC without an edit list", facts(aac, video(24), **mp4), samples=48000, duration=Fraction(1)
    )
    listed = SampleBounds(low=482384, high=482416, declared=True, reason="the edit list counts in 1/1000 s")
    played = audio(
        482400, 32000, 2, codec="aac", lossy=True, frame_size=1024, priming=1024, padding=928, samples_bounds=listed
    )
    yield record("story-aac", "The story in AAC", facts(played, video(362), **mp4), H3)
    yield record("no-edit-list-unasked", "The same, nothing asked", facts(aac, video(24), **mp4))
    yield record(
        "nan", "240 samples are NaN", facts(audio(24000, non_finite=NonFinite(nan=240, spans=(span("1/2", "51/100"),))))
    )
    yield record("silent", "All zero", facts(audio_of([0.0] * 200)))
    yield record(
        "quiet-ends", "1.2 s and 1.7 s of silence", facts(audio_of([0.0] * 120 + [0.1] * 320 + [0.0] * 170, rate=8000))
    )
    yield record(
        "holes", "A hole of 3.5 s, and mostly silent", facts(audio_of([0.1] * 100 + [0.0] * 350 + [0.1] * 100))
    )
    stuck = ConstantRun(start=Fraction(0), end=Fraction(2), channel=0, samples=48000, value=-1.0)
    yield record(
        "stuck",
        "A decoder stuck at -1.0",
        facts(
            audio(
                dc_offset=-1.0,
                clipped_samples=48000,
                clipped_runs=1,
                peak_dbfs=0.0,
                constant_runs=(stuck,),
                constant_runs_totals=totals((stuck,)),
            )
        ),
    )
    hole = ZeroRun(
        start=Fraction(1), end=Fraction(101, 100), channel=0, samples=240, before_dbfs=-12.0, after_dbfs=-15.0
    )
    faint = ZeroRun(
        start=Fraction(1), end=Fraction(101, 100), channel=0, samples=240, before_dbfs=-25.0, after_dbfs=-28.0
    )
    for name, run in (("dropout", hole), ("dropout-faint", faint)):
        yield record(name, "Zeros cut out of sound", facts(audio(zero_runs=(run,), zero_runs_totals=totals((run,)))))
    yield record(
        "cut-off", "Sound stops at full voice", facts(audio(tail=Tail(last_dbfs=-18.0, loudest_second_dbfs=-17.0)))
    )
    yield record(
        "dead-channel",
        "The right channel is silent",
        facts(audio(channels=2, channel_levels=(levels(), levels(loudest_window_dbfs=None)))),
    )
    late = Timeline(first=Fraction(1, 2), end=Fraction(5, 2), precision=Fraction(1, 1000))
    yield record("late-sound", "Sound starts 0.5 s late", facts(audio(timeline=late), video(), format="matroska,webm"))
    twice = Timeline(
        first=Fraction(0),
        end=Fraction(2),
        precision=Fraction(1, 1000),
        non_monotonic=NonMonotonic(count=1, spans=(span("9/25", "9/25"),)),
    )
    yield record("repeated-stamp", "Two frames at one time", facts(video(timeline=twice), format="matroska,webm"))
    gap = (span("12/25", 1),)
    torn = Timeline(first=Fraction(0), end=Fraction(2), gaps=gap, gaps_totals=totals(gap))
    yield record(
        "gap",
        "Twelve frames lost",
        facts(video(36, 25, timeline=torn, constant_rate=False, duration=Fraction(48, 25)), format="matroska,webm"),
    )
    short = audio(24000, timeline=Timeline(first=Fraction(0), end=Fraction(2)))
    yield record("uncovered", "Packets that decode to nothing", facts(short, **mp4))
    yield record("wrong-fps", "16 fps stamped as 25", facts(audio(), video(32, 25), **mp4), fps=Fraction(16))
    yield record("shortest", "33 of 48 frames", facts(audio(36352), video(33), **mp4), frames=48)
    yield record("black", "A black picture", facts(video_of([1.0] * 24, [float("nan")] + [0.0] * 23), **mp4))
    yield record(
        "frozen",
        "A repeated tail",
        facts(video_of([0.0] * 60, [float("nan")] + [0.05] * 23 + [0.0] * 36), **mp4),
        width=160,
        height=90,
    )
    loud = Loudness(integrated_lufs=-4.0, range_lu=1.0, true_peak_dbtp=2.0)
    yield record("too-loud", "Louder than -6 LUFS", facts(audio(loudness=loud)))
    unknown = audio(
        channels=2,
        dc_offset=None,
        loudest_window_dbfs=None,
        channel_levels=(),
        tail=Tail(),
        loudness=Loudness(),
    )
    yield record("unmeasured", "No level could be measured", facts(unknown))
    yield record("tokens", "Tokens asked for, no contract", facts(audio()), tokens=50)
    yield record("corrupt", "Damaged pictures", facts(video(corrupt_frames=2, decode_errors=1), **mp4))


def main() -> int:
    """Write set 1; refuse once a validator is frozen over it."""
    if any(line.record_set == 1 for line in read_lock(shipped_root() / "LOCK")):
        print("a validator is frozen over set 1: put new records into a new set", file=sys.stderr)
        return 2
    folder = FOLDER / "1"
    for record in records():
        (folder / f"{record.name}.json").write_bytes(to_json(record))
    (folder / "findings").mkdir(exist_ok=True)
    loaded = load_record_set(FOLDER, 1)
    for validator in list_validators():
        (folder / "findings" / f"{validator.id}.json").write_bytes(to_json(findings_of(validator, loaded)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
