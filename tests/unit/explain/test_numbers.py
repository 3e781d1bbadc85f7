"""Every number in the text of a check is what the code says, or stands in the example that is printed anyway."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

import pytest

from mediacheck.checks import audio_dc_offset, audio_dropout, audio_loudness, audio_stuck, timeline_monotonic
from mediacheck.contracts import load_contract
from mediacheck.explain import Explanation, checks
from mediacheck.media import audio_meter, levels, loudness, luma, runs, scales
from mediacheck.media.kernel import SQUARE
from mediacheck.spans import WINDOWS_PER_SECOND
from tests.unit.explain.cases import CASES, H3

Known = dict[str, Fraction | int | float]

WINDOW_MS = Fraction(1000, WINDOWS_PER_SECOND)
ZERO_RUN_MS = Fraction(1000, runs.ZERO_RUNS_PER_SECOND)
CONSTANT_RUN_MS = Fraction(1000, runs.CONSTANT_RUNS_PER_SECOND)
AAC_FRAME = 1024
WINDOW: Known = {"10": WINDOW_MS}

# What measuring and judging are built with, by check and as the text writes it.
FROM_CODE: dict[str, Known] = {
    "audio.clipping": {"32767/32768": Fraction(scales.FULL_SCALE), "3": runs.CLIPPED_RUN},
    "audio.dc_offset": {"0.1": audio_meter.MINIMUM_DC_SECONDS},
    "audio.dead_channel": WINDOW,
    "audio.dropout": {
        "5": ZERO_RUN_MS,
        "2": 1000 * runs.FLANK_SECONDS,
        "0.005": audio_dropout._SHORTEST_MEASURED,
        "−20": audio_dropout.AudioDropout().fail_dbfs,
    },
    "audio.internal_silence": WINDOW,
    "audio.leading_silence": WINDOW,
    "audio.loudness": {"0.4": audio_loudness._ONE_BLOCK},
    "audio.padding": {"1024": AAC_FRAME, "21": round(Fraction(1000 * AAC_FRAME, 48_000))},
    "audio.silent": WINDOW,
    "audio.stuck": {
        "20": CONSTANT_RUN_MS,
        "0.02": audio_stuck._SHORTEST_MEASURED,
        "25": 1 / (2 * audio_stuck._SHORTEST_MEASURED),
    },
    "audio.trailing_silence": WINDOW,
    "audio.truncated_end": WINDOW,
    "timeline.monotonic": {"0.1": timeline_monotonic._NEAR_THE_BEGINNING},
    "video.black": {"32": luma.BLACK_LIMITED},
    "video.frozen": {"16": SQUARE},
}
# What the code does not hold: full scale and widths of formats, figures of a measurement (validators/v2/README.md), a
# rate that someone mixed up with another, a count of the example.
TOLD: dict[str, set[str]] = {
    "audio.clipping": {"1.0", "8"},
    "audio.dc_offset": {"1.0"},
    "audio.dropout": {"125", "200", "75", "42"},
    "audio.format": {"24", "16", "24000"},
    "audio.padding": {"48", "48000"},
    "audio.silent": {"1.0"},
    "audio.stuck": {"−1.0"},
    "duration.av_match": {"40", "362/24", "603/40"},
    "duration.contract": {"362"},
    "duration.expected": {"1.9", "2", "8", "5888/735"},
    "media.decodable": {"200"},
    "media.streams": {"0", "1"},
    "sync.duration": {"24", "16"},
    "video.black": {"8"},
    "video.format": {"16", "25"},
    "video.frame_grid": {"17", "5"},
}
# Names that hold digits.
NAMES = re.compile(r"BS\.1770-4|float16|float32|bfloat16|FFV1|MP[34]|M4A|v\d|minimax-h3\S*|ref2va")
NUMBER = re.compile(r"[−-]?\d+(?:\.\d+)?(?:/\d+)?")


def numbers(told: Explanation) -> Iterator[str]:
    """Each number of the texts, as it is written; neither of what a report prints nor of the source."""
    meanings = [one.meaning for one in told.parameters]
    for text in (told.title, told.what, told.why, told.how, *meanings, told.example.situation, told.fix):
        yield from NUMBER.findall(NAMES.sub("", text))


@pytest.mark.parametrize("told", [checks.explain(name) for name in checks.names()], ids=lambda told: told.name)
def test_every_number_comes_from_the_code(told: Explanation) -> None:
    known, free = FROM_CODE.get(told.id, {}), TOLD.get(told.id, set())
    found = set(numbers(told))
    assert found == set(known) | free, "a number was changed in the text: say here where it comes from"
    for text, value in known.items():
        assert Fraction(text.replace("−", "-")) == Fraction(value), text


def test_what_is_told_of_contracts_is_what_they_say() -> None:
    h3 = load_contract(H3)
    assert h3.frame_grid is not None
    assert (h3.frame_grid.step, h3.frame_grid.offset) == (17, 5)
    assert h3.latent_rate == 40
    seconds = h3.forward({"frames": 362}).audio_seconds
    assert seconds == Fraction(603, 40)
    mmaudio = load_contract("mmaudio-44k").forward({"seconds": Fraction(8)})
    assert mmaudio.audio_seconds == Fraction(5888, 735)
    assert len(CASES["duration.contract@1"]().facts.video) == 1


def test_a_window_of_the_envelope_is_as_long_as_the_texts_say() -> None:
    first, second, *_ = levels.window_edges(48_000, 1)
    assert Fraction(int(second - first), 48) == WINDOW_MS


def test_the_measuring_and_the_judging_agree_on_what_is_too_short() -> None:
    assert 1000 * audio_dropout._SHORTEST_MEASURED == ZERO_RUN_MS
    assert 1000 * audio_stuck._SHORTEST_MEASURED == CONSTANT_RUN_MS
    assert audio_meter.MINIMUM_DC_SECONDS == audio_dc_offset._SHORTEST_MEASURED
    assert Fraction(loudness.GATING_STEPS, loudness.STEPS_PER_SECOND) == audio_loudness._ONE_BLOCK
