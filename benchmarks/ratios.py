"""Paired ratios: their median and spread, and what a target says of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Ratio:
    """Ours over theirs, pair by pair."""

    median: float
    low: float
    high: float
    pairs: int


@dataclass(frozen=True)
class Target:
    """The most that a figure may be: what is aimed at, and what must be kept."""

    goal: float
    must: float


def ratio_of(ours: Sequence[float], theirs: Sequence[float]) -> Ratio:
    """The ratio of each pair, never of the medians: a slow minute of the machine then hits both sides of a pair.

    Raises:
        ValueError: there is no pair, the two differ in length, or a figure is not a number above zero.
    """
    if not ours or len(ours) != len(theirs):
        raise ValueError(f"{len(ours)} and {len(theirs)} figures make no pairs")
    if not all(0 < figure < math.inf for figure in (*ours, *theirs)):
        raise ValueError("a time of zero or less, or without end, has no ratio")
    ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
    return Ratio(median(ratios), min(ratios), max(ratios), len(ratios))


def standing(figure: float, target: Target) -> str:
    """``goal met``, ``must met`` or ``not met``; NaN meets nothing."""
    if figure <= target.goal:
        return "goal met"
    if figure <= target.must:
        return "must met"
    return "**not met**"
