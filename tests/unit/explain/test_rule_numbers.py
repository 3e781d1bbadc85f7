"""Every number in the text of a rule is what the code says, or belongs to its example or to a word."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from mediacheck.cli.exits import ExitCode
from mediacheck.explain import Explanation, groups
from mediacheck.gate.statistics import bounds, means, quantiles
from mediacheck.gate.statistics.shares import fewest_for_quantile, share_bounds
from mediacheck.media import loudness
from mediacheck.scoring import dnsmos, mcd, pesq, rules, si_sdr, speaker_rules, stoi
from mediacheck.scoring.registry import scorer_type

Known = dict[str, Fraction | int | float]

BOOTSTRAP: Known = {"30": means.FEWEST_DIFFERENT, "20,000": means.LARGE}
# By the name that is listed, and as the text writes it.
FROM_CODE: dict[str, Known] = {
    "speaker": {"1.6": speaker_rules.LEAST_SPEECH_S, "120": speaker_rules.LONGEST_S},
    "dnsmos": {"16": Fraction(dnsmos.RATE, 1000), "1": dnsmos.SHORTEST_S, "5": scorer_type("dnsmos").info.highest or 0},
    "loudness": {
        "400": Fraction(1000 * loudness.GATING_STEPS, loudness.STEPS_PER_SECOND),
        "−70": scorer_type("loudness").info.lowest or 0,
    },
    "si_sdr": {"140": si_sdr.LIMIT_DB, "20": 1000 * rules.SLACK_S},
    "stoi": {"10": Fraction(stoi.RATE, 1000)},
    "pesq": {"20": pesq.LONGEST_S, "1": pesq.APART_S},
    "pesq_nb": {"20": pesq.LONGEST_S, "1": pesq.APART_S},
    "mcd": {
        "25": Fraction(1000 * mcd.WINDOW, mcd.RATE),
        "10": Fraction(1000 * mcd.HOP, mcd.RATE),
        "40": mcd.BANDS,
        "30": mcd.LONGEST_S,
    },
    "max_increase": {"80": 100 * bounds.POWER},
    "corpus": BOOTSTRAP,
    "mean": BOOTSTRAP,
    "median": {"50": quantiles._SMOOTHED},
    "pN": {"59": fewest_for_quantile(0.95, 0.95)},
    "rate": {"3": round(100 * (share_bounds(0, 100, 0.95).high or 0))},
    "workload": {"2": ExitCode.USAGE},
    "worst_case": {"30": means.FEWEST_DIFFERENT},
    "seed": {"4999": bounds.RESAMPLES, "9999": 2 * bounds.RESAMPLES + 1},
    "outcome": {"0": ExitCode.PASS, "1": ExitCode.FAIL, "3": ExitCode.INCONCLUSIVE},
}
# Yes and no, ends of shares, and lengths of vectors; figures of the example; what pystoi, speechmos and formulas say.
TOLD: dict[str, set[str]] = {
    "validity_rate": {"0", "1", "200", "24"},
    "verdict:VERDICT": {"0", "1", "200"},
    "status:STATUS": {"0", "1", "200"},
    "findings:CHECK": {"0", "1", "200"},
    "coverage:SCORER": {"0", "1", "12", "200"},
    "wer": {"0", "1"},
    "cer": {"0", "1"},
    "speaker": {"1"},
    "dnsmos": {"9.01"},
    "loudness": {"−14"},
    "si_sdr": {"10"},
    "stoi": {"40", "0.4", "5"},
    "duration_ratio": {"1", "1.3"},
    "at_most": {"0", "200"},
    "at_least": {"0", "1"},
    "max_increase": {"0", "1"},
    "max_ratio": {"0", "1.1"},
    "min_ratio": {"0", "0.95", "15", "2"},
    "mean": {"200"},
    "pN": {"95"},
    "rate": {"1", "100", "2"},
    "count": {"0"},
    "unit": {"5", "0.05"},
    "confidence": {"1", "0.5", "0.999", "99", "200"},
    "minimum_coverage": {"1"},
    "worst_case": {"1"},
    "seed": {"0"},
}
# Names that hold digits.
NAMES = re.compile(r"\bp\d+\b|P\.8\d\d(?:\.\d)?|BS\.1770-4|[Ss][Hh][Aa]-?256|float16|mediacheck\.policy/1")
NUMBER = re.compile(r"[−-]?\d+(?:,\d{3})*(?:\.\d+)?(?:/\d+)?")
RULES = [told for group in groups() for told in group.explanations if told.kind != "check"]


@pytest.mark.parametrize("told", RULES, ids=lambda told: told.name)
def test_every_number_comes_from_the_code(told: Explanation) -> None:
    known, free = FROM_CODE.get(told.name, {}), TOLD.get(told.name, set())
    texts = (told.title, told.what, told.why, told.how, told.example.situation, told.fix)
    found = {number for text in texts for number in NUMBER.findall(NAMES.sub("", text))}
    assert found == set(known) | free, "a number was changed in the text: say here where it comes from"
    for text, value in known.items():
        assert float(text.replace("−", "-").replace(",", "")) == pytest.approx(float(value)), text


def test_what_these_tables_name_is_explained() -> None:
    assert (FROM_CODE.keys() | TOLD.keys()) <= {told.name for told in RULES}


def test_what_is_told_of_ties_is_what_chance_says() -> None:
    # One item in a hundred is missed by two hundred in one run of seven.
    assert round(1 / 0.99**200) == 7
    # A hundred items of which 3 % fail show none in one run of twenty.
    assert round(1 / (1 - 0.0295) ** 100) == 20
