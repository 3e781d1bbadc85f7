"""The scorer that docs/reference/scoring.md shows to other packages works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mediacheck.scoring import Item, Measured, NotMeasured, Recording, ScorerInfo, ScoringOptions, registry, score_item
from tests.needs import needs_module
from tests.synthesis import speechlike, write_wav

DOCUMENT = Path(__file__).parents[3] / "docs" / "reference" / "scoring.md"


@needs_module("soxr")
@pytest.mark.parametrize(("seconds", "measured"), [(0.5, False), (1.5, True)])
def test_it_scores(seconds: float, measured: bool, tmp_path: Path) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(block, names)
    recording = Recording(write_wav(tmp_path / "a.wav", speechlike(round(24000 * seconds), 24000), 24000), "a.wav")
    scorer = names["MyScorer"](ScoringOptions())
    scorer.prepare()
    (score,) = score_item([scorer], Item(recording, references=(recording,)))
    assert isinstance(score, Measured if measured else NotMeasured)


@pytest.mark.parametrize("id", registry.BUILT_IN)
def test_every_scorer_is_in_the_reference(id: str) -> None:
    assert f"`{id}`" in DOCUMENT.read_text()


class Infinite:
    """A scorer with a fault."""

    info = ScorerInfo(
        id="infinite", version=1, unit="dB", lowest=None, highest=None, higher_is_better=True, needs=(),
        licence="MIT", extra=None, summary="Infinite.",
    )  # fmt: skip

    def __init__(self, options: ScoringOptions) -> None:
        pass

    def prepare(self) -> None:
        pass

    def score(self, item: Item) -> Measured:
        from mediacheck.scoring import identity

        return Measured(scorer="infinite", value=float(np.float64(np.inf)), unit="dB", identity=identity(self.info))


def test_a_value_that_is_not_finite_becomes_a_reason(tmp_path: Path) -> None:
    item = Item(Recording(tmp_path / "a.wav", "a.wav"))
    (score,) = score_item([Infinite(ScoringOptions())], item)
    assert isinstance(score, NotMeasured)
    assert "infinite is inf, which is no value" in score.reason
