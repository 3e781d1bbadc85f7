"""Means over files: corpus and macro apart, coverage beside them, never over different identities, never of nothing."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacheck.errors import ScoringError
from mediacheck.facts import Libraries
from mediacheck.scoring import ErrorCounts, Identity, Measured, NotMeasured, Score, Scores, bootstrap
from mediacheck.scoring.score import NormaliserIdentity, ScoredFile, ScoringTool, Validation
from mediacheck.scoring.summary import same_identity, summarise
from tests.needs import needs_module

IDENTITY = Identity(
    scorer="wer", version=1, unit="errors/word", normaliser=NormaliserIdentity(id="whisper-en", version=1)
)


def wer(errors: int, words: int, identity: Identity = IDENTITY) -> Measured:
    counts = ErrorCounts(
        substitutions=min(errors, words), deletions=0, insertions=max(0, errors - words),
        hits=max(0, words - errors), reference=words,
    )  # fmt: skip
    return Measured(scorer="wer", value=errors / words, unit="errors/word", counts=counts, identity=identity)


def results(*scores: Score) -> list[Scores]:
    return [
        Scores(
            tool=ScoringTool(name="mediacheck", version="0", libraries=Libraries()),
            subject=ScoredFile(name=f"{index}.wav", bytes=1, sha256="0"),
            validation=Validation(validator="v2", digest="d", verdict="pass"),
            scores=(score,),
        )
        for index, score in enumerate(scores)
    ]


def test_corpus_and_mean_are_two_figures() -> None:
    summary = summarise("wer", "errors/word", results(wer(1, 2), wer(1, 98)))
    assert summary.corpus is not None
    assert summary.mean is not None
    assert summary.corpus.value == 2 / 100
    assert summary.mean.value == pytest.approx((1 / 2 + 1 / 98) / 2)
    assert summary.headline == "corpus"
    assert summary.coverage == "2/2"


def nothing_said() -> Measured:
    """Nothing was to be said, and nothing was heard."""
    counts = ErrorCounts(substitutions=0, deletions=0, insertions=0, hits=0, reference=0)
    return Measured(scorer="wer", value=0.0, unit="errors/word", counts=counts, identity=IDENTITY)


def test_a_file_without_words_counts_in_the_mean_and_adds_nothing_to_the_corpus() -> None:
    summary = summarise("wer", "errors/word", results(wer(1, 2), nothing_said(), wer(1, 98)))
    assert summary.corpus is not None
    assert summary.mean is not None
    assert summary.corpus == summarise("wer", "errors/word", results(wer(1, 2), wer(1, 98))).corpus
    assert summary.mean.value == pytest.approx((1 / 2 + 1 / 98) / 3)
    assert summary.coverage == "3/3"


def test_without_any_word_there_is_no_corpus_rate() -> None:
    summary = summarise("wer", "errors/word", results(nothing_said(), nothing_said()))
    assert summary.corpus is None
    assert summary.error is None
    assert summary.mean is not None
    assert summary.mean.value == 0.0
    assert summary.headline == "mean"


def test_seed_tts_states_the_mean() -> None:
    identity = msgspec.structs.replace(IDENTITY, normaliser=NormaliserIdentity(id="seed-tts", version=1))
    assert summarise("wer", "errors/word", results(wer(1, 2, identity))).headline == "mean"


def test_what_was_not_measured_is_named_and_lowers_the_coverage() -> None:
    missing = NotMeasured(scorer="wer", reason="the file is missing")
    summary = summarise("wer", "errors/word", results(wer(0, 5), missing))
    assert (summary.scored, summary.expected, summary.coverage) == (1, 2, "1/2")
    assert [(item.name, item.reason) for item in summary.not_measured] == [("1.wav", "the file is missing")]
    assert summary.mean is not None
    assert summary.mean.interval is None


@pytest.mark.parametrize("scores", [(), (NotMeasured(scorer="wer", reason="x"),)])
def test_nothing_scored_is_an_error_and_no_figure(scores: tuple[Score, ...]) -> None:
    summary = summarise("wer", "errors/word", results(*scores))
    assert summary.error is not None
    assert (summary.mean, summary.corpus, summary.counts) == (None, None, None)
    with pytest.raises(ScoringError, match="no item was scored"):
        same_identity([])


def test_a_scorer_that_did_not_run_on_a_file_is_missing_there() -> None:
    other = NotMeasured(scorer="cer", reason="x")
    assert summarise("wer", "errors/word", results(wer(0, 5), other)).coverage == "1/2"


def test_different_identities_are_not_averaged() -> None:
    other = msgspec.structs.replace(IDENTITY, backend="faster-whisper", language="en")
    with pytest.raises(ScoringError, match=r"differ in identity \(backend, language\)"):
        summarise("wer", "errors/word", results(wer(0, 5), wer(0, 5, other)))


def test_an_interval_is_the_same_every_time_and_holds_the_value() -> None:
    errors, words = [0, 1, 2, 0, 5], [10, 12, 9, 30, 11]
    first = bootstrap.ratio(errors, words)
    assert first == bootstrap.ratio(errors, words)
    assert first.interval is not None
    assert first.interval.low <= first.value <= first.interval.high


@needs_module("scipy")
def test_an_interval_is_that_of_scipy() -> None:
    """Another implementation of the percentile bootstrap, with other draws."""
    from scipy import stats

    values = np.random.default_rng(5).gamma(2.0, 0.05, 200)
    theirs = stats.bootstrap((values,), np.mean, n_resamples=4000, method="percentile", rng=7).confidence_interval
    ours = bootstrap.mean(list(values)).interval
    assert ours is not None
    width = theirs.high - theirs.low
    assert abs(ours.low - theirs.low) < 0.1 * width
    assert abs(ours.high - theirs.high) < 0.1 * width


def test_equal_files_have_an_interval_without_width() -> None:
    interval = bootstrap.mean([0.25] * 7).interval
    assert interval is not None
    assert interval.low == interval.high == 0.25


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 30)), min_size=1, max_size=20))
def test_the_corpus_rate_is_the_rate_of_the_sums(pairs: list[tuple[int, int]]) -> None:
    summary = summarise("wer", "errors/word", results(*(wer(errors, words) for errors, words in pairs)))
    assert summary.corpus is not None
    assert summary.counts is not None
    assert summary.corpus.value == pytest.approx(sum(e for e, _ in pairs) / sum(w for _, w in pairs))
    assert summary.corpus.value == pytest.approx(summary.counts.rate)
    assert math.isfinite(summary.corpus.value)
