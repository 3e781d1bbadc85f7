"""Rules of the scorer ``speaker``; they stand in its identity."""

from __future__ import annotations

from typing import Final

RATE: Final = 16_000
"""Hz, of the samples that every speaker model is given."""
LEAST_SPEECH_S: Final = 1.6
"""Seconds: one window of Resemblyzer's network. What is shorter would be padded, and padding changes embeddings."""
LONGEST_S: Final = 120
"""Seconds from the start that are embedded: a model's memory grows with the length, its answer hardly changes."""
BELOW_LOUDEST_DB: Final = 40.0
"""A 10 ms window further below the loudest is a pause."""
