"""Manifests behind URLs, from a server on this machine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from mediacheck.batch.errors import ManifestError
from mediacheck.batch.manifest import ManifestOptions, open_manifest
from tests.needs import needs_module
from tests.unit.batch.manifest.reading import problems, read, written


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The URL of ``tmp_path``."""
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    thread = threading.Thread(target=httpd.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{httpd.server_port}"
    httpd.shutdown()
    thread.join()
    httpd.server_close()


@needs_module("fsspec", "aiohttp")
def test_paths_count_from_the_url(server: str, tmp_path: Path) -> None:
    lines = ["a.wav", "../b.wav", "https://elsewhere/c.wav", "/etc/d.wav", "%2e%2e/e.wav", f"{server}/data/f.wav"]
    path = written(tmp_path, "data/m.csv", "media\n" + "\n".join(lines))
    manifest = open_manifest(f"{server}/data/m.csv?signature=secret", ManifestOptions())
    # It was fetched once: what becomes of it now is no matter.
    path.write_text("media\nz.wav\n")
    items = list(manifest.items())
    assert items == list(manifest.items())
    assert manifest.format == "csv"
    assert [file.name for file in manifest.files()] == ["m.csv"]
    assert [item.place for item in items if item.place] == [f"{server}/data/a.wav", f"{server}/data/f.wav"]
    assert problems(items) == {
        "../b": f"../b.wav lies under no URL that was named; allow it with --root {server}",
        "https://elsewhere/c": "https://elsewhere/c.wav lies under no URL that was named; allow it with "
                               "--root https://elsewhere",
        "/etc/d": "/etc/d.wav leads out of the allowed folders; allow it with --root /etc",
        "%2e%2e/e": f"%2e%2e/e.wav lies under no URL that was named; allow it with --root {server}/data/%2e%2e",
    }  # fmt: skip
    assert list(manifest.extra_files(lambda place: False)) == []


@needs_module("fsspec", "aiohttp")
def test_kaldi(server: str, tmp_path: Path) -> None:
    written(tmp_path, "data/wav.scp", "u1 a.wav\n")
    written(tmp_path, "data/text", "u1 hello\n")
    manifest = open_manifest(f"{server}/data/wav.scp", ManifestOptions())
    (item,) = manifest.items()
    assert [file.name for file in manifest.files()] == ["wav.scp", "text"]
    assert (item.place, item.entry.text) == (f"{server}/data/a.wav", "hello")


@needs_module("fsspec", "aiohttp", "pyarrow")
def test_parquet(server: str, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"media": [f"{k}.wav" for k in range(3)]}), tmp_path / "m.parquet")
    assert [item.entry.id for item in read(f"{server}/m.parquet")] == ["0", "1", "2"]


@needs_module("fsspec", "aiohttp")
def test_it_is_not_there(server: str) -> None:
    with pytest.raises(ManifestError, match=r"the manifest http://127.0.0.1:[0-9]+/m.csv is not there"):
        open_manifest(f"{server}/m.csv?signature=secret", ManifestOptions())


def test_a_folder_behind_a_url_cannot_be_listed() -> None:
    with pytest.raises(ManifestError, match="no folder that can be listed"):
        open_manifest("s3://b/outputs/", ManifestOptions())


def test_what_the_store_says(monkeypatch: pytest.MonkeyPatch) -> None:
    from mediacheck.batch import remote

    def refused(url: str) -> None:
        raise remote.RemoteUnavailable("the store refuses it (403)")

    monkeypatch.setattr(remote, "open_binary", refused)
    with pytest.raises(ManifestError, match=r"cannot read the manifest s3://b/m.csv: the store refuses it \(403\)$"):
        open_manifest("s3://key:secret@b/m.csv", ManifestOptions())
