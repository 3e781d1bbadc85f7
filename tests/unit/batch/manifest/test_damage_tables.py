"""Every kind of damage to tables, Parquet, Kaldi's folder and meta.lst."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from mediacheck.batch.errors import ManifestError
from mediacheck.batch.manifest import ManifestOptions, open_manifest
from tests.needs import needs_module
from tests.unit.batch.manifest.reading import problems, read, written

HEADER = "id,media,text\n"


def test_rows_of_another_length(tmp_path: Path) -> None:
    items = read(written(tmp_path, "m.csv", HEADER + "u1,a.wav\n\nu2,b.wav,Hello, you\nu3,c.wav,x\n,,\n"))
    assert problems(items) == {
        "u1": "it has 2 fields, and the header 3; quote what holds a comma",
        "u2": "it has 4 fields, and the header 3; quote what holds a comma",
    }
    assert [item.where for item in items] == ["line 2", "line 4", "line 5"]


@pytest.mark.parametrize("rest", ["u3,c.wav,z\n", "u3,c.wav,z"])
def test_a_quote_that_is_not_closed_costs_its_line_alone(rest: str, tmp_path: Path) -> None:
    rows = 'u1,a.wav,"never closed\nu2,b.wav,"two\nlines"\n' + rest
    items = read(written(tmp_path, "m.csv", HEADER + rows))
    assert problems(items).keys() == {"line 2"}
    assert "a quote in it is not closed" in problems(items)["line 2"]
    assert [(item.where, item.entry.text) for item in items[1:]] == [("line 3", "two\nlines"), ("line 5", "z")]


def test_a_quote_that_is_not_closed_in_a_long_file(tmp_path: Path) -> None:
    rows = [f"u{k},{k}.wav,{'word ' * 20}\n" for k in range(3000)]
    rows[1] = 'u1,a.wav,"never closed\n'
    items = read(written(tmp_path, "m.csv", HEADER + "".join(rows)))
    assert len(items) == 3000
    assert problems(items).keys() == {"line 3"}


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    rows = (HEADER + "u1,a.wav,Grüße\nu2,b.wav,x\n").encode("latin-1")
    items = read(written(tmp_path, "m.csv", rows))
    assert problems(items) == {"u1": "it is not UTF-8; save the manifest as UTF-8"}


def test_a_byte_order_mark(tmp_path: Path) -> None:
    (item,) = read(written(tmp_path, "m.csv", b"\xef\xbb\xbf" + (HEADER + "u1,a.wav,x").encode()))
    assert item.entry.id == "u1"


def test_nul_and_carriage_return_in_a_row(tmp_path: Path) -> None:
    items = read(written(tmp_path, "m.csv", HEADER + "u1,a\0.wav,x\nu2,b\rc.wav,x\nu3,c.wav,x\n"))
    assert problems(items).keys() == {"u1", "line 3"}
    assert items[2].entry.id == "u3"


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("id,media,media\n1,a,b\n", {}, "the column 'media' stands twice in its header"),
        ("id,media\n", {}, "names no output"),
        ("id,text\n1,x\n", {}, "names no media: .* there, but 'id', 'text'; map one with --column media=NAME"),
        ("id,media\n1,a\n", {"columns": (("text", "txet"),)}, "no column 'txet', .* it has: 'id', 'media'"),
        ("id,media\n1,a\n", {"groups": ("model",)}, "no column 'model', .* it has: 'id', 'media'"),
        ('id,"media\n1,a\n', {"format": "csv"}, "its header cannot be read"),
        ("id,media\n1,a\n", {"format": "xml"}, "--format 'xml' is unknown; known: jsonl"),
        ("id,media\n1,a\n", {"columns": (("test", "id"),)}, "there is no key 'test'; known: id, media"),
        ("id,media\n1,a\n", {"columns": (("id", "a"), ("id", "b"))}, "--column id is given twice"),
        ("id,media\n1,a\n", {"columns": (("expect.x", "a"),)}, "there is no key 'expect.x'"),
        ("id,media\n1,a\n", {"outputs": "."}, "names media in 'media', and --outputs is given"),
        ("id,text\n1,a\n", {"outputs": "nowhere"}, "--outputs nowhere is no folder"),
        ("id,media\n1,a\n", {"roots": ("",)}, "--root '' names nothing"),
        ("id,media\n1,a\n", {"roots": ("https://",)}, "names no host or bucket"),
        ("id,media\n1,a\n", {"format": "folder"}, "is no folder that can be listed"),
    ],
)  # fmt: skip
def test_no_manifest(content: str, options: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = written(tmp_path, "m.csv", content)
    with pytest.raises(ManifestError, match=message):
        open_manifest(str(path), ManifestOptions(**options))


@needs_module("pyarrow")
def test_parquet_that_embeds_audio(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    audio = [{"bytes": b"RIFF", "path": "a.wav"}] * 2
    pq.write_table(pa.table({"id": ["u1", "u2"], "audio": audio}), tmp_path / "m.parquet")
    items = read(tmp_path / "m.parquet")
    assert problems(items) == dict.fromkeys(
        ("u1", "u2"), "the audio stands in the manifest itself; save it as files, and name those"
    )
    pq.write_table(pa.table({"media": [b"RIFF"]}), tmp_path / "b.parquet")
    assert [item.where for item in read(tmp_path / "b.parquet")] == ["row 1"]


@needs_module("pyarrow")
def test_parquet_that_is_cut(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "m.parquet"
    pq.write_table(pa.table({"media": [f"{os.urandom(8).hex()}.wav" for _ in range(5000)]}), path)
    data = path.read_bytes()
    path.write_bytes(data[:-100])
    with pytest.raises(ManifestError, match=r"m\.parquet is no Parquet that can be read to its end"):
        open_manifest(str(path), ManifestOptions())
    path.write_bytes(b"")
    with pytest.raises(ManifestError, match="empty"):
        open_manifest(str(path), ManifestOptions())


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mediacheck.batch.manifest.parquet.find_spec", lambda name: None)
    with pytest.raises(ManifestError, match=r"pip install 'mediacheck\[parquet\]'"):
        open_manifest(str(written(tmp_path, "m.parquet", b"PAR1")), ManifestOptions())


def test_kaldi(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    written(
        tmp_path, "wav.scp",
        f"u1 touch {marker} |\nu2\nu3 x.ark:12\nu4 -\nu5 a.wav\nu6 a.wav\n".encode() + b"u7 \xff.wav\nu8 /etc/a.wav\n",
    )  # fmt: skip
    written(tmp_path, "text", b"u5 x\nu9 where\nu5 again\n\xff\n")
    items = read(tmp_path)
    assert problems(items) == {
        "u1": "it is a command, and commands of a manifest are never run; save what it gives as a file, and name that",
        "u2": "it names no file; write an id and a path",
        "u3": "it names a part of an archive; save each utterance as a file, and name that",
        "u4": "it names standard input; save it as a file, and name that",
        "u5": "text has its id in line 3 again; leave one",
        "line 7": "it is not UTF-8; save it as UTF-8",
        "u8": "/etc/a.wav leads out of the allowed folders; allow it with --root /etc",
        "u9": "wav.scp has no line of this id; add it, or remove this one",
        "text line 4": "it is not UTF-8; save it as UTF-8",
    }
    assert [item.where for item in items][:8] == [f"line {number}" for number in range(1, 9)]
    assert not marker.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"outputs": "."}, "wav.scp names it: leave --outputs out"),
        ({"columns": (("id", "x"),)}, "--column is for keys and headers"),
        ({"groups": ("snr",)}, "no column 'snr'"),
    ],
)
def test_kaldi_takes_no_columns(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    written(tmp_path, "wav.scp", "u1 a.wav\n")
    with pytest.raises(ManifestError, match=message):
        open_manifest(str(tmp_path), ManifestOptions(**options))


def test_kaldi_segments_are_refused(tmp_path: Path) -> None:
    written(tmp_path, "wav.scp", "u1 a.wav\n")
    written(tmp_path, "segments", "s1 u1 0 1\n")
    with pytest.raises(ManifestError, match="parts of recordings are no outputs"):
        open_manifest(str(tmp_path), ManifestOptions())


def test_kaldi_empty(tmp_path: Path) -> None:
    written(tmp_path, "wav.scp", "\n")
    with pytest.raises(ManifestError, match=r"wav\.scp names no output"):
        open_manifest(str(tmp_path), ManifestOptions())


def test_seed_tts(tmp_path: Path) -> None:
    rows = b"u1|p|w.wav|t\nu2|p|w.wav\n\nu3|p|w.wav|\xff\nno fields\nu5|p||t\n"
    items = read(written(tmp_path, "meta.lst", rows), outputs=str(tmp_path))
    assert problems(items) == {
        "u2": "it has 3 fields; write utt|prompt_text|prompt_wav|infer_text",
        "line 4": "it is not UTF-8; save the manifest as UTF-8",
        "line 5": "it has 1 fields; write utt|prompt_text|prompt_wav|infer_text",
    }
    assert items[-1].entry.references == ()


def test_what_is_no_file(tmp_path: Path) -> None:
    for name in ("nothing.jsonl", "a\0b", ""):
        with pytest.raises(ManifestError, match=r"is not there|NUL"):
            open_manifest(str(tmp_path / name) if name == "nothing.jsonl" else name, ManifestOptions())
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(ManifestError, match="it is no regular file"):
        open_manifest(str(tmp_path / "pipe.jsonl"), ManifestOptions())


def test_a_manifest_that_changes_while_it_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, "m.csv", "media\na.wav\n")
    manifest = open_manifest(str(path), ManifestOptions())
    path.write_text("media\na.wav\nb.wav\n")
    with pytest.raises(ManifestError, match="changed while it was read"):
        list(manifest.items())
    with pytest.raises(ManifestError, match="changed while it was read"):
        manifest.files()
