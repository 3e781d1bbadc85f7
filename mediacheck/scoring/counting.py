"""Errors of one utterance, counted by jiwer over normalised texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mediacheck.scoring.score import Aligned, ErrorCounts

Unit = Literal["word", "character"]


@dataclass(frozen=True)
class Counted:
    """Errors and where they stand."""

    counts: ErrorCounts
    alignment: tuple[Aligned, ...]


def count_errors(reference: str, hypothesis: str, unit: Unit) -> Counted:
    """Substitutions, deletions, insertions and hits of the least costly alignment (Levenshtein), by jiwer.

    Args:
        reference: normalised; words are what white space divides.
        hypothesis: likewise.
        unit: ``word``, or ``character``: Unicode code points, each space one of them.
    """
    import jiwer

    if unit == "word":
        output = jiwer.process_words(reference, hypothesis)
        joint = " "
    else:
        output = jiwer.process_characters(reference, hypothesis)
        joint = ""
    # jiwer hands back tokens as it counted them: no second tokeniser here could disagree with it.
    (said,), (heard,), (chunks,) = output.references, output.hypotheses, output.alignments
    alignment = tuple(
        Aligned(
            kind=chunk.type,
            reference=joint.join(said[chunk.ref_start_idx : chunk.ref_end_idx]),
            hypothesis=joint.join(heard[chunk.hyp_start_idx : chunk.hyp_end_idx]),
        )
        for chunk in chunks
    )
    counts = ErrorCounts(
        substitutions=output.substitutions,
        deletions=output.deletions,
        insertions=output.insertions,
        hits=output.hits,
        reference=len(said),
    )
    return Counted(counts, alignment)
