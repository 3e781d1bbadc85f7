"""Faults in the samples: not finite, stuck, clipped, cut out, cut off, off centre, dead, too loud."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacheck.facts import ConstantRun, Loudness, NonFinite, SpanTotals, Tail, ZeroRun
from tests.unit.factory import audio, case, levels, run, span, video

NAN = float("nan")
AUDIO = (
    "audio.finite@1",
    "audio.silent@1",
    "audio.stuck@1",
    "audio.dropout@1",
    "audio.truncated_end@1",
    "audio.clipping@1",
    "audio.dc_offset@1",
    "audio.dead_channel@1",
    "audio.loudness@1",
)


@pytest.mark.parametrize("check", AUDIO)
def test_good_sound_passes_and_no_sound_is_not_judged(check: str) -> None:
    assert run(check, case(audio(channels=2), video())).outcome == "pass"
    assert run(check, case(video())).outcome == "not_applicable"


def test_finite() -> None:
    stream = audio(24000, non_finite=NonFinite(nan=240, spans=(span("1/2", "51/100"),)))
    result = run("audio.finite@1", case(stream))
    assert (result.outcome, result.measured, result.expected) == ("fail", 240, 0)
    assert result.message == "240 samples are not finite (NaN), the first at sample 12000 = 1/2 s (0.5 s)"
    assert run("audio.finite@1", case(audio(non_finite=NonFinite(inf=1)))).outcome == "fail"


def stuck(seconds: str, value: float) -> ConstantRun:
    length = Fraction(seconds)
    return ConstantRun(start=Fraction(1), end=1 + length, channel=0, samples=int(length * 24000), value=value)


@pytest.mark.parametrize(
    ("found", "outcome"),
    [
        (stuck("1/50", -1.0), "fail"),
        (stuck("1/50", 0.001), "fail"),
        (stuck("1/50", -0.001), "fail"),
        (stuck("1", 8 / 32768), "pass"),
        (stuck("1", 0.000999), "pass"),
    ],
)
def test_stuck(found: ConstantRun, outcome: str) -> None:
    stream = audio(constant_runs=(found,), constant_runs_totals=SpanTotals(count=1))
    assert run("audio.stuck@1", case(stream)).outcome == outcome


def test_stuck_tells_value_and_place() -> None:
    stream = audio(constant_runs=(stuck("1/2", -1.0),), constant_runs_totals=SpanTotals(count=1))
    message = run("audio.stuck@1", case(stream)).message
    assert message == "channel 0 stands at -1 for 12000 samples = 1/2 s (0.5 s) from 0:00:01.000, limit 0.02 s"


def zeros(seconds: str, before: float | None, after: float | None) -> ZeroRun:
    length = Fraction(seconds)
    return ZeroRun(
        start=Fraction(1), end=1 + length, channel=0, samples=int(length * 24000), before_dbfs=before, after_dbfs=after
    )


@pytest.mark.parametrize(
    ("found", "outcome", "severity"),
    [
        (zeros("1/200", -20.0, -20.0), "fail", "error"),
        (zeros("3", -10.0, -10.0), "fail", "error"),
        (zeros("30001/10000", -10.0, -10.0), "pass", "error"),
        (zeros("1/200", -20.1, -10.0), "fail", "warning"),
        (zeros("1/200", -30.0, -30.0), "fail", "warning"),
        (zeros("1/200", -30.1, -10.0), "pass", "error"),
        (zeros("1/200", None, -10.0), "pass", "error"),
        (zeros("1/200", -10.0, None), "pass", "error"),
        (zeros("1/200", NAN, -10.0), "pass", "error"),
    ],
)
def test_dropout(found: ZeroRun, outcome: str, severity: str) -> None:
    stream = audio(zero_runs=(found,), zero_runs_totals=SpanTotals(count=1))
    result = run("audio.dropout@1", case(stream))
    assert (result.outcome, result.severity) == (outcome, severity)


def test_one_dropout_among_warnings_is_an_error() -> None:
    runs = (zeros("1/100", -25.0, -25.0), zeros("1/100", -12.0, -13.0))
    result = run("audio.dropout@1", case(audio(zero_runs=runs, zero_runs_totals=SpanTotals(count=2))))
    assert (result.outcome, result.severity, result.measured) == ("fail", "error", 1)
    assert result.message == (
        "1 run of zeros cut out of sound, the first on channel 0 at 0:00:01.000: 240 samples = 1/100 s (0.01 s) "
        "between -12.0 dBFS and -13.0 dBFS"
    )


@pytest.mark.parametrize(
    ("check", "field"), [("audio.dropout@1", "zero_runs_totals"), ("audio.stuck@1", "constant_runs_totals")]
)
def test_a_cut_list_of_runs_is_not_trusted(check: str, field: str) -> None:
    changes: dict[str, Any] = {field: SpanTotals(count=101)}
    assert run(check, case(audio(**changes))).outcome == "inconclusive"


@pytest.mark.parametrize(
    ("last", "outcome"),
    [(-28.1, "pass"), (-28.0, "fail"), (-18.0, "fail"), (None, "inconclusive"), (NAN, "inconclusive")],
)
def test_truncated_end(last: float | None, outcome: str) -> None:
    stream = audio(tail=Tail(last_dbfs=last, loudest_second_dbfs=-18.0))
    assert run("audio.truncated_end@1", case(stream)).outcome == outcome


def test_an_end_in_digital_silence_is_no_cut() -> None:
    stream = audio(tail=Tail(last_dbfs=None, loudest_second_dbfs=-18.0), trailing_silence=Fraction(1, 10))
    assert run("audio.truncated_end@1", case(stream)).outcome == "pass"
    assert run("audio.truncated_end@1", case(audio(23999))).outcome == "not_applicable"
    assert run("audio.truncated_end@1", case(audio(tail=Tail()))).outcome == "inconclusive"


@pytest.mark.parametrize(("clipped", "outcome"), [(0, "pass"), (96, "pass"), (97, "fail")])
def test_clipping_of_exactly_a_thousandth_is_allowed(clipped: int, outcome: str) -> None:
    stream = audio(48000, channels=2, clipped_samples=clipped, clipped_runs=clipped // 3)
    assert run("audio.clipping@1", case(stream)).outcome == outcome


def test_clipping_tells_the_peak() -> None:
    result = run("audio.clipping@1", case(audio(24000, clipped_samples=6000, clipped_runs=200, peak_dbfs=3.5218)))
    assert result.message == (
        "6000 of 24000 samples are clipped (25.000 %) in 200 runs, limit 0.1 %; the peak is +3.52 dBFS "
        "(1.5 of full scale)"
    )


@pytest.mark.parametrize(
    ("offset", "outcome"),
    [(0.01, "pass"), (-0.01, "pass"), (0.0101, "fail"), (-1.0, "fail"), (NAN, "inconclusive"), (None, "inconclusive")],
)
def test_dc_offset(offset: float | None, outcome: str) -> None:
    assert run("audio.dc_offset@1", case(audio(dc_offset=offset))).outcome == outcome


def test_dc_offset_needs_a_tenth_of_a_second() -> None:
    assert run("audio.dc_offset@1", case(audio(2399, dc_offset=None))).outcome == "not_applicable"


def test_dead_channel() -> None:
    right = audio(channels=2, channel_levels=(levels(), levels(loudest_window_dbfs=None)))
    result = run("audio.dead_channel@1", case(right))
    assert (result.outcome, result.measured) == ("fail", 1)
    assert result.message.startswith("channel 1 is silent throughout (-inf dBFS), while another reaches -12.0 dBFS")
    assert run("audio.dead_channel@1", case(audio())).message == "one channel"


@pytest.mark.parametrize(("level", "outcome"), [(-60.0, "pass"), (-60.1, "fail"), (NAN, "inconclusive")])
def test_dead_channel_at_the_limit(level: float, outcome: str) -> None:
    stream = audio(channels=2, channel_levels=(levels(), levels(loudest_window_dbfs=level)))
    assert run("audio.dead_channel@1", case(stream)).outcome == outcome


@pytest.mark.parametrize(
    ("layout", "dead", "outcome"),
    [
        ("5.1", 3, "pass"),
        ("5.1(side)", 3, "pass"),
        ("5.1", 4, "fail"),
        ("hexagonal", 3, "fail"),
        (None, 3, "fail"),
        ("6 channels (FL+FR+LFE+FC+BL+BR)", 2, "pass"),
        ("6 channels (FL+FR+LFE+FC+BL+BR)", 3, "fail"),
    ],
)
def test_a_low_frequency_channel_may_be_empty(layout: str | None, dead: int, outcome: str) -> None:
    each = tuple(levels(loudest_window_dbfs=None if k == dead else -12.0) for k in range(6))
    assert run("audio.dead_channel@1", case(audio(channels=6, layout=layout, channel_levels=each))).outcome == outcome


def test_channels_that_were_not_measured_stay_open() -> None:
    assert run("audio.dead_channel@1", case(audio(channels=2, channel_levels=()))).outcome == "inconclusive"


@pytest.mark.parametrize(
    ("lufs", "peak", "outcome"),
    [
        (-40.0, 1.0, "pass"),
        (-6.0, 1.0, "pass"),
        (-40.1, 0.0, "fail"),
        (-5.9, 0.0, "fail"),
        (-20.0, 1.01, "fail"),
        (NAN, 0.0, "inconclusive"),
        (-20.0, NAN, "inconclusive"),
        (None, None, "inconclusive"),
    ],
)
def test_loudness(lufs: float | None, peak: float | None, outcome: str) -> None:
    stream = audio(loudness=Loudness(integrated_lufs=lufs, true_peak_dbtp=peak))
    assert run("audio.loudness@1", case(stream)).outcome == outcome


def test_loudness_needs_one_block() -> None:
    assert run("audio.loudness@1", case(audio(9599, loudness=Loudness()))).outcome == "not_applicable"


@given(st.sampled_from(AUDIO[1:]), st.sampled_from([None, NAN, float("inf"), float("-inf")]))
def test_what_was_not_measured_never_passes(check: str, nothing: float | None) -> None:
    unknown = audio(
        channels=2,
        peak_dbfs=nothing,
        dc_offset=nothing,
        loudest_window_dbfs=nothing,
        channel_levels=(levels(loudest_window_dbfs=nothing),) * 2,
        tail=Tail(last_dbfs=nothing, loudest_second_dbfs=nothing),
        loudness=Loudness(integrated_lufs=nothing, true_peak_dbtp=nothing),
    )
    if check in ("audio.stuck@1", "audio.clipping@1"):
        return  # Exact counts: there is no level in them.
    assert run(check, case(unknown)).outcome != "pass"
