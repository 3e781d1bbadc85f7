"""A full disk, a folder that cannot be written, a second process: a clear line, and nothing lost."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from mediacheck.batch.ledger import Ledger
from tests.batch.runs import export, results, start, write_manifest
from tests.needs import needs_mount


def batch(*arguments: str | Path, cwd: Path) -> tuple[int, str]:
    process = start(*arguments, cwd=cwd)
    _, err = process.communicate()
    return process.returncode, err.decode()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own of 400 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@needs_mount()
def test_a_full_disk_ends_the_run_and_damages_nothing(tmp_path: Path, small_disk: Path) -> None:
    manifest = write_manifest(tmp_path / "media", 300)
    run = small_disk / "run"
    filler = small_disk / "filler"
    filler.write_bytes(bytes(60_000))
    code, err = batch(manifest, "--run", run, "--quiet", cwd=tmp_path)
    assert code == 4, err
    assert "No space left on device" in err
    assert err.count("\n") == 1
    assert not (run / "results.jsonl").exists()
    shutil.copytree(run, tmp_path / "moved")
    shutil.copytree(run, tmp_path / "looked at")
    database = sqlite3.connect(tmp_path / "looked at" / "ledger.sqlite")
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    (done,) = database.execute("SELECT count(*) FROM attempt").fetchone()
    database.close()
    assert 0 < done < 300
    # Where there is room, it goes on where it stopped.
    code, err = batch(manifest, "--run", tmp_path / "moved", "--quiet", cwd=tmp_path)
    assert code == 0, err
    assert {result["attempts"] for result in results(tmp_path / "moved")} == {1}
    assert batch(manifest, "--run", tmp_path / "other", "--quiet", cwd=tmp_path)[0] == 0
    assert export(tmp_path / "moved") == export(tmp_path / "other")


@needs_mount()
def test_a_disk_that_is_full_from_the_start_is_a_clear_line(tmp_path: Path, small_disk: Path) -> None:
    manifest = write_manifest(tmp_path / "media", 300)
    (small_disk / "filler").write_bytes(bytes(390_000))
    code, err = batch(manifest, "--run", small_disk / "run", "--quiet", cwd=tmp_path)
    assert code == 4
    assert "No space left on device" in err
    assert err.count("\n") == 1


@needs_mount()
def test_a_read_only_folder_is_refused(tmp_path: Path, small_disk: Path) -> None:
    manifest = write_manifest(tmp_path / "media", 3)
    run = small_disk / "run"
    assert batch(manifest, "--run", run, "--quiet", cwd=tmp_path)[0] == 0
    before = (run / "results.jsonl").read_bytes()
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    for folder in (run, small_disk / "new"):
        code, err = batch(manifest, "--run", folder, "--quiet", cwd=tmp_path)
        assert code == 2, err
        assert str(folder) in err
        assert "--run" in err
        assert err.count("\n") == 1
    assert (run / "results.jsonl").read_bytes() == before


def test_two_processes_cannot_write_one_run(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "media", 2)
    assert batch(manifest, "--run", tmp_path / "run", "--quiet", cwd=tmp_path)[0] == 0
    with Ledger(tmp_path / "run"):
        code, err = batch(manifest, "--run", tmp_path / "run", "--quiet", cwd=tmp_path)
    assert code == 2
    assert "another process" in err


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "media", 2)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.tex").write_text("")
    code, err = batch(manifest, "--run", tmp_path / "home", "--quiet", cwd=tmp_path)
    assert code == 2
    assert "holds other files" in err
    assert os.listdir(tmp_path / "home") == ["thesis.tex"]


def test_a_damaged_ledger_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "media", 2)
    run = tmp_path / "run"
    run.mkdir()
    (run / "ledger.sqlite").write_bytes(b"this is no database" * 100)
    code, err = batch(manifest, "--run", run, "--quiet", cwd=tmp_path)
    assert code == 2
    assert "not a ledger" in err
    assert (run / "ledger.sqlite").read_bytes().startswith(b"this is no database")


def test_exports_are_gone_while_a_run_is_unfinished(tmp_path: Path) -> None:
    manifest = write_manifest(tmp_path / "media", 2)
    run = tmp_path / "run"
    assert batch(manifest, "--run", run, "--quiet", cwd=tmp_path)[0] == 0
    first = json.loads((run / "summary.json").read_text())
    (tmp_path / "media" / "0000.wav").unlink()
    assert batch(manifest, "--run", run, "--quiet", cwd=tmp_path)[0] == 1
    second = json.loads((run / "summary.json").read_text())
    assert (first["total"]["valid"], second["total"]["valid"]) == (2, 1)
