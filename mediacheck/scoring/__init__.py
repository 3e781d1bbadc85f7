"""Scorers: how good a sound output is, on real models, each number with the identity of what computed it.

Whether a file is whole is the validators' question. A scorer does not run on a file that failed it.
"""

from mediacheck.scoring.registry import chosen_scorers, scorer_ids, scorer_type
from mediacheck.scoring.run import prepare, score_item
from mediacheck.scoring.score import (
    ErrorCounts,
    Identity,
    Measured,
    ModelIdentity,
    NotMeasured,
    Quantity,
    Score,
    ScorerInfo,
    Scores,
)
from mediacheck.scoring.scorer import Item, ModelError, Recording, Scorer, ScoringOptions, Unmeasurable, identity

__all__ = [
    "ErrorCounts",
    "Identity",
    "Item",
    "Measured",
    "ModelError",
    "ModelIdentity",
    "NotMeasured",
    "Quantity",
    "Recording",
    "Score",
    "Scorer",
    "ScorerInfo",
    "Scores",
    "ScoringOptions",
    "Unmeasurable",
    "chosen_scorers",
    "identity",
    "prepare",
    "score_item",
    "scorer_ids",
    "scorer_type",
]
