"""Finding what a user means."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mediacheck.explain import ExplainError, Explanation, catalogue, checks, explanations, find, groups
from mediacheck.explain.catalogue import KINDS


@pytest.mark.parametrize("topic", ["audio.finite", "audio.finite@1"])
def test_with_and_without_a_version(topic: str) -> None:
    assert find(topic) == checks.explain("audio.finite@1")
    assert find(topic).id == "audio.finite"


def test_all_are_listed_kind_by_kind() -> None:
    listed = {group.title: [told.name for told in group.explanations] for group in groups()}
    assert list(listed) == ["Checks", "Metrics", "Bounds", "Statistics", "Requirements", "Policies and outcomes"]
    assert listed["Checks"] == sorted(listed["Checks"])
    assert [told.name for told in explanations()] == [name for names in listed.values() for name in names]


def test_no_name_is_of_two_kinds_and_every_one_is_found() -> None:
    names = [name for kind in KINDS for name in (*kind.names(), *kind.more_names())]
    assert len(set(names)) == len(names)
    assert len(names) > 200
    for kind in KINDS:
        for name in (*kind.names(), *kind.more_names()):
            assert find(name) == kind.explain(name)


@pytest.mark.parametrize(
    ("topic", "said"),
    [
        ("audio.finit", "did you mean audio.finite"),
        ("audio_finite", "did you mean audio.finite"),
        ("Audio.Finite", "did you mean audio.finite"),
        ("finite@1", "did you mean audio.finite"),
        ("silence", "did you mean audio.internal_silence, audio.leading_silence, audio.trailing_silence"),
        ("audio", "'mediacheck explain' lists all"),
        ("xyzzy", "'mediacheck explain' lists all"),
        ("", "'mediacheck explain' lists all"),
        ("@", "'mediacheck explain' lists all"),
        ("audio.finite@7", "audio.finite has no version '7'; there is audio.finite@1"),
        ("audio.finite@", "audio.finite@1"),
        ("max_increas", "did you mean max_increase"),
        ("MAX_RATIO", "did you mean max_ratio"),
        ("findings", "did you mean findings:CHECK?"),
        ("findings:audio.silence", "did you mean findings:audio.silent, "),
        ("findings:clipping", "did you mean findings:audio.clipping, "),
        ("verdict:pass", "did you mean verdict:"),
        ("status:xyzzy", "did you mean status:STATUS?"),
        ("p0", "did you mean p"),
        ("p100", "did you mean p10"),
        ("wer@1", "wer has no version '1'; there is wer"),
        ("wer.hits", "did you mean wer"),
    ],
)
def test_an_unknown_name(topic: str, said: str) -> None:
    with pytest.raises(ExplainError) as error:
        find(topic)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


class _Rules:
    """Another kind, with versions that sort otherwise as text."""

    title = "Limits"

    def names(self) -> tuple[str, ...]:
        return ("limit@10", "limit@2", "plain")

    def more_names(self) -> tuple[str, ...]:
        return ("another",)

    def explain(self, name: str) -> Explanation:
        return replace(checks.explain("audio.finite@1"), name=name)


@pytest.fixture
def _rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "KINDS", (checks, _Rules()))


@pytest.mark.usefixtures("_rules")
def test_another_kind_is_found_beside_the_checks() -> None:
    assert find("limit").name == "limit@10"
    assert find("limit@2").name == "limit@2"
    assert find("plain").name == "plain"
    assert find("audio.finite").name == "audio.finite@1"
    assert find("another").name == "another"
    assert explanations()[-1].name == "plain"
    with pytest.raises(ExplainError, match="did you mean limit"):
        find("limits")
