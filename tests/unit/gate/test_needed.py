"""How many items a gate says would settle a rule: neither too few, nor a number where none is known."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from mediacheck.batch.results import ItemResult
from mediacheck.gate.decide import decide
from mediacheck.gate.decision import Figure
from tests.unit.gate.factory import item, items, policy, si_sdr, wer, write_run

CLEAN = 'id = "clean"\nmetric = "si_sdr"\nstatistic = "mean"\nunit = "dB"\nmax_decrease = 0.5'
RARE = 'id = "wer"\nmetric = "wer"\nstatistic = "corpus"\nunit = "errors/word"\nat_most = 0.03'


def figure(folder: Path, rule: str, candidate: list[ItemResult], baseline: list[ItemResult] | None = None) -> Figure:
    folder.mkdir()
    run = write_run(folder / "candidate", candidate)
    other = None if baseline is None else write_run(folder / "baseline", baseline)
    (found,) = decide(policy(rule), run, other).rules
    return found.figures[0]


def sound(count: int, seed: int) -> list[ItemResult]:
    draw = random.Random(seed)
    return items(count, lambda _: [si_sdr(draw.gauss(20.0, 0.5))])


def test_a_metric_without_a_range_asks_for_items_that_differ(tmp_path: Path) -> None:
    few = figure(tmp_path / "few", CLEAN, sound(25, 1), sound(25, 2))
    assert few.outcome == "inconclusive"
    assert few.needed is not None
    assert "fewer than 30 items differ from the commonest value" in few.message
    assert "state worst_case" in few.message
    assert f"about {few.needed} items would" in few.message
    enough = figure(tmp_path / "enough", CLEAN, sound(few.needed, 1), sound(few.needed, 2))
    assert enough.interval is not None
    assert enough.interval.method == "studentised bootstrap"
    below = figure(tmp_path / "below", CLEAN, sound(12, 1), sound(12, 2))
    assert below.needed is not None
    assert below.needed >= 33
    assert f"fewer than the 20 that the policy asks for; about {below.needed} would settle" in below.message


def test_of_one_item_or_of_ties_no_number_is_known(tmp_path: Path) -> None:
    one = figure(tmp_path / "one", CLEAN, sound(1, 1), sound(1, 2))
    assert one.needed is None
    assert one.message.endswith("fewer than the 20 that the policy asks for")
    ties = figure(tmp_path / "ties", CLEAN, sound(40, 1), sound(40, 1))
    assert ties.needed is None
    assert "almost all items are alike" in ties.message
    assert "no number of items is known" in ties.message


@pytest.mark.parametrize("wrong", [1, 2, 3])
def test_rare_errors_are_settled_by_the_number_that_is_named_and_not_by_half_of_it(tmp_path: Path, wrong: int) -> None:
    def talk(count: int) -> list[ItemResult]:
        """Of 50 items one, two or three have an error in ten words; more of the same where there are more."""
        return [item(f"u{n}", wer(int(n % 50 < wrong))) for n in range(count)]

    pilot = figure(tmp_path / "pilot", RARE, talk(50))
    assert pilot.outcome == "inconclusive"
    assert pilot.needed is not None
    # Power of 80 % is more than to pass by a hair where the sample is as expected.
    assert figure(tmp_path / "named", RARE, talk(pilot.needed)).outcome == "pass"
    assert figure(tmp_path / "half", RARE, talk(pilot.needed // 2)).outcome == "inconclusive"
