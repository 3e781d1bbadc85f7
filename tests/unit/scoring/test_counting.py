"""Counts are jiwer's, and the alignment accounts for every word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mediacheck.scoring.counting import count_errors
from mediacheck.scoring.protocols.openai_english import whisper_en
from mediacheck.scoring.score import Aligned, ErrorCounts
from tests.needs import needs_module

pytestmark = needs_module("jiwer")
TEXT = st.lists(st.sampled_from(["a", "b", "cat", "dog", "über", "你好", "don't"]), max_size=12).map(" ".join)


@given(TEXT, TEXT)
def test_words_are_counted_as_jiwer_counts_them(reference: str, hypothesis: str) -> None:
    import jiwer

    counts = count_errors(reference, hypothesis, "word").counts
    theirs = jiwer.process_words(reference, hypothesis)
    assert counts == ErrorCounts(
        substitutions=theirs.substitutions,
        deletions=theirs.deletions,
        insertions=theirs.insertions,
        hits=theirs.hits,
        reference=len(reference.split()),
    )
    if reference:
        assert counts.rate == theirs.wer


@given(TEXT, TEXT)
def test_characters_are_counted_as_jiwer_counts_them(reference: str, hypothesis: str) -> None:
    import jiwer

    counts = count_errors(reference, hypothesis, "character").counts
    if reference:
        assert counts.rate == jiwer.cer(reference, hypothesis)
    assert counts.reference == len(reference)


@given(TEXT, TEXT)
def test_the_alignment_spells_both_texts_and_adds_up(reference: str, hypothesis: str) -> None:
    counted = count_errors(reference, hypothesis, "word")
    assert " ".join(a.reference for a in counted.alignment if a.reference) == reference
    assert " ".join(a.hypothesis for a in counted.alignment if a.hypothesis) == hypothesis
    by_kind = dict.fromkeys(("equal", "substitute", "delete", "insert"), 0)
    for stretch in counted.alignment:
        by_kind[stretch.kind] += len((stretch.reference or stretch.hypothesis).split())
    counts = counted.counts
    assert by_kind == {
        "equal": counts.hits,
        "substitute": counts.substitutions,
        "delete": counts.deletions,
        "insert": counts.insertions,
    }


def test_lines_checked_by_hand() -> None:
    def kinds(reference: str, hypothesis: str) -> list[tuple[str, str, str]]:
        return [(a.kind, a.reference, a.hypothesis) for a in count_errors(reference, hypothesis, "word").alignment]

    assert kinds("the cat sat down", "the dog sat") == [
        ("equal", "the", "the"),
        ("substitute", "cat", "dog"),
        ("equal", "sat", "sat"),
        ("delete", "down", ""),
    ]
    assert kinds("press one", "please press one now") == [
        ("insert", "", "please"),
        ("equal", "press one", "press one"),
        ("insert", "", "now"),
    ]
    assert kinds("a b", "") == [("delete", "a b", "")]
    assert kinds("", "a b") == [("insert", "", "a b")]
    assert kinds("", "") == []


@needs_module("whisper")
def test_real_transcripts_checked_by_hand() -> None:
    """What Whisper tiny.en heard of three of Debian's prompts, and what is different there to a reader's eye."""

    def errors(reference: str, hypothesis: str) -> list[tuple[str, str, str]]:
        alignment = count_errors(whisper_en(reference), whisper_en(hypothesis), "word").alignment
        return [(a.kind, a.reference, a.hypothesis) for a in alignment if a.kind != "equal"]

    assert errors(
        "Agent login.  Please enter your agent number followed by the pound key.",
        "Agent log in. Please enter your agent number followed by the pound key.",
    ) == [("insert", "", "log"), ("substitute", "login", "in")]
    assert errors(
        "The party you are trying to reach does not accept unidentified calls.",
        "The party or trying to reach does not accept unidentified calls.",
    ) == [("substitute", "you", "or"), ("delete", "are", "")]
    assert errors(
        "I am sorry, that's not a valid extension. Please try again.",
        "I am sorry, but that's not a valid extension. Please try again.",
    ) == [("insert", "", "but")]


def test_characters_stand_together() -> None:
    assert count_errors("你好世界", "你好时节", "character").alignment == (
        Aligned(kind="equal", reference="你好", hypothesis="你好"),
        Aligned(kind="substitute", reference="世界", hypothesis="时节"),
    )
