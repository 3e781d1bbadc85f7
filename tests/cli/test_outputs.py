"""Where results go: links, devices, names that cannot be, and streams that are closed, full or no longer read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mediacheck.cli.outputs import plan, write_file
from mediacheck.errors import UsageError
from tests.cli.run import environment, mediacheck, one_line, write_wav


@pytest.fixture
def media(tmp_path: Path) -> Path:
    write_wav(tmp_path / "a.wav")
    return tmp_path


def shell(line: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    """A line of bash, in which ``$m`` runs mediacheck."""
    command = f'm="{sys.executable} -m mediacheck"\n{line}'
    return subprocess.run(
        ["bash", "-c", command], cwd=cwd, env=environment(), capture_output=True, timeout=60, check=False
    )


def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    plan(str(tmp_path / "link.json"), None, (), quiet=True)
    write_file(tmp_path / "link.json", b"new")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_bytes() == b"new"


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("target", ["real.wav", "link.wav", "folder/real.wav"])
@pytest.mark.parametrize("source", ["real.wav", "link.wav", "folder/real.wav"])
def test_what_is_read_is_not_written_by_whatever_path(source: str, target: str, there: bool, tmp_path: Path) -> None:
    # A ledger, say, that another run may still make.
    if there:
        (tmp_path / "real.wav").write_bytes(b"sound")
    (tmp_path / "link.wav").symlink_to("real.wav")
    (tmp_path / "folder").symlink_to(".")
    with pytest.raises(UsageError, match="one of the files to read"):
        plan(str(tmp_path / target), None, (), quiet=True, sources=[tmp_path / "gone.wav", tmp_path / source])


def test_another_name_of_what_is_read_is_replaced_without_it(tmp_path: Path) -> None:
    (tmp_path / "real.wav").write_bytes(b"sound")
    (tmp_path / "other.json").hardlink_to(tmp_path / "real.wav")
    plan(str(tmp_path / "other.json"), None, (), quiet=True, sources=[tmp_path / "real.wav"])
    write_file(tmp_path / "other.json", b"{}")
    assert (tmp_path / "real.wav").read_bytes() == b"sound"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs here")
def test_a_fifo_is_written_into_and_not_replaced(media: Path) -> None:
    os.mkfifo(media / "pipe")
    done = shell("cat pipe > got.json & $m validate a.wav -q --json pipe; code=$?; wait; exit $code", media)
    assert done.returncode == 0
    assert (media / "got.json").read_bytes() == mediacheck("validate", "a.wav", "--json", "-", cwd=media).out
    assert (media / "pipe").is_fifo()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--json", ""), "empty name"),
        (("--junit", ""), "empty name"),
        (("--facts", ""), "empty name"),
        (("--junit", "-"), "only --json goes to standard output"),
        (("--json", "x" * 300), "too long"),
        (("--json", "loop"), "symbolic links"),
        (("--json", "a.wav/x.json"), "Not a directory"),
        (("--facts", "facts", "-o", "facts/a.wav.facts.json"), "two results"),
        (("--facts", "taken"), "it is a folder"),
        (("--raw", ""), "empty layout"),
        (("--contract", ""), "--contract ''"),
        (("--validator", ""), "--validator ''"),
    ],
)
def test_places_that_cannot_be_are_refused_before_measuring(arguments: tuple[str, ...], said: str, media: Path) -> None:
    (media / "loop").symlink_to("loop")
    (media / "facts").mkdir()
    (media / "taken/a.wav.facts.json").mkdir(parents=True)
    ran = mediacheck("validate", "a.wav", *arguments, cwd=media)
    assert ran.code == 2
    assert said in one_line(ran)


def test_a_name_too_long_for_its_facts_is_refused_before_anything_is_written(media: Path) -> None:
    write_wav(media / ("x" * 250 + ".wav"))
    ran = mediacheck("validate", ".", "--facts", "facts", cwd=media)
    assert ran.code == 2
    assert "too long" in one_line(ran)
    assert list((media / "facts").iterdir()) == []


def test_two_results_for_one_place_are_named_without_the_folders_above(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^a\.json is named for two"):
        plan(str(tmp_path / "a.json"), None, (str(tmp_path / "a.json"),), quiet=True)


@pytest.mark.parametrize("command", ["contracts list", "--help", "validate a.wav --json -", "validators show v2"])
def test_a_reader_that_goes_away_is_neither_pass_nor_fail(command: str, media: Path) -> None:
    done = shell(f"$m {command} | true; exit ${{PIPESTATUS[0]}}", media)
    assert done.returncode == 4
    assert done.stderr == b""


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("$m validate a.wav >&-", 0),
        ("$m validate a.wav --json - >&-", 2),
        ("$m validate nope.wav 2>&-", 2),
        ("$m validate - <&-", 2),
        ("$m validate a.wav -q -o r.json <&- >&- 2>&-", 0),
        ("$m --help >&-", 0),
    ],
)
def test_closed_streams(line: str, code: int, media: Path) -> None:
    done = shell(line, media)
    assert done.returncode == code
    assert b"internal error" not in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_full_streams(media: Path) -> None:
    assert shell("$m validate a.wav > /dev/full", media).returncode == 4
    assert shell("$m validate a.wav --json /dev/full -q", media).returncode == 4
    assert shell("$m validate nope.wav 2> /dev/full", media).returncode == 2
    assert Path("/dev/full").is_char_device()


def test_colours(media: Path) -> None:
    assert b"\x1b[" not in mediacheck("validate", "a.wav", cwd=media, FORCE_COLOR="").out
    assert b"\x1b[" in mediacheck("validate", "a.wav", cwd=media, FORCE_COLOR="1", NO_COLOR="").out
    assert b"\x1b[" not in mediacheck("validate", "a.wav", cwd=media, FORCE_COLOR="1", NO_COLOR="1").out


def test_without_a_command_the_help_is_shown_as_it_is(tmp_path: Path) -> None:
    for arguments in ((), ("validators",), ("contracts",)):
        ran = mediacheck(*arguments, cwd=tmp_path)
        assert ran.code == 2
        assert ran.out == b""
        assert ran.err.startswith("Usage: mediacheck")
        assert "\nCommands:\n" in ran.err


def test_a_title_cannot_steer_the_terminal(tmp_path: Path) -> None:
    assert mediacheck("validators", "new", "mine", cwd=tmp_path).code == 0
    path = tmp_path / "mine/validator.toml"
    path.write_text(path.read_text().replace('title = "', 'title = "\\u001b[31m', 1))
    ran = mediacheck("validators", "show", "mine", cwd=tmp_path)
    assert ran.code == 0
    assert "\\x1b[31m" in ran.text
    assert "\x1b" not in ran.text


def test_a_working_folder_that_is_gone_or_closed(media: Path) -> None:
    done = shell("mkdir gone; cd gone; rmdir ../gone; $m validate ../a.wav", media)
    assert done.returncode == 2
    assert b"internal error" not in done.stderr
