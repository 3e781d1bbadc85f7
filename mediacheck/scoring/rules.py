"""Rules that scorers share and that stand in their identities. They need no numpy: listing scorers does not load it."""

from __future__ import annotations

from typing import Final

DOWNMIX: Final = "mean"
"""Mono is the arithmetic mean of all channels, each counted alike."""
RESAMPLER: Final = "soxr HQ"
SILENCE_DBFS: Final = -60.0
"""A 10 ms window below it is silent: the limit of the check ``audio.silent``."""
SLACK_S: Final = 0.02
"""Seconds by which two sounds may differ in length and still be taken for aligned: what codecs and resamplers leave at
the end. The longer is cut."""
