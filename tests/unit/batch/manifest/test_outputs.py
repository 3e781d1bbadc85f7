"""Outputs that the manifest does not name, and files that no line names."""

from __future__ import annotations

import os
from pathlib import Path

from mediacheck.batch.manifest import ManifestOptions, open_manifest
from tests.unit.batch.manifest.reading import problems, read, written


def prompts(folder: Path, *ids: str) -> Path:
    return written(folder, "p.csv", "id,text\n" + "".join(f'"{id}",say\n' for id in ids))


def test_any_suffix_of_media(tmp_path: Path) -> None:
    for name in ("u1.flac", "u2.WAV", "u3.txt", "u4.wav", "u4.mp3", "sub/u5.opus", "u1.5.wav", "u6.wav/x"):
        written(tmp_path, f"out/{name}", "x")
    (tmp_path / "out/u7.ogg").symlink_to("nowhere")
    path = prompts(tmp_path, "u1", "u2", "u3", "u4", "sub/u5", "other/u8", "u7")
    items = read(path, outputs=str(tmp_path / "out"))
    assert [item.entry.media for item in items] == [
        "u1.flac", "u2.WAV", "u3.wav", "u4.wav", "sub/u5.opus", "other/u8.wav", "u7.ogg"
    ]  # fmt: skip
    assert problems(items) == {"u4": "2 outputs lie there for it: u4.mp3, u4.wav; leave one"}
    assert items[0].place == str(tmp_path / "out/u1.flac")
    assert items[2].place == str(tmp_path / "out/u3.wav")


def test_what_the_manifest_says_does_not_hang_on_what_lies_there(tmp_path: Path) -> None:
    path = prompts(tmp_path, "u1", "u2")
    written(tmp_path, "out/u1.wav", "x")
    before = read(path, outputs=str(tmp_path / "out"))
    written(tmp_path, "out/u2.flac", "x")
    after = read(path, outputs=str(tmp_path / "out"))
    assert [item.entry.media for item in before] != [item.entry.media for item in after]
    # A run that is continued is known by it.
    assert [item.stated for item in before] == [item.stated for item in after]
    assert [item.stated.id for item in after] == ["u1", "u2"]


def test_ids_that_lead_out(tmp_path: Path) -> None:
    written(tmp_path, "secret/s.wav", "x")
    (tmp_path / "m/out").mkdir(parents=True)
    (tmp_path / "m/out/link").symlink_to(tmp_path / "secret")
    ids = ("../../secret/s", "link/s", "/secret/s", "..")
    items = read(prompts(tmp_path / "m", *ids), outputs=str(tmp_path / "m/out"))
    assert problems(items).keys() == {"../../secret/s", "link/s"}
    # An id is no path: one that starts with a slash is looked for in the folder too.
    assert items[2].place == str(tmp_path / "m/out/secret/s.wav")
    assert items[3].place == str(tmp_path / "m/out/...wav")


def test_outputs_behind_a_url(tmp_path: Path) -> None:
    items = read(prompts(tmp_path, "u1", "a/u2", "../u3"), outputs="s3://b/out/")
    assert [item.place for item in items] == ["s3://b/out/u1.wav", "s3://b/out/a/u2.wav", ""]
    assert problems(items) == {
        "../u3": "../u3.wav lies under no URL that was named; allow it with --root s3://b"
    }


def test_extra_files_in_the_outputs(tmp_path: Path) -> None:
    for name in ("u1.wav", "sub/u2.wav", "sub/x.flac", "y.wav", ".z.wav", "log.txt"):
        written(tmp_path, f"out/{name}", "x")
    path = prompts(tmp_path, "u1", "sub/u2", "u9")
    manifest = open_manifest(str(path), ManifestOptions(outputs=str(tmp_path / "out")))
    named = {item.place for item in manifest.items()}
    assert list(manifest.extra_files(named.__contains__)) == ["sub/x.flac", "y.wav"]


def test_extra_files_beside_the_media(tmp_path: Path) -> None:
    for name in ("a/1.wav", "a/2.wav", "a/deep/3.wav", "b/4.wav", "c/5.wav", "a/n.txt", "a/.h.wav", "6.wav"):
        written(tmp_path, f"m/{name}", "x")
    written(tmp_path, "far/7.wav", "x")
    written(tmp_path, "far/8.wav", "x")
    with open(os.fsencode(tmp_path) + b"/far/\xff.wav", "wb"):
        pass
    lines = ["a/1.wav", "./b/../a/2.wav", "b/missing.wav", "../far/7.wav", "s3://b/x.wav"]
    path = written(tmp_path, "m/m.csv", "media\n" + "\n".join(lines))
    manifest = open_manifest(str(path), ManifestOptions(roots=(str(tmp_path / "far"), "s3://b")))
    items = list(manifest.items())
    assert problems(items) == {}
    named = {item.place for item in items}
    expected = ["../far/8.wav", "../far/\\xff.wav", "b/4.wav"]
    assert list(manifest.extra_files(named.__contains__)) == expected
    # It need not have been read before.
    again = open_manifest(str(path), ManifestOptions(roots=(str(tmp_path / "far"), "s3://b")))
    assert list(again.extra_files(named.__contains__)) == expected
