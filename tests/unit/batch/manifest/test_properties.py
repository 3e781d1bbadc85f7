"""Whatever is written is read back, in constant memory."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mediacheck.batch.manifest import ManifestOptions, open_manifest
from mediacheck.serialise import is_text, to_compact_json
from tests.memory import held
from tests.needs import needs_module
from tests.unit.batch.manifest.reading import read, written

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAME = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), min_size=1, max_size=20)
WORD = TEXT.filter(bool)
ENTRIES = st.lists(
    st.fixed_dictionaries(
        {"id": WORD.filter(lambda id: "\0" not in id), "media": NAME.map(lambda name: f"w/{name}.wav")},
        optional={
            "text": TEXT, "reference": NAME.map(lambda name: f"r/{name}.wav"), "speaker": WORD, "contract": WORD,
            "language": st.sampled_from(["en", "zh", "yue"]),
        },
    ),
    min_size=1,
    max_size=8,
)  # fmt: skip


def check(entries: list[dict[str, str]], name: str, content: str, *, empty: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        items = read(written(Path(folder), name, content))
    assert [item.entry.problem for item in items] == [None] * len(entries)
    for item, entry in zip(items, entries, strict=True):
        found = item.entry
        assert (found.id, found.media) == (entry["id"], entry["media"])
        assert found.text == (entry.get("text") or (empty if "text" in entry else None))
        assert found.references == ((entry["reference"],) if "reference" in entry else ())
        assert (found.speaker, found.contract) == (entry.get("speaker"), entry.get("contract"))
        assert found.language == entry.get("language")


@settings(max_examples=60)
@given(ENTRIES, st.booleans())
def test_json_lines(entries: list[dict[str, str]], escaped: bool) -> None:
    lines = "\n".join(json.dumps(entry, ensure_ascii=escaped) for entry in entries)
    check(entries, "m.jsonl", lines, empty="")


@settings(max_examples=60)
@given(ENTRIES, st.sampled_from([",", "\t"]), st.sampled_from(["\n", "\r\n"]))
def test_tables(entries: list[dict[str, str]], separator: str, end: str) -> None:
    # What the csv module writes unquoted for a lone "\r" it does not read itself.
    entries = [{key: value.replace("\r", "") or "x" for key, value in entry.items()} for entry in entries]
    held = io.StringIO()
    names = ["id", "media", "text", "reference", "speaker", "contract", "language"]
    writer = csv.DictWriter(held, names, delimiter=separator, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(entries)
    check(entries, "m", held.getvalue(), empty=None)


@settings(max_examples=150)
@given(st.lists(st.binary(max_size=60), max_size=6), st.sampled_from(["csv", "tsv", "jsonl", "seed-tts", "kaldi"]))
def test_any_bytes_give_items_that_can_be_written(lines: list[bytes], format: str) -> None:
    """Never an exception: a line is an item, good or bad."""
    first = {
        "csv": b"id,media,text", "tsv": b"id\tmedia", "jsonl": b'{"media": "a.wav"}', "seed-tts": b"u|p|w|t",
        "kaldi": b"u a.wav",
    }  # fmt: skip
    content = b"\n".join([first[format], b"u9,a.wav,x" if format == "csv" else b"u9\ta.wav", *lines])
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), "m", content)
        items = read(path, format=format, outputs=folder if format == "seed-tts" else None)
    assert [item.position for item in items] == list(range(len(items)))
    assert len(items) >= 1
    for item in items:
        to_compact_json(item.entry)
        assert item.entry.id
        assert is_text(item.place)
        assert bool(item.place) == (item.entry.problem is None)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
KEYS = ["id", "media", "text", "reference", "speaker", "language", "contract", "expect", "model", "expect.samples",
        "offset", "audio_filepath"]  # fmt: skip


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(KEYS), JSON))
def test_any_values_give_an_item_that_can_be_written(line: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), "m.jsonl", '{"media": "a.wav"}\n' + json.dumps(line))
        items = read(path)
    assert len(items) == 2
    to_compact_json(items[1].entry)
    assert bool(items[1].place) == (items[1].entry.problem is None)


def many_lines(folder: Path, count: int) -> Path:
    lines = (f'{{"id": "u{k}", "media": "w/{k}.wav", "text": "some words that were said"}}\n' for k in range(count))
    (folder / "m.jsonl").write_text("".join(lines))
    return folder / "m.jsonl"


def many_rows(folder: Path, count: int) -> Path:
    rows = (f'u{k},w/{k}.wav,"some words, that were said"\n' for k in range(count))
    (folder / "m.csv").write_text("id,media,text\n" + "".join(rows))
    return folder / "m.csv"


def many_utterances(folder: Path, count: int) -> Path:
    (folder / "wav.scp").write_text("".join(f"u{k} w/{k}.wav\n" for k in range(count)))
    (folder / "text").write_text("".join(f"u{k} some words that were said\n" for k in range(count)))
    return folder


def many_outputs(folder: Path, count: int) -> Path:
    path = folder / "meta.lst"
    path.write_text("".join(f"u{k}|prompt|p/{k}.wav|some words that were said\n" for k in range(count)))
    return path


def items_of(path: str, outputs: str | None) -> Iterator[object]:
    return iter(open_manifest(path, ManifestOptions(outputs=outputs)).items())


@pytest.mark.parametrize(
    ("make", "outputs"),
    [(many_lines, False), (many_rows, False), (many_utterances, False), (many_outputs, True)],
)
def test_memory_does_not_grow(make: Callable[[Path, int], Path], outputs: bool, tmp_path: Path) -> None:
    # Traced, reading is slow: fewer lines, and a bound of 5 bytes a line.
    count = 10_000
    path = make(tmp_path, count)
    items, most = held(partial(items_of, str(path), str(tmp_path) if outputs else None))
    assert items == count
    assert most < 50_000


@needs_module("pyarrow")
def test_memory_of_parquet_is_that_of_a_batch(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    # All rows at once would take ten times the bound.
    count = 10_000
    pq.write_table(pa.table({"media": [f"w/{k}.wav" for k in range(count)], "text": ["words " * 10] * count}),
                   tmp_path / "m.parquet")  # fmt: skip
    items, most = held(partial(items_of, str(tmp_path / "m.parquet"), None))
    assert items == count
    assert most < 500_000
