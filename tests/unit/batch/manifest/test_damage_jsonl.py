"""Every kind of damage to a line of JSON: told with its number, and the lines beside it are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mediacheck.batch.errors import ManifestError
from mediacheck.batch.manifest.source import LONGEST_LINE
from mediacheck.serialise import is_text, to_compact_json
from tests.unit.batch.manifest.reading import problems, read, written

GOOD = b'{"id": "good", "media": "a.wav"}\n'


def between(folder: Path, line: bytes, **options: Any) -> tuple[str, str]:
    """The id and the problem of a line that stands between good ones."""
    items = read(written(folder, "m.jsonl", GOOD + b"\r\n" + line + b"\n" + GOOD), **options)
    assert [item.where for item in items] == ["line 1", "line 3", "line 4"]
    assert [item.entry.id for item in items][::2] == ["good", "good"]
    ((id, clause),) = problems(items).items()
    assert is_text(clause)
    assert clause.isprintable()
    to_compact_json(items[1].entry)
    return id, clause


BROKEN = {
    "cut": b'{"id": "x", "media": "a.w',
    "two objects": b'{"id": "x"} {"id": "y"}',
    "no quotes": b"{id: x}",
    "NUL": b'{"id": "x\0"}',
    "deep": b'{"id": "x", "media": "a.wav", "k": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "huge number": b'{"id": ' + b"9" * 5000 + b', "media": "a.wav"}',
}


@pytest.mark.parametrize("kind", BROKEN)
def test_not_json(kind: str, tmp_path: Path) -> None:
    assert between(tmp_path, BROKEN[kind]) == ("line 3", "it is not JSON; write one whole object into the line")


@pytest.mark.parametrize("line", [b"[1]", b"null", b'"a.wav"', b"1e400"])
def test_no_object(line: bytes, tmp_path: Path) -> None:
    id, clause = between(tmp_path, line)
    assert id == "line 3"
    assert clause.startswith("it is no JSON object")


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    line = '{"id": "x", "media": "a.wav", "text": "Grüße"}'.encode("latin-1")
    assert between(tmp_path, line) == ("line 3", "it is not UTF-8; save the manifest as UTF-8")


@pytest.mark.parametrize("inner", [b'"id": "y"', b'"k": {"a": 1, "a": 1}'])
def test_a_key_twice(inner: bytes, tmp_path: Path) -> None:
    _, clause = between(tmp_path, b'{"id": "x", "media": "a.wav", ' + inner + b"}")
    assert "stands twice in one object" in clause


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"id": ["x"]}, "line 3", "id is a list; an id is text, or a whole number"),
    ({"id": 1.5}, "line 3", "id is a number; an id is text, or a whole number"),
    ({"id": True}, "line 3", "id is true or false; an id is text, or a whole number"),
    ({"id": "x" * 1001}, "line 3", "id has 1001 characters; an id has 1,000 at most"),
    ({"id": "\ud800"}, "line 3", "id is text with half a character (a lone surrogate); an id is text"),
    ({"id": "a\0b"}, "line 3", "id is text with a NUL character"),
    ({"media": None}, "x", "it has no media: no output is named"),
    ({"media": ""}, "x", "it has no media: no output is named"),
    ({"media": 5}, "x", "media is a number, not a text"),
    ({"media": {"bytes": "UklGRg==", "path": "a.wav"}}, "x", "media is an object, not a text"),
    ({"media": "a\0.wav"}, "x", "a\\x00.wav holds a NUL character"),
    ({"media": "\udc80.wav"}, "x", "media is text with half a character"),
    ({"text": 5}, "x", "text is a number, not a text"),
    ({"text": "\ud83d"}, "x", "text is text with half a character"),
    ({"reference": 5}, "x", "reference holds a number; write a text or a list of texts"),
    ({"reference": ["a.wav", ["b.wav"]]}, "x", "reference holds a list; write a text or a list of texts"),
    ({"reference": "/etc/passwd"}, "x", "reference /etc/passwd leads out of the allowed folders; allow it with "
                                        "--root /etc"),
    ({"speaker": ["ann"]}, "x", "speaker is a list, not a text"),
    ({"language": "zh-CN"}, "x", "language 'zh-CN': write a code of ISO 639-1 in lower case"),
    ({"language": "\ud800"}, "x", "language is text with half a character"),
    ({"contract": 1}, "x", "contract is a number, not a text"),
    ({"expect": 5}, "x", "expect is a number; write an object, or a list of KEY=VALUE"),
    ({"expect": {"lenght": 5}}, "x", "what is expected: 'lenght=5': write KEY=VALUE with one of the keys"),
    ({"expect": {"duration": [5]}}, "x", "what is expected of duration is a list; write a number, or yes or no"),
    ({"expect": {"duration": "\ud800"}}, "x", "what is expected of duration is text with half a character"),
    ({"expect": {"duration": 1e300}}, "x", "what is expected: duration: "),
    ({"expect": {"samples": 10**50}}, "x", "what is expected: samples: "),
    ({"expect": {"samples": 1.5}}, "x", "what is expected: samples=1.5: it must be a whole number"),
    ({"expect": ["samples"]}, "x", "what is expected: 'samples': write KEY=VALUE"),
    ({"expect": {"samples": 1}, "expect.samples": 1}, "x", "expect and expect.samples both ask for samples"),
    ({"expect.lenght": 1}, "x", "there is no expectation expect.lenght; known: expect.duration"),
    ({"group": ["g"]}, "x", "group is a list, not a text"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "id", "clause"), WRONG, ids=[str(wrong)[:40] for wrong, _, _ in WRONG])
def test_values_of_another_kind(wrong: dict[str, Any], id: str, clause: str, tmp_path: Path) -> None:
    line = json.dumps({"id": "x", "media": "a.wav", **wrong}).encode()
    groups = ("group",) if "group" in wrong else ()
    found, said = between(tmp_path, line, groups=groups)
    assert found == id
    assert said.startswith(clause)


@pytest.mark.parametrize("number", ["1e400", "-1e400", "NaN", "Infinity"])
def test_numbers_that_are_none(number: str, tmp_path: Path) -> None:
    line = f'{{"id": "x", "media": "a.wav", "expect": {{"duration": {number}}}}}'.encode()
    id, clause = between(tmp_path, line)
    assert id == "x"
    assert "is not a number" in clause


def test_a_line_without_end(tmp_path: Path) -> None:
    line = b'{"id": "x", "text": "' + b"y" * LONGEST_LINE + b'"}'
    assert between(tmp_path, line) == ("line 3", "it is longer than 16 MiB; put one object into each line")


def test_a_long_problem_is_cut(tmp_path: Path) -> None:
    line = json.dumps({"id": "x", "media": "/" + "long/" * 1000 + "\n.wav"}).encode()
    _, clause = between(tmp_path, line)
    assert len(clause) <= 400


def test_a_byte_order_mark_and_carriage_returns(tmp_path: Path) -> None:
    path = written(tmp_path, "m.jsonl", b"\xef\xbb\xbf" + GOOD.replace(b"\n", b"\r\n") * 2)
    items = read(path)
    assert problems(items) == {}
    assert [item.entry.id for item in items] == ["good", "good"]


def test_other_ends_of_lines_belong_to_a_text(tmp_path: Path) -> None:
    text = "one\u2028two\x85three"
    line = json.dumps({"media": "a.wav", "text": text}, ensure_ascii=False)
    (item,) = read(written(tmp_path, "m.jsonl", line))
    assert item.entry.text == text


def test_no_line_can_be_read(tmp_path: Path) -> None:
    items = read(written(tmp_path, "m.jsonl", "{\n" * 150 + '{"media": "a.wav"}\n'))
    assert problems(items).keys() == {f"line {number}" for number in range(1, 151)}
    assert items[-1].entry.id == "a"
    prompts = read(written(tmp_path, "m.jsonl", '{\n{"id": "u1"}\n'), outputs=str(tmp_path))
    assert [item.entry.media for item in prompts] == ["", "u1.wav"]


def test_an_id_that_was_asked_for_must_be_there(tmp_path: Path) -> None:
    items = read(
        written(tmp_path, "m.jsonl", '{"utt": "u", "media": "a.wav"}\n{"media": "b.wav"}'), columns=(("id", "utt"),)
    )
    assert problems(items) == {"line 2": "it has no utt"}


@pytest.mark.parametrize("options", [{"columns": (("text", "txet"),)}, {"groups": ("txet",)}, {"groups": ("speaker",)}])
def test_a_column_that_no_line_has(options: dict[str, Any], tmp_path: Path) -> None:
    path = written(tmp_path, "m.jsonl", '{"media": "a.wav", "text": "x"}\n' * 3)
    with pytest.raises(ManifestError, match=r"no line has '(txet|speaker)', .* there are: 'media', 'text'"):
        read(path, **options)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf\r\n \n", "is empty"),
        (b'[\n{"media": "a.wav"}\n]', "is one JSON list"),
        ('{"media": "a.wav"}'.encode("utf-16"), "is UTF-16; save it as UTF-8"),
        (b'{"id": 1}\n{"id": 2}', "names no media: none of media, .* is there, but 'id'; map one"),
    ],
)
def test_no_manifest(content: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=message):
        read(written(tmp_path, "m.jsonl", content))
