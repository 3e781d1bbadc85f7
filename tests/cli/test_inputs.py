from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path

import pytest

from mediacheck.cli.inputs import gather, refuse_unreadable
from mediacheck.errors import PathError
from mediacheck.suffixes import RAW_SUFFIXES


def touch(*paths: Path) -> None:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def names(*paths: str | Path) -> list[str]:
    return [item.name for item in gather([str(path) for path in paths]).files]


def test_a_folder_is_walked_in_order_without_hidden_and_other_files(tmp_path: Path) -> None:
    touch(*(tmp_path / name for name in ("b.wav", "a/z.MP4", "a/.hidden.wav", ".git/x.wav", "a/notes.txt", "a.wav")))
    found = gather([str(tmp_path)])
    assert [item.name for item in found.files] == ["a.wav", "a/z.MP4", "b.wav"]
    assert found.skipped == 1
    assert found.several


def test_a_link_to_a_folder_is_not_followed(tmp_path: Path) -> None:
    touch(tmp_path / "in/a.wav", tmp_path / "out/b.wav")
    (tmp_path / "in/loop").symlink_to(tmp_path, target_is_directory=True)
    assert names(tmp_path / "in") == ["a.wav"]


def test_a_folder_without_media_is_refused(tmp_path: Path) -> None:
    touch(tmp_path / "notes.txt")
    with pytest.raises(PathError, match="holds no media file"):
        gather([str(tmp_path)])


def test_raw_folders_hold_raw_files(tmp_path: Path) -> None:
    touch(tmp_path / "a.pcm", tmp_path / "b.wav")
    assert [item.name for item in gather([str(tmp_path)], suffixes=RAW_SUFFIXES).files] == ["a.pcm"]


def test_a_file_counts_once_however_often_it_is_named(tmp_path: Path) -> None:
    touch(tmp_path / "a.wav", tmp_path / "b.wav")
    assert names(tmp_path / "b.wav", tmp_path) == ["b.wav", "a.wav"]


def test_equal_names_count_from_the_shared_folder(tmp_path: Path) -> None:
    touch(tmp_path / "run1/x.wav", tmp_path / "run2/x.wav", tmp_path / "y.wav")
    assert names(tmp_path / "run1", tmp_path / "run2", tmp_path / "y.wav") == ["run1/x.wav", "run2/x.wav", "y.wav"]


def test_a_fifo_is_refused_and_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.wav")
    with pytest.raises(PathError, match="a FIFO, not a file"):
        gather([str(tmp_path / "x.wav")])
    with pytest.raises(PathError, match="a FIFO, not a file"):
        gather([str(tmp_path)])


def test_sockets_devices_and_dead_links_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s.wav")
        with pytest.raises(PathError, match="a socket"):
            refuse_unreadable(Path("s.wav"))
    with pytest.raises(PathError, match="a device"):
        refuse_unreadable(Path(os.devnull))
    Path("dead.wav").symlink_to("nowhere.wav")
    with pytest.raises(PathError, match="link to a file that is not there"):
        refuse_unreadable(Path("dead.wav"))


@pytest.mark.parametrize("path", ["", "a\0b.wav", "x" * 5000])
def test_impossible_paths_are_refused(path: str) -> None:
    with pytest.raises(PathError):
        gather([path])


def refusal(path: Path) -> str:
    """What ``gather`` says to a user who is not root, who may read everything."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        if os.geteuid() == 0:
            os.setuid(65534)
        try:
            gather([str(path)])
        except PathError as error:
            os.write(send, str(error).encode())
        os._exit(0)
    os.close(send)
    os.waitpid(child, 0)
    with os.fdopen(receive) as answer:
        return answer.read()


def test_what_may_not_be_read_is_refused() -> None:
    # Not tmp_path: nobody else may enter the folders above it.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        touch(folder / "locked/a.wav", folder / "b.wav")
        assert refusal(folder / "b.wav") == ""
        (folder / "b.wav").chmod(0)
        (folder / "locked").chmod(0)
        assert "permission denied" in refusal(folder / "b.wav").lower()
        assert "cannot list" in refusal(folder / "locked")
        (folder / "locked").chmod(0o700)
