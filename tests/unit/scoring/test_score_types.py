"""A score is a finite value or a reason; counts add up; identities are known by every field."""

from __future__ import annotations

import math

import msgspec
import pytest

from mediacheck import serialise
from mediacheck.scoring import ErrorCounts, Identity, Measured, NotMeasured, Quantity, Score
from mediacheck.scoring.score import ModelIdentity

IDENTITY = Identity(scorer="x", version=1, unit="dB")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_value_that_is_not_finite(value: float) -> None:
    with pytest.raises(ValueError, match="no value"):
        Measured(scorer="x", value=value, unit="dB", identity=IDENTITY)
    with pytest.raises(ValueError, match="no value"):
        Quantity(name="x", value=value, unit="dB")


def counts(substitutions: int = 1, deletions: int = 2, insertions: int = 3, hits: int = 4) -> ErrorCounts:
    return ErrorCounts(
        substitutions=substitutions,
        deletions=deletions,
        insertions=insertions,
        hits=hits,
        reference=substitutions + deletions + hits,
    )


def test_a_rate_is_derived_and_none_over_nothing() -> None:
    assert counts().rate == 6 / 7
    assert counts(0, 0, 5, 0).rate is None


def test_counts_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(ValueError, match="the reference is"):
        ErrorCounts(substitutions=1, deletions=0, insertions=0, hits=1, reference=3)
    with pytest.raises(ValueError, match="below zero"):
        ErrorCounts(substitutions=-1, deletions=1, insertions=0, hits=1, reference=1)


def test_counts_add() -> None:
    assert counts() + counts(0, 1, 0, 9) == counts(1, 3, 3, 13)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("scorer", "y"),
        ("version", 2),
        ("unit", "LU"),
        ("backend", "b"),
        ("model", ModelIdentity(id="m", sha256="0")),
        ("language", "en"),
    ],
)
def test_every_field_makes_another_identity(field: str, value: object) -> None:
    other = msgspec.structs.replace(IDENTITY, **{field: value})
    assert other != IDENTITY
    assert other.digest != IDENTITY.digest


def test_json_says_whether_it_was_measured() -> None:
    measured = Measured(scorer="x", value=1.5, unit="dB", identity=IDENTITY)
    missing = NotMeasured(scorer="x", reason="too short")
    for score, status in ((measured, "measured"), (missing, "not_measured")):
        data = serialise.to_json(score)
        assert f'"status": "{status}"'.encode() in data
        assert serialise.from_json(data, Score) == score
