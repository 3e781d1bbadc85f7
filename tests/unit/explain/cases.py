"""The files that the examples of explanations speak of, and what a report prints of each.

``python -m tests.unit.explain.cases`` writes what is printed today into the texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from click import unstyle
from msgspec.structs import replace

import mediacheck
from mediacheck.checks import Case
from mediacheck.contracts import load_contract
from mediacheck.facts import ConstantRun, Loudness, NonFinite, NonMonotonic, Tail, Timeline, ZeroRun, totals
from mediacheck.judge import judge
from mediacheck.report.text import finding_lines
from mediacheck.validators import list_validators
from tests.unit.factory import audio, audio_of, case, levels, span, video, video_of

ROOT = Path(__file__).parents[3]
MEDIA = ROOT / "tests" / "cases" / "media"
TEXTS = ROOT / "mediacheck" / "checks" / "explained"
H3 = "minimax-h3-ref2va"


def measured(name: str) -> Case:
    return Case(facts=mediacheck.measure(MEDIA / name))


def lost_packets() -> Case:
    timeline = Timeline(first=Fraction(0), end=Fraction(2))
    return case(audio(45952, codec="aac", lossy=True, frame_size=1024, timeline=timeline))


def dropout() -> Case:
    start = Fraction(16896, 24000)
    run = ZeroRun(
        start=start, end=start + Fraction(1024, 24000), channel=0, samples=1024, before_dbfs=-14.2, after_dbfs=-15.8
    )
    return case(audio(zero_runs=(run,), zero_runs_totals=totals((run,))))


def not_finite() -> Case:
    spans = (span(1, Fraction(24003, 24000)),)
    found = NonFinite(nan=3, spans=spans, spans_totals=totals(spans))
    return case(audio(sample_format="flt", codec="pcm_f32le", non_finite=found))


def stuck() -> Case:
    run = ConstantRun(start=Fraction(3, 2), end=Fraction(2), channel=0, samples=12000, value=-1.0)
    return case(audio(constant_runs=(run,), constant_runs_totals=totals((run,))))


def gap() -> Case:
    spans = (span("0.8", "1.3"),)
    timeline = Timeline(
        first=Fraction(0), end=Fraction(5, 2), precision=Fraction(1, 1000), gaps=spans, gaps_totals=totals(spans)
    )
    return case(audio(timeline=timeline))


def repeated_stamp() -> Case:
    back = NonMonotonic(count=1, spans=(span(Fraction(11, 24), Fraction(11, 24)),))
    return case(video(timeline=Timeline(first=Fraction(0), end=Fraction(2), non_monotonic=back)))


def late_sound() -> Case:
    timeline = Timeline(first=Fraction(1, 2), end=Fraction(5, 2), precision=Fraction(1, 24000))
    return case(audio(timeline=timeline), video())


CASES: dict[str, Callable[[], Case]] = {
    "audio.clipping@1": lambda: case(audio(clipped_samples=300, clipped_runs=40, peak_dbfs=0.0)),
    "audio.coverage@1": lost_packets,
    "audio.dc_offset@1": lambda: case(audio(dc_offset=0.031)),
    "audio.dead_channel@1": lambda: case(
        audio(channels=2, channel_levels=(levels(), levels(loudest_window_dbfs=None)))
    ),
    "audio.dropout@1": dropout,
    "audio.finite@1": not_finite,
    "audio.format@1": lambda: case(audio(rate=16000), expect={"sample_rate": 24000}),
    "audio.internal_silence@1": lambda: case(audio_of([0.1] * 250 + [0.0] * 350 + [0.1] * 250)),
    "audio.leading_silence@1": lambda: case(audio_of([0.0] * 120 + [0.1] * 300)),
    "audio.loudness@1": lambda: case(audio(loudness=Loudness(integrated_lufs=-61.3, true_peak_dbtp=-45.8))),
    "audio.padding@1": lambda: case(
        audio(49152, 48000, codec="aac", lossy=True, frame_size=1024), expect={"samples": 48000}
    ),
    "audio.silent@1": lambda: case(audio_of([0.0] * 200)),
    "audio.stuck@1": stuck,
    "audio.trailing_silence@1": lambda: case(audio_of([0.1] * 300 + [0.0] * 170)),
    "audio.truncated_end@1": lambda: case(audio(tail=Tail(last_dbfs=-19.5, loudest_second_dbfs=-16.1))),
    "duration.av_match@1": lambda: case(audio(482400, 32000, 2), video(362)),
    "duration.contract@1": lambda: case(audio(483200, 32000, 2), video(362), contract=load_contract(H3)),
    "duration.expected@1": lambda: case(audio(45600), expect={"duration": Fraction(2)}),
    "media.complete@1": lambda: measured("truncated_payload.wav"),
    "media.decodable@1": lambda: measured("html_body.mp3"),
    "media.header@1": lambda: measured("openai_stream_ffffffff.wav"),
    "media.streams@1": lambda: case(video(), expect={"audio": True}),
    "sync.duration@1": lambda: case(audio(), video(48, 16)),
    "timeline.continuity@1": gap,
    "timeline.monotonic@1": repeated_stamp,
    "timeline.start@1": late_sound,
    "video.black@1": lambda: case(video_of([0.0] * 24 + [1.0] * 24, [0.1] * 48)),
    "video.corrupt@1": lambda: case(video(corrupt_frames=2)),
    "video.format@1": lambda: case(video(50, 25), expect={"fps": Fraction(16)}),
    "video.frame_grid@1": lambda: case(video(361), contract=load_contract(H3)),
    "video.frozen@1": lambda: case(video_of([0.0] * 72, [0.1] * 36 + [0.0] * 36)),
    "video.rate@1": lambda: case(video(constant_rate=False, measured_rate=Fraction(47, 2))),
}


def printed(name: str) -> str:
    """What a report prints of the check's case, by the newest validator that uses it."""
    validators = [v for v in list_validators() if any(pinned.check == name for pinned in v.checks)]
    newest = validators[-1]
    alone = replace(newest, checks=tuple(pinned for pinned in newest.checks if pinned.check == name))
    of = CASES[name]()
    lines = finding_lines(judge(of.facts, alone, of.contract, of.expect))
    # A report indents its findings by two.
    return "\n".join(unstyle(line)[2:] for line in lines)


if __name__ == "__main__":
    for path in TEXTS.glob("*.md"):
        block = f"```text\n{printed(path.stem)}\n```"
        path.write_text(re.sub(r"(?s)```text\n.*?\n```", lambda _, block=block: block, path.read_text()))
