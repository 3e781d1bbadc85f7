"""Where a manifest may lead: links, "..", URLs and what hides in them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacheck.batch import places
from mediacheck.batch.errors import ManifestError


@pytest.mark.parametrize(
    ("place", "remote"),
    [
        ("s3://b/x", True), ("HTTPS://h/x", True), ("file:///x", True), ("c:/x", False), ("c://x", False),
        ("/a://b", False), ("a.wav", False), ("://x", False), ("simplecache::s3://b/x", False), ("", False),
    ],
)  # fmt: skip
def test_is_remote(place: str, remote: bool) -> None:
    assert places.is_remote(place) is remote


@pytest.mark.parametrize(
    ("base", "relative", "joined"),
    [
        ("/m", "a.wav", "/m/a.wav"), ("/m", "./a//b.wav", "/m/a/b.wav"), ("/m", "../a.wav", "/m/../a.wav"),
        ("/m", "/x/./a.wav", "/x/a.wav"), ("/m", ".h.wav", "/m/.h.wav"), ("/m", "s3://b/x", "s3://b/x"),
        ("s3://b/m", "a/b.wav", "s3://b/m/a/b.wav"), ("s3://b/m/", "./a.wav", "s3://b/m/a.wav"),
        ("s3://b/m", "../a.wav", "s3://b/a.wav"), ("s3://b/m", "../../c/a.wav", "s3://b/../c/a.wav"),
        ("s3://b/m", "/x/a.wav", "/x/a.wav"), ("s3://b", "a b#1.wav", "s3://b/a b#1.wav"),
    ],
)  # fmt: skip
def test_join(base: str, relative: str, joined: str) -> None:
    assert places.join(base, relative) == joined


@pytest.mark.parametrize(
    ("manifest", "base"),
    [("s3://b/d/m.jsonl", "s3://b/d"), ("s3://b/m.jsonl", "s3://b"), ("https://h/d/m.csv?sig=a/b", "https://h/d")],
)
def test_base_of_a_url(manifest: str, base: str) -> None:
    assert places.base_of(manifest) == base


def test_base_of_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert places.base_of("m.jsonl") == str(tmp_path)
    assert places.base_of(".") == str(tmp_path)


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ("https://user:secret@h/a.wav?X-Amz-Signature=secret#x", "https://h/a.wav"),
        ("s3://key:secret@b/a.wav", "s3://b/a.wav"),
        ("/a/" + os.fsdecode(b"\xff.wav"), "/a/\\xff.wav"),
    ],
)
def test_nothing_secret_is_printed(place: str, shown: str) -> None:
    assert places.printable(place) == shown


def test_local_roots(tmp_path: Path) -> None:
    inner, outer = tmp_path / "in", tmp_path / "inner"
    for folder in (inner, outer):
        folder.mkdir()
        (folder / "a.wav").touch()
    (inner / "link.wav").symlink_to(outer / "a.wav")
    (inner / "folder").symlink_to(outer)
    (inner / "own.wav").symlink_to("a.wav")
    (inner / "loop.wav").symlink_to("loop.wav")
    roots = places.Roots([str(inner)])
    # A second look at the same folder is answered from memory, and must be the same.
    for _ in range(2):
        for held in ("a.wav", "own.wav", "not/there.wav", "loop.wav", "../in/a.wav", "x/../a.wav", "", "."):
            assert roots.hold(os.path.join(inner, held)), held
        for out in ("link.wav", "folder/a.wav", "folder", "../inner/a.wav", "..", "/etc/passwd", "folder/../in/../x"):
            assert not roots.hold(os.path.join(inner, out)), out
    assert places.inside(str(inner / "link.wav"), [str(inner), str(outer)])
    assert places.inside("/etc/passwd", ["/"])
    # The root may be a link itself.
    assert places.inside(str(outer / "a.wav"), [str(inner / "folder")])


HELD = [
    ("s3://b/x", "s3://b"), ("s3://b/x/y.wav", "s3://b/x"), ("s3://b/x/y.wav", "s3://b/x/"), ("S3://b/x", "s3://b"),
    ("s3://b/x/a/../y.wav", "s3://b/x"), ("s3://b/x/a b#1?.wav", "s3://b/x"), ("https://h/x/a.wav?sig=../..", "https://h/x"),
    ("https://h:8080/x/a%20b.wav", "https://h:8080/x"), ("s3://b/x/..a.wav", "s3://b/x"), ("s3://b/x", "s3://b/x"),
    ("s3://b/x/100%.wav", "s3://b/x"), ("memory:///x/a.wav", "memory:///x"),
]  # fmt: skip
REFUSED = [
    ("s3://b/xy/a.wav", "s3://b/x"), ("s3://bb/x", "s3://b"), ("gs://b/x", "s3://b"), ("s3://b/x/../y.wav", "s3://b/x"),
    ("s3://b/x/%2e%2E/y.wav", "s3://b/x"), ("s3://b/x/%252e%252e/y.wav", "s3://b/x"), ("https://h/x/..%2fy", "https://h/x"),
    ("https://h/x/..%5cy", "https://h/x"), ("https://h/x/..\\y", "https://h/x"), ("https://h/x/a/../../y", "https://h/x"),
    ("https://h@evil/x", "https://h"), ("https://h.evil/x", "https://h"), ("https://h:81/x", "https://h"),
    ("https://h?@evil/x", "https://h/x"), ("https://h\\@evil/x", "https://h"), ("http://h/x", "https://h"),
    ("https://h/x\t/../y", "https://h/x"), ("https://h/x\n", "https://h/x"), ("s3://b/x/a::file:///etc/passwd", "s3://b/x"),
    ("s3://b/../c/a.wav", "s3://b/m"), ("s3://b//x", "s3://b/x"), ("/x", "s3://b"), ("s3://b/x", "/"),
    ("file:///etc/passwd", "/etc"), ("s3://", "s3://b"), ("file://x/etc/passwd", "file:///etc"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "root"), HELD)
def test_urls_within_a_root(place: str, root: str) -> None:
    assert places.inside(place, [root])


@pytest.mark.parametrize(("place", "root"), REFUSED)
def test_urls_outside_of_a_root(place: str, root: str) -> None:
    assert not places.inside(place, [root])


def test_links_behind_a_file_url(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.wav").touch()
    (tmp_path / "in/link.wav").symlink_to("/etc/passwd")
    root = f"file://{tmp_path}/in"
    assert places.inside(f"{root}/a.wav", [root])
    assert not places.inside(f"{root}/link.wav", [root])
    assert not places.inside(f"{root}/../a.wav", [root])


@given(st.lists(st.sampled_from(["..", ".", "a", "%2e%2e", "%2E.", "b%2f..%2f..", "", "x\\..\\.."]), max_size=6))
def test_no_way_out_of_a_prefix(parts: list[str]) -> None:
    """Whatever a client makes of the URL, it stays below the prefix where it is held to lie in it."""
    from urllib.parse import unquote

    path = "/".join(parts)
    if places.inside(f"https://h/root/{path}", ["https://h/root"]):
        plain = unquote(path).replace("\\", "/")
        assert os.path.normpath(f"/root/{plain}").startswith("/root")
        assert os.path.normpath("/r/" + "root/" + plain).startswith("/r/root")


@pytest.mark.parametrize("root", ["", "a\0b", "https://", "s3:///", "a\nb"])
def test_roots_that_name_nothing(root: str) -> None:
    with pytest.raises(ManifestError, match=r"^--root .* names n"):
        places.Roots([root])


def test_open_binary(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_bytes(b"x")
    with places.open_binary(str(path)) as stream:
        assert stream.read() == b"x"
    with pytest.raises(FileNotFoundError):
        places.open_binary(str(tmp_path / "n"))
    with pytest.raises(OSError, match="no regular file"):
        places.open_binary("/dev/null")
