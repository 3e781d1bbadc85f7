"""The pair of sounds that a scorer with a reference compares: which reference, at which rate, of which length."""

from __future__ import annotations

from fractions import Fraction
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from mediacheck.scoring.rules import SLACK_S
from mediacheck.scoring.scorer import Item, Recording, Unmeasurable

Mono = NDArray[np.float32]


def the_reference(item: Item) -> Recording:
    """The one recording that a candidate is held against.

    Of several it is the one whose file name, without folder and suffix, is the candidate's own.

    Raises:
        Unmeasurable: none or several of them have that name.
    """
    if len(item.references) == 1:
        return item.references[0]
    stem = PurePath(item.candidate.name).stem
    named = [reference for reference in item.references if PurePath(reference.name).stem == stem]
    if len(named) != 1:
        raise Unmeasurable(
            f"one reference is needed: of the {len(item.references)} that were given, {len(named)} are named {stem}"
        )
    return named[0]


def require_rate(*recordings: Recording, lowest: int) -> None:
    """Raise where a file's sample rate is too low: what it lacks cannot be compared.

    Args:
        recordings: candidate and reference.
        lowest: Hz.

    Raises:
        Unmeasurable: it is below that.
    """
    for recording in recordings:
        if recording.sound.sample_rate < lowest:
            raise Unmeasurable(f"{recording.name} has {recording.sound.sample_rate} Hz; {lowest} Hz are needed")


def require_sound(*recordings: Recording) -> None:
    """Raise where a recording is silent: no 10 ms window of any channel reaches -60 dBFS RMS.

    Raises:
        Unmeasurable: it is.
    """
    for recording in recordings:
        if recording.sound.silent:
            raise Unmeasurable(f"{recording.name} is silent")


def aligned(candidate: Recording, reference: Recording, rate: int | None = None) -> tuple[Mono, Mono]:
    """Both sounds in mono, sample beside sample, of one length.

    Nothing is shifted: a delay counts as an error, as the published definitions have it.

    Args:
        candidate: at any rate, if ``rate`` is given.
        reference: the same.
        rate: Hz to resample to; None: the files' own, which must be one.

    Returns:
        Candidate and reference, shape (n,) each.

    Raises:
        Unmeasurable: rates differ and none was named; lengths differ by more than ``SLACK_S``; one is silent.
    """
    require_sound(candidate, reference)
    rates = candidate.sound.sample_rate, reference.sound.sample_rate
    if rate is None and rates[0] != rates[1]:
        raise Unmeasurable(
            f"the candidate has {rates[0]} Hz and the reference {rates[1]} Hz; both must have the same rate"
        )
    excess = candidate.sound.duration - reference.sound.duration
    if abs(excess) > Fraction(str(SLACK_S)):
        raise Unmeasurable(
            f"the candidate is {abs(float(excess)):.3f} s {'longer' if excess > 0 else 'shorter'} than the reference; "
            f"they are compared sample by sample, and may differ by {SLACK_S:g} s"
        )
    ours, theirs = candidate.sound.mono(rate), reference.sound.mono(rate)
    length = min(len(ours), len(theirs))
    return ours[:length], theirs[:length]
