"""Reference sets: what is shipped is whole, and what is not whole is named."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

import mediacheck
from mediacheck import references
from mediacheck.references import ReferenceSetError
from tests.cli.run import mediacheck as command
from tests.cli.run import write_wav

ROOT = Path(__file__).parents[2]


def made(folder: Path, **changes: str) -> Path:
    """A small set of two files."""
    entries = []
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.wav").write_bytes(name.encode() * 100)
        entries.append({"id": name, "text": "hello", "language": "en", "speaker": "x", "audio": f"{name}.wav"})
    (folder / "manifest.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    about = {"id": "mine", "summary": "Mine.", "licence": "CC0-1.0", "source": "made here", **changes}
    lines = [f'{key} = "{value}"' for key, value in about.items()] + ["[digests]"]
    lines += [
        f'"{name}" = "sha256:{hashlib.sha256((folder / name).read_bytes()).hexdigest()}"'
        for name in ("manifest.jsonl", "a.wav", "b.wav")
    ]
    (folder / "reference.toml").write_text("\n".join(lines) + "\n")
    return folder


@pytest.mark.parametrize("id", references.shipped())
def test_what_is_shipped_is_as_stated_and_passes_validation(id: str) -> None:
    folder = references.folder_of(id)
    found = references.load(folder)
    assert found.about.id == id
    assert references.verify(folder) == ()
    assert len(found.speakers) >= 2
    for entry in found.entries:
        assert mediacheck.validate(ROOT / "references" / id / entry.audio).verdict == "pass", entry.id


def test_a_set_that_is_whole(tmp_path: Path) -> None:
    assert references.verify(made(tmp_path / "mine")) == ()


def test_every_kind_of_damage_is_named(tmp_path: Path) -> None:
    folder = made(tmp_path / "mine")
    (folder / "a.wav").write_bytes(b"other")
    (folder / "b.wav").unlink()
    (folder / "c.wav").write_bytes(b"more")
    problems = references.verify(folder)
    assert [problem.split()[0] for problem in problems] == ["a.wav", "b.wav", "c.wav"]
    assert "not sha256:" in problems[0]
    assert problems[1] == "b.wav is missing"
    assert problems[2] == "c.wav belongs to no entry"


def test_a_file_without_a_digest_and_a_digest_without_an_entry(tmp_path: Path) -> None:
    folder = made(tmp_path / "mine")
    about = folder / "reference.toml"
    about.write_text(about.read_text().replace('"b.wav"', '"../b.wav"'))
    problems = references.verify(folder)
    assert "../b.wav leads out of the set" in problems
    assert "b.wav has no digest in reference.toml" in problems
    assert "../b.wav has a digest, but no line in manifest.jsonl" in problems


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 3"),
        ('{"id": "c", "text": "x", "language": "en", "audio": "../c.wav"}', "leads out of the set"),
        ('{"id": "c", "text": "x", "language": "en", "audio": "/c.wav"}', "leads out of the set"),
        ('{"id": "a", "text": "x", "language": "en", "audio": "c.wav"}', "'a' stands there twice"),
        ('{"id": "c", "language": "en", "audio": "c.wav"}', "text"),
    ],
)
def test_a_malformed_manifest_is_one_sentence(line: str, said: str, tmp_path: Path) -> None:
    folder = made(tmp_path / "mine")
    with (folder / "manifest.jsonl").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(ReferenceSetError, match=said):
        references.load(folder)


@pytest.mark.parametrize(("key", "value"), [("licence", ""), ("colour", "red")])
def test_a_malformed_description_is_one_sentence(key: str, value: str, tmp_path: Path) -> None:
    with pytest.raises(ReferenceSetError, match=r"reference\.toml"):
        references.load(made(tmp_path / "mine", **{key: value}))


def test_the_command_line(tmp_path: Path) -> None:
    folder = made(tmp_path / "mine")
    assert "espeak-en  8 recordings, en, 2 speakers; CC0-1.0" in command("references", "list", cwd=tmp_path).text
    assert command("references", "verify", cwd=tmp_path).code == 0
    assert command("references", "verify", "mine", cwd=tmp_path).code == 0
    (folder / "a.wav").write_bytes(b"")
    broken = command("references", "verify", "mine", cwd=tmp_path)
    assert broken.code == 1
    assert "mine: 1 problem\n" in broken.text
    assert command("references", "verify", "none", cwd=tmp_path).code == 2


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Outputs of a model: two sounds with their texts."""
    folder = tmp_path / "run"
    (folder / "out").mkdir(parents=True)
    lines = []
    for name, said in (("one", "Grüße"), ("two", 'say "two"')):
        write_wav(folder / "out" / f"{name}.wav")
        lines.append({"audio_filepath": f"out/{name}.wav", "text": said, "speaker": "x"})
    (folder / "manifest.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


WORDS = ("--licence", "CC0-1.0", "--source", 'a "model", revision 3')


def test_a_run_becomes_a_set_that_verifies(run: Path) -> None:
    folder = run.parent / "mine"
    ran = command("references", "new", "mine", "--from", "run", *WORDS, "--language", "de", cwd=run.parent)
    assert (ran.code, ran.err) == (0, "")
    assert references.verify(folder) == ()
    found = references.load(folder)
    assert (found.about.id, found.about.source) == ("mine", 'a "model", revision 3')
    assert [(e.id, e.text, e.language, e.speaker) for e in found.entries] == [
        ("one", "Grüße", "de", "x"),
        ("two", 'say "two"', "de", "x"),
    ]
    assert (folder / "audio/one.wav").read_bytes() == (run / "out/one.wav").read_bytes()
    again = command("references", "new", "mine", "--from", "run", *WORDS, cwd=run.parent)
    assert again.code == 2
    assert "is there already" in again.err


def test_an_output_that_does_not_pass_is_no_reference(run: Path) -> None:
    (run / "out/two.wav").write_bytes((run / "out/two.wav").read_bytes()[:-1000])
    ran = command("references", "new", "mine", "--from", "run", *WORDS, cwd=run.parent)
    assert ran.code == 1
    assert b"two.wav" in ran.out
    assert b"nothing was written: 1 of 2" in ran.out
    assert not (run.parent / "mine").exists()
    assert sorted(path.name for path in run.parent.iterdir()) == ["run"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "is not JSON"),
        ('{"text": "a"}', "no audio is named"),
        ('{"audio": "out/one.wav"}', "with text"),
        ('{"audio": "out/none.wav", "text": "a"}', "is not there"),
        ('{"audio": "../secret.wav", "text": "a"}', "leads out"),
        ('{"audio": "out/one.wav", "text": "a", "speaker": 3}', "speaker must be a string"),
        ('{"audio": "out/two.wav", "text": "a", "id": "one"}', "already"),
        # Both ids would give one file name.
        ("\n".join(f'{{"audio": "out/two.wav", "text": "", "id": "{id}"}}' for id in ("a/b", "a:b")), "line 2"),
    ],
)
def test_a_line_that_is_wrong_is_named(run: Path, line: str, said: str) -> None:
    (run.parent / "secret.wav").write_bytes(b"x")
    (run / "manifest.jsonl").write_text('{"audio": "out/one.wav", "text": "a"}\n' + line + "\n")
    ran = command("references", "new", "mine", "--from", "run", *WORDS, cwd=run.parent)
    assert ran.code == 2
    assert said in ran.err
    assert "line " in ran.err


def test_a_run_without_a_manifest_or_a_line(run: Path) -> None:
    (run / "manifest.jsonl").write_text("\n")
    assert "holds no line" in command("references", "new", "mine", "--from", "run", *WORDS, cwd=run.parent).err
    (run / "manifest.jsonl").unlink()
    ran = command("references", "new", "mine", "--from", "run", *WORDS, cwd=run.parent)
    assert ran.code == 2
    assert "a run is a folder with manifest.jsonl" in ran.err
