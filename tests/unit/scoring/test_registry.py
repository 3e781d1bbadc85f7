"""Scorers by id, those of other packages among them, and which of them run."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import ClassVar

import pytest

from mediacheck.errors import UsageError
from mediacheck.scoring import Item, NotMeasured, Score, ScorerInfo, ScoringOptions, inventory, registry
from mediacheck.scoring.registry import chosen_scorers, require_library, scorer_ids, scorer_type
from mediacheck.scoring.scorer import ModelError


@pytest.mark.parametrize("id", registry.BUILT_IN)
def test_every_built_in_scorer_says_what_it_is(id: str) -> None:
    info = scorer_type(id).info
    assert info.id == id
    assert info.version >= 1
    assert info.unit
    assert info.licence
    assert info.summary.endswith(".")
    assert info.lowest is None or info.highest is None or info.lowest < info.highest


def test_an_unknown_scorer_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="known: wer, cer"):
        scorer_type("mos")


class Other:
    """A scorer of another package."""

    info: ClassVar = ScorerInfo(
        id="other", version=3, unit="points", lowest=None, highest=None, higher_is_better=True, needs=(),
        licence="MIT", extra=None, summary="Points.",
    )  # fmt: skip

    def __init__(self, options: ScoringOptions) -> None:
        pass

    def prepare(self) -> None:
        pass

    def score(self, item: Item) -> Score:
        return NotMeasured(scorer="other", reason="never")


def offered(monkeypatch: pytest.MonkeyPatch, id: str, value: str) -> None:
    module = ModuleType("other_package")
    module.Other = Other  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "other_package", module)
    entry = EntryPoint(name=id, value=value, group=registry.ENTRY_POINT_GROUP)
    monkeypatch.setattr(registry, "offers", lambda: (entry,))


def test_another_package_offers_a_scorer(monkeypatch: pytest.MonkeyPatch) -> None:
    offered(monkeypatch, "other", "other_package:Other")
    assert "other" in scorer_ids()
    assert scorer_type("other") is Other


@pytest.mark.parametrize(
    ("id", "value", "said"),
    [("other", "no_such_package:Other", "cannot be imported"), ("another", "other_package:Other", "states no info")],
)
def test_a_broken_offer_is_one_sentence(id: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    offered(monkeypatch, id, value)
    with pytest.raises(UsageError, match=said):
        scorer_type(id)


def test_another_package_cannot_replace_a_scorer(monkeypatch: pytest.MonkeyPatch) -> None:
    offered(monkeypatch, "wer", "other_package:Other")
    assert scorer_type("wer") is not Other
    assert scorer_ids().count("wer") == 1


def test_what_runs_unasked_is_what_can() -> None:
    text_only = chosen_scorers((), language="en", text=True, reference=False)
    assert {"wer", "cer"} <= set(text_only)
    assert "duration_ratio" not in text_only
    reference_only = chosen_scorers((), language="en", text=False, reference=True)
    assert "duration_ratio" in reference_only
    assert not {"wer", "cer"} & set(reference_only)


def test_languages_without_spaces_are_counted_in_characters() -> None:
    assert chosen_scorers(("wer",), language="zh", text=True, reference=False) == ("cer",)
    assert "wer" not in chosen_scorers((), language="ja", text=True, reference=False)
    assert chosen_scorers(("wer",), language="ko", text=True, reference=False) == ("wer",)


@pytest.mark.parametrize(("asked", "said"), [(("wer",), "--text"), (("duration_ratio",), "--reference")])
def test_a_scorer_whose_needs_are_not_given_is_refused(asked: tuple[str, ...], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        chosen_scorers(asked, language="en", text=False, reference=False)


def test_a_missing_library_names_its_extra() -> None:
    with pytest.raises(ModelError, match=r"pip install 'mediacheck\[speaker\]'"):
        require_library("no_such_library", extra="speaker", wanted_by="the scorer speaker")


def test_the_doctor_finds_models_where_the_libraries_keep_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for place in ("cache/whisper/tiny.en.pt", "hub/models--Systran--faster-whisper-small/snapshots/0/model.bin",
                  "hub/models--a--b-c/snapshots/0/model.bin"):  # fmt: skip
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    models = {recogniser.id: recogniser.models for recogniser in inventory.recognisers()}
    assert models == {"openai-whisper": ("tiny.en",), "faster-whisper": ("a/b-c", "small"), "openai-api": ()}


def test_the_doctor_names_what_a_scorer_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inventory, "find_spec", lambda name: None if name == "jiwer" else find_spec(name))
    found = {scorer.id: scorer for scorer in inventory.scorers()}
    assert found["wer"].available is False
    assert "jiwer" in found["wer"].missing
    assert found["duration_ratio"].available
