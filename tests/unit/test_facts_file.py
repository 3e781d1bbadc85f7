from __future__ import annotations

import pickle
from pathlib import Path

import msgspec
import numpy as np
import pytest

from mediacheck import measure, serialise
from mediacheck.errors import FactsError, PathError
from mediacheck.facts import MediaFacts, OtherStream, Tag
from mediacheck.facts_file import FactsList, Written, document, list_document, parse_facts, read_facts
from tests.cli.run import write_wav
from tests.unit import factory


@pytest.fixture
def facts(tmp_path: Path) -> MediaFacts:
    write_wav(tmp_path / "a.wav")
    return measure(tmp_path / "a.wav")


def changed(facts: MediaFacts, **values: object) -> bytes:
    stream = msgspec.structs.replace(facts.audio[0], **values)
    return serialise.to_json(msgspec.structs.replace(facts, streams=(stream,)))


def test_facts_are_read_as_they_were_written(facts: MediaFacts) -> None:
    assert parse_facts(serialise.to_json(facts), "x") == (facts,)
    assert parse_facts(serialise.to_json(FactsList(facts=(facts, facts))), "x") == (facts, facts)


SOUND = factory.audio_of([0.1, 0.00001, float("nan")] * 20_000)
PICTURES = factory.video_of([0.5, 1.0, 1.0], [float("nan"), 0.0, 0.5])


@pytest.mark.parametrize(
    "facts",
    [
        factory.facts(),
        factory.facts(SOUND, PICTURES, OtherStream(index=2, codec="mov_text"), SOUND),
        factory.facts(PICTURES, factory.audio(4800)),
        factory.facts(factory.audio_of([]), factory.audio_of([0.1]), factory.audio_of([0.1] * 2)),
        factory.facts(SOUND, tags=(Tag(key="data", value='"data": "'), Tag(key='"data": ""', value='", "data": "')),),
        measure(np.zeros(96_000), sample_rate=48_000),
    ],
    ids=["no stream", "all kinds", "no envelope", "short", "text like a series", "measured"],
)
def test_written_in_pieces_the_bytes_are_those_of_the_whole(facts: MediaFacts) -> None:
    sent = pickle.loads(pickle.dumps(Written.of(facts)))
    assert b"".join(document(sent)) == serialise.to_json(facts)
    for several in ((), (facts,), (facts, factory.facts(PICTURES), facts)):
        whole = serialise.to_json(FactsList(facts=several))
        assert b"".join(list_document([Written.of(one) for one in several])) == whole


def test_what_is_handed_on_to_be_written_holds_series_as_bytes() -> None:
    facts = factory.facts(factory.audio_of([0.1] * 60_000))
    written = Written.of(facts)
    assert (len(written.text) < 5_000, [len(data) for data in written.series]) == (True, [240_000])
    # As it is written, the base64 of all of it never stands in memory.
    assert max(map(len, document(written))) < 100_000


@pytest.mark.parametrize(
    "values",
    [
        {"samples": -1},
        {"samples": 7999},
        {"sample_rate": 0},
        {"sample_rate": -8000},
        {"sample_rate": 16000},
        {"channels": -1},
        {"duration": serialise.parse_fraction("-1/1")},
        {"duration": serialise.parse_fraction("2/1")},
    ],
)
def test_counts_that_contradict_each_other_are_refused(values: dict[str, object], facts: MediaFacts) -> None:
    with pytest.raises(FactsError, match="x does not hold saved facts: stream 0"):
        parse_facts(changed(facts, **values), "x")


@pytest.mark.parametrize("data", [b"", b"abc", bytes(396), bytes(404)])
def test_a_series_that_is_not_as_long_as_it_says_is_refused(data: bytes, facts: MediaFacts) -> None:
    assert facts.audio[0].envelope is not None
    (series,) = facts.audio[0].envelope
    assert series.count == 100
    with pytest.raises(FactsError, match="stream 0: a series does not have as many values as it says"):
        parse_facts(changed(facts, envelope=(msgspec.structs.replace(series, data=data),)), "x")


@pytest.mark.parametrize("text", ["AAA", "not base64", "AAAA====", "ÄÖÜ="])
def test_a_series_that_is_not_base64_is_refused(text: str, facts: MediaFacts) -> None:
    said = serialise.to_json(facts).decode()
    start = said.index('"data": "') + len('"data": "')
    with pytest.raises(FactsError, match="x does not hold saved facts: "):
        parse_facts((said[:start] + text + said[said.index('"', start) :]).encode(), "x")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        b'{"schema": "mediacheck.facts/1", "file": ' + b"[" * 100_000,
        b'{"schema": "mediacheck.facts/2"}',
        b'{"schema": "mediacheck.report/1"}',
    ],
)
def test_other_documents_are_refused(data: bytes) -> None:
    with pytest.raises(FactsError, match=r"^x "):
        parse_facts(data, "x")


@pytest.mark.parametrize("name", ["missing.json", ".", "a\0b", "x" * 300])
def test_paths_that_cannot_be_read(name: str, tmp_path: Path) -> None:
    with pytest.raises(PathError):
        read_facts(tmp_path / name)
