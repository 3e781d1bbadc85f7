"""Good manifests of every format."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from mediacheck.batch.errors import ManifestError
from mediacheck.batch.manifest import ManifestOptions, open_manifest
from mediacheck.expectation import Expectation
from tests.needs import needs_module
from tests.unit.batch.manifest.reading import problems, read, written


def tags(item: Any) -> dict[str, str]:
    return {tag.key: tag.value for tag in item.entry.groups}


def test_our_own_keys(tmp_path: Path) -> None:
    line = {
        "id": "u1", "media": "wavs/u1.wav", "text": "Guten Tag", "reference": ["a.wav", "b.flac"], "speaker": 7,
        "language": "de", "contract": "minimax-h3-ref2va", "expect": {"duration": 1.1, "samples": 48000, "audio": True},
        "model": "m2", "note": {"any": ["thing"]},
    }  # fmt: skip
    path = written(tmp_path, "m.jsonl", json.dumps(line))
    manifest = open_manifest(str(path), ManifestOptions())
    (item,) = manifest.items()
    assert manifest.format == "jsonl"
    (file,) = manifest.files()
    assert (file.name, file.sha256) == ("m.jsonl", hashlib.sha256(path.read_bytes()).hexdigest())
    entry = item.entry
    assert (item.position, item.where, item.place) == (0, "line 1", str(tmp_path / "wavs/u1.wav"))
    assert item.reference_places == (str(tmp_path / "a.wav"), str(tmp_path / "b.flac"))
    assert (entry.id, entry.media, entry.text, entry.references) == (
        "u1", "wavs/u1.wav", "Guten Tag", ("a.wav", "b.flac")
    )  # fmt: skip
    assert (entry.speaker, entry.language, entry.contract) == ("7", "de", "minimax-h3-ref2va")
    # 1.1 as it is written, not the nearest double.
    assert entry.expect == Expectation(duration=Fraction(11, 10), samples=48000, audio=True)
    assert tags(item) == {"language": "de", "model": "m2", "speaker": "7"}
    assert entry.problem is None


@pytest.mark.parametrize(
    ("media", "id"),
    [
        ("a/b.wav", "a/b"), ("./a//b.FLAC", "a/b"), ("b.1.wav", "b.1"), ("b.1", "b.1"), ("v1.2/b", "v1.2/b"),
        (".wav", ".wav"), ("a/.wav", "a/.wav"),
    ],
)  # fmt: skip
def test_without_an_id_the_media_gives_it(media: str, id: str, tmp_path: Path) -> None:
    (item,) = read(written(tmp_path, "m.jsonl", json.dumps({"media": media})))
    assert (item.entry.id, item.entry.media, item.entry.problem) == (id, media, None)


@pytest.mark.parametrize("asked", [{"duration": "603/40", "channels": 2}, ["duration=603/40", "channels=2"],
                                   "duration=603/40; channels=2"])  # fmt: skip
def test_ways_to_expect(asked: object, tmp_path: Path) -> None:
    (item,) = read(written(tmp_path, "m.jsonl", json.dumps({"media": "a.wav", "expect": asked})))
    assert item.entry.expect == Expectation(duration=Fraction(603, 40), channels=2)


NEMO = (
    '{"audio_filepath": "a.wav", "duration": 1.5, "text": "x", "offset": 0}\n'
    '{"audio_filepath": "b.wav", "duration": 2, "offset": 3.5}\n'
)


def test_nemo(tmp_path: Path) -> None:
    path = written(tmp_path, "m.json", NEMO)
    manifest = open_manifest(str(path), ManifestOptions())
    items = list(manifest.items())
    assert manifest.format == "nemo"
    assert (items[0].entry.id, items[0].entry.text, items[0].entry.expect) == ("a", "x", None)
    assert problems(items) == {"b": "it has an offset: a part of a file is no output; save it as a file of its own"}
    mapped = read(path, columns=(("expect.duration", "duration"),))
    assert mapped[0].entry.expect == Expectation(duration=Fraction(3, 2))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("metadata.jsonl", '{"file_name": "a.wav", "transcription": "x"}\n'),
        ("metadata.csv", "file_name,transcription\na.wav,x\n"),
    ],
)
def test_audiofolder(name: str, content: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, content)
    for named in (tmp_path, path):
        manifest = open_manifest(str(named), ManifestOptions())
        (item,) = manifest.items()
        assert manifest.format == "audiofolder"
        assert [file.name for file in manifest.files()] == [name]
        assert (item.entry.id, item.entry.text, item.place) == ("a", "x", str(tmp_path / "a.wav"))


def test_audiofolder_with_two_tables(tmp_path: Path) -> None:
    written(tmp_path, "metadata.jsonl", "{}")
    written(tmp_path, "metadata.csv", "file_name\n")
    with pytest.raises(ManifestError, match=r"metadata\.jsonl and metadata\.csv; name the one"):
        open_manifest(str(tmp_path), ManifestOptions())


@pytest.mark.parametrize(("format", "separator"), [("csv", ","), ("tsv", "\t")])
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt"])
def test_tables_are_known_by_their_content(format: str, separator: str, suffix: str, tmp_path: Path) -> None:
    rows = [["id", "media", "text"], ["1", "a.wav", '"two, lines\nhere"'], ["2", "b.wav", ""]]
    path = written(tmp_path, "m" + suffix, "\r\n".join(separator.join(row) for row in rows))
    manifest = open_manifest(str(path), ManifestOptions())
    first, second = manifest.items()
    assert manifest.format == format
    assert (first.where, first.entry.text, first.place) == ("line 2", "two, lines\nhere", str(tmp_path / "a.wav"))
    # The record before it has two lines. An empty cell is not there: nothing says that nothing should be said.
    assert (second.where, second.entry.id, second.entry.text) == ("line 4", "2", None)


def test_columns_of_other_names(tmp_path: Path) -> None:
    path = written(tmp_path, "m.csv", "utt,path,words,who,expect.channels\nu1,a.wav,hello,ann,2\n")
    columns = (("id", "utt"), ("media", "path"), ("text", "words"), ("speaker", "who"))
    (item,) = read(path, columns=columns, groups=("words", "speaker"))
    assert (item.entry.id, item.entry.media, item.entry.text, item.entry.speaker) == ("u1", "a.wav", "hello", "ann")
    assert item.entry.expect == Expectation(channels=2)
    assert tags(item) == {"speaker": "ann", "words": "hello"}


def test_a_column_has_one_meaning(tmp_path: Path) -> None:
    outputs = tmp_path / "out"
    outputs.mkdir()
    path = written(tmp_path, "m.jsonl", '{"id": "u1", "audio_filepath": "real.wav"}\n')
    with pytest.raises(ManifestError, match="--column reference=audio_filepath"):
        open_manifest(str(path), ManifestOptions(outputs=str(outputs)))
    (item,) = read(path, outputs=str(outputs), columns=(("reference", "audio_filepath"),))
    assert (item.entry.media, item.entry.references) == ("u1.wav", ("real.wav",))
    assert (item.place, item.reference_places) == (str(outputs / "u1.wav"), (str(tmp_path / "real.wav"),))


def test_groups(tmp_path: Path) -> None:
    lines = [{"media": "a.wav", "snr": 3.5, "clean": True, "model": {"not": "ours"}}, {"media": "b.wav", "snr": None}]
    path = written(tmp_path, "m.jsonl", "\n".join(map(json.dumps, lines)))
    first, second = read(path, groups=("snr", "clean"))
    assert tags(first) == {"clean": "true", "snr": "3.5"}
    assert tags(second) == {}


def test_the_first_line_with_media_decides(tmp_path: Path) -> None:
    lines = ['{"id": 1}', "{", '{"file_name": "a.wav", "id": 2}', '{"media": "b.wav"}', '{"file_name": "c.wav"}']
    manifest = open_manifest(str(written(tmp_path, "m.jsonl", "\n".join(lines))), ManifestOptions())
    items = list(manifest.items())
    assert manifest.format == "audiofolder"
    assert [item.entry.id for item in items] == ["1", "line 2", "2", "line 4", "c"]
    assert [item.position for item in items] == [0, 1, 2, 3, 4]
    assert problems(items).keys() == {"1", "line 2", "line 4"}
    assert problems(items)["1"] == "it has no file_name: no output is named"


def test_a_format_can_be_named(tmp_path: Path) -> None:
    line = '{"media": "a.wav", "audio_filepath": "b.wav"}'
    path = written(tmp_path, "m.jsonl", line)
    assert read(path)[0].entry.media == "a.wav"
    assert read(path, format="nemo")[0].entry.media == "b.wav"
    table = written(tmp_path, "t", "u1;wav\n")
    with pytest.raises(ManifestError, match="known; the formats are jsonl, nemo, audiofolder, csv, tsv, parquet"):
        read(table)
    with pytest.raises(ManifestError, match=r"names no media: none of .* is there, but 'u1;wav'"):
        read(table, format="csv")


@pytest.mark.parametrize("folder", [True, False])
def test_kaldi(folder: bool, tmp_path: Path) -> None:
    scp = written(tmp_path, "wav.scp", "u1 wavs/a b.wav\nu2\twavs/b.wav\n\n")
    written(tmp_path, "text", "u2 two  words\nu1 hello\n")
    written(tmp_path, "utt2spk", "u1 ann\n")
    written(tmp_path, "utt2lang", "u1 en\nu2 de\n")
    manifest = open_manifest(str(tmp_path if folder else scp), ManifestOptions())
    first, second = manifest.items()
    assert manifest.format == "kaldi"
    assert [file.name for file in manifest.files()] == ["wav.scp", "text", "utt2spk", "utt2lang"]
    assert (first.entry.media, first.entry.text, first.entry.speaker) == ("wavs/a b.wav", "hello", "ann")
    assert (second.entry.text, second.entry.speaker, second.entry.language) == ("two  words", None, "de")
    assert second.place == str(tmp_path / "wavs/b.wav")


def test_seed_tts(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    path = written(tmp_path, "meta.lst", "u1|prompt|p/1.wav|say this\nu2|prompt|p/2.wav|and this|real/2.wav\n")
    with pytest.raises(ManifestError, match=r"names no outputs; say where ID\.wav lies with --outputs"):
        open_manifest(str(path), ManifestOptions())
    manifest = open_manifest(str(path), ManifestOptions(outputs=str(tmp_path / "out")))
    items = list(manifest.items())
    assert manifest.format == "seed-tts"
    assert [(item.entry.id, item.entry.text, item.entry.references) for item in items] == [
        ("u1", "say this", ("p/1.wav",)),
        ("u2", "and this", ("p/2.wav",)),
    ]
    assert items[1].place == str(tmp_path / "out/u2.wav")
    assert items[1].reference_places == (str(tmp_path / "p/2.wav"),)


@needs_module("pyarrow")
def test_parquet(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = 2500
    table = pa.table(
        {
            "id": range(rows),
            "media": [f"{k}.wav" for k in range(rows)],
            "text": [None if k else "" for k in range(rows)],
            "reference": [["a.wav", "b.wav"]] * rows,
            "expect": [{"duration": 1.5, "channels": None}] * rows,
            "unused": [b"x" * 100] * rows,
        }
    )
    pq.write_table(table, tmp_path / "m")
    manifest = open_manifest(str(tmp_path / "m"), ManifestOptions())
    items = list(manifest.items())
    assert manifest.format == "parquet"
    assert len(items) == rows
    assert problems(items) == {}
    last = items[-1]
    assert (last.position, last.where, last.entry.id, last.entry.text) == (rows - 1, f"row {rows}", f"{rows - 1}", None)
    assert items[0].entry.text == ""
    assert last.entry.references == ("a.wav", "b.wav")
    assert last.entry.expect == Expectation(duration=Fraction(3, 2))


def test_items_are_the_same_when_read_again(tmp_path: Path) -> None:
    manifest = open_manifest(str(written(tmp_path, "m.jsonl", NEMO)), ManifestOptions())
    started = manifest.items()
    next(started)
    assert list(manifest.items()) == list(manifest.items())


def test_nothing_heavy_is_imported(tmp_path: Path) -> None:
    written(tmp_path, "m.csv", "media\na.wav\n")
    code = (
        "import sys\nfrom mediacheck.batch.manifest import *\n"
        "print(*(i.entry.id for i in open_manifest('m.csv', ManifestOptions()).items()))\n"
        "print({'numpy', 'av', 'pyarrow', 'fsspec', 'torch'} & sys.modules.keys())"
    )
    root = str(Path(__file__).parents[4])
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={"PYTHONPATH": root}, capture_output=True, text=True, check=True
    )
    assert ran.stdout == "a\nset()\n"
