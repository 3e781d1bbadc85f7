"""A plain folder: everything in it is accounted for."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from mediacheck.batch.errors import ManifestError
from mediacheck.batch.manifest import ManifestOptions, folder, open_manifest
from mediacheck.serialise import to_compact_json
from tests.unit.batch.manifest.reading import read, written


def test_order_and_what_counts(tmp_path: Path) -> None:
    there = ("b/2.wav", "b.wav", "b-.wav", "a/x/1.FLAC", "B.mp4")
    for name in (*there, ".hidden.wav", ".git/c.wav", "notes.txt", "c/t.md"):
        written(tmp_path, name, "x")
    manifest = open_manifest(str(tmp_path), ManifestOptions())
    items = list(manifest.items())
    assert manifest.format == "folder"
    assert manifest.files() == ()
    assert manifest.skipped == 2
    ids = [item.entry.id for item in items]
    assert ids == ["B.mp4", "a/x/1.FLAC", "b-.wav", "b.wav", "b/2.wav"]
    assert ids == sorted(ids, key=os.fsencode)
    assert [item.entry.media for item in items] == ids
    assert [item.place for item in items] == [str(tmp_path / id) for id in ids]
    assert {item.where for item in items} == {""}
    assert list(manifest.extra_files(lambda place: False)) == []


def test_a_poisoned_folder(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    here = tmp_path / "in"
    written(tmp_path, "out/o.wav", "x")
    written(here, "a.wav", "x")
    written(here, "n" * 250 + ".wav", "")
    (here / "folder.wav").mkdir()
    written(here, "folder.wav/deep.wav", "x")
    (here / "gone.wav").symlink_to("nowhere")
    (here / "loop.wav").symlink_to("loop.wav")
    (here / "self").symlink_to(".")
    (here / "away.wav").symlink_to(tmp_path / "out/o.wav")
    (here / "away").symlink_to(tmp_path / "out")
    os.mkfifo(here / "pipe.wav")
    raw = os.fsencode(here) + b"/\xff\xfe.wav"
    with open(raw, "wb"):
        pass
    items = read(here)
    assert [item.entry.id for item in items] == [
        "a.wav", "away.wav", "folder.wav/deep.wav", "gone.wav", "loop.wav", "n" * 250 + ".wav", "pipe.wav",
        "\\xff\\xfe.wav",
    ]  # fmt: skip
    assert [item.entry.id for item in items if item.entry.problem is not None] == ["away.wav"]
    assert (items[1].entry.problem or "").startswith("away.wav: it is a link out of the folder")
    assert os.fsencode(items[-1].place) == raw
    for item in items:
        to_compact_json(item.entry)
    allowed = read(here, roots=(str(tmp_path / "out"),))
    assert [item.entry.problem for item in allowed] == [None] * len(items)


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """A folder whose content may lie deeper than Python removes it."""
    (tmp_path / "deep").mkdir()
    yield tmp_path / "deep"
    subprocess.run(["rm", "-rf", str(tmp_path / "deep")], check=True)


def test_deeper_than_a_path_may_be_long(deep: Path) -> None:
    written(deep, "a.wav", "x")
    handle = os.open(deep, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=handle)
        inner = os.open("d" * 250, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(os.open("deep.wav", os.O_CREAT | os.O_WRONLY, dir_fd=handle))
    os.close(handle)
    items = read(deep)
    assert items[0].entry.id == "a.wav"
    (item,) = items[1:]
    assert "the folder cannot be listed (File name too long)" in (item.entry.problem or "")
    assert len(item.entry.id) == 1000
    assert item.place == ""


def test_more_levels_than_python_calls(deep: Path) -> None:
    subprocess.run(["mkdir", "-p", "d/" * 1100], cwd=deep, check=True)
    with open(f"{deep}/{'d/' * 1100}a.wav", "wb"):
        pass
    (item,) = read(deep)
    assert item.entry.media == "d/" * 1100 + "a.wav"
    assert item.entry.problem is None
    # An id has 1,000 characters at most; the digest keeps two of them apart.
    assert len(item.entry.id) == 1000


def test_a_folder_that_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, "a.wav", "x")
    written(tmp_path, "locked/b.wav", "x")
    written(tmp_path, "z.wav", "x")
    scandir = os.scandir

    def refusing(path: str) -> object:
        if path.rstrip("/").endswith("locked"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(folder.os, "scandir", refusing)
    first, second, third = read(tmp_path)
    assert (first.entry.id, second.entry.id, third.entry.id) == ("a.wav", "locked/", "z.wav")
    assert second.entry.problem == (
        "locked/: the folder cannot be listed (Permission denied); change its mode or its name"
    )
    locked = tmp_path / "locked"
    with pytest.raises(ManifestError, match=r"cannot list the folder .*: Permission denied"):
        open_manifest(str(locked), ManifestOptions())


@pytest.mark.parametrize(
    ("names", "message"),
    [((), "holds no media file; name"), (("a.txt", "b.md"), r"holds no media file by the suffix \(2 other files\)")],
)
def test_nothing_in_it(names: tuple[str, ...], message: str, tmp_path: Path) -> None:
    for name in names:
        written(tmp_path, name, "x")
    with pytest.raises(ManifestError, match=message):
        open_manifest(str(tmp_path), ManifestOptions())


@pytest.mark.parametrize(
    "options", [{"outputs": "."}, {"columns": (("id", "x"),)}, {"groups": ("x",)}, {"format": "jsonl"}]
)
def test_options_that_a_folder_cannot_have(options: dict[str, object], tmp_path: Path) -> None:
    written(tmp_path, "a.wav", "x")
    with pytest.raises(ManifestError, match="folder"):
        open_manifest(str(tmp_path), ManifestOptions(**options))  # type: ignore[arg-type]


def test_a_folder_named_as_one(tmp_path: Path) -> None:
    written(tmp_path, "wav.scp", "u1 x.wav")
    written(tmp_path, "a.wav", "x")
    (item,) = read(tmp_path, format="folder")
    assert item.entry.id == "a.wav"
