"""What holds whatever the store: states, retries, temporary files, missing libraries, words without secrets."""

from __future__ import annotations

import errno
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mediacheck.batch import remote
from mediacheck.batch.errors import RemoteError
from mediacheck.batch.remote import RemoteMissing, RemoteUnavailable
from tests.needs import needs_module

needs_fsspec = needs_module("fsspec")


class Store:
    """What the file system ``made://`` says and does."""

    info: dict[str, Any]
    body: bytes
    errors: list[BaseException]
    options: dict[str, Any]

    def __init__(self) -> None:
        self.info = {"type": "file", "size": 4, "ETag": '"1"'}
        self.body = b"take"
        self.errors = []
        self.options = {}


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    from fsspec.registry import _registry
    from fsspec.spec import AbstractFileSystem

    store = Store()

    class Made(AbstractFileSystem):  # type: ignore[misc]
        protocol = "made"
        cachable = False

        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            store.options = options

        def info(self, path: str, **options: Any) -> dict[str, Any]:
            return {"name": path, **store.info}

        def get_file(self, rpath: str, lpath: str, **options: Any) -> None:
            Path(lpath).write_bytes(store.body)
            if store.errors:
                raise store.errors.pop(0)

    for scheme in ("made", "gs"):
        monkeypatch.setitem(_registry, scheme, Made)
    monkeypatch.setattr(remote, "RETRY_BASE_S", 0.0)
    return store


def read(url: str, folder: Path | None = None) -> bytes:
    with remote.fetched(url, folder) as path:
        return path.read_bytes()


@needs_fsspec
@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"ETag": '"a"', "LastModified": datetime(2026, 1, 2, tzinfo=UTC)}, 'size=4 ETag="a"'),
        ({"md5Hash": "x==", "generation": "17", "updated": "2026"}, "size=4 md5Hash=x=="),
        ({"generation": 17, "updated": "2026"}, "size=4 generation=17"),
        ({"blob_id": "c0ffee", "last_commit": None}, "size=4 blob_id=c0ffee"),
        ({"LastModified": datetime(2026, 1, 2, tzinfo=UTC)}, "size=4 LastModified=2026-01-02T00:00:00+00:00"),
        ({"ETag": 'W/"a"', "Last-Modified": "Mon"}, 'size=4 ETag=W/"a" Last-Modified=Mon'),
        ({"mtime": 12.5, "ino": 3}, "size=4 mtime=12.5 ino=3"),
        ({"size": None, "ETag": '"a"'}, 'ETag="a"'),
        ({"size": 0, "ETag": '"a"'}, 'size=0 ETag="a"'),
        ({"ETag": "", "LastModified": ""}, ""),
        ({}, ""),
    ],
)
def test_state_is_the_best_that_a_store_offers(store: Store, said: dict[str, Any], expected: str) -> None:
    store.info = {"type": "file", "size": 4, **said}
    assert remote.state("made://clips/take.wav") == expected


@needs_fsspec
def test_waits_twice_as_long_each_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr(remote.time, "sleep", waited.append)
    monkeypatch.setattr(remote, "RETRY_BASE_S", 0.5)
    store.errors = [ConnectionResetError()] * 4
    with pytest.raises(RemoteUnavailable, match=r"^the connection broke off before the end \(tried 4 times\)$"):
        read("made://take.wav")
    assert len(waited) == 3
    assert all(most / 2 <= seconds <= most for seconds, most in zip(waited, (0.5, 1, 2), strict=True))


@needs_fsspec
@pytest.mark.parametrize("broken", [1, 2, 3])
def test_third_retry_still_counts(store: Store, broken: int) -> None:
    store.errors = [TimeoutError()] * broken
    assert read("made://take.wav") == b"take"


@needs_fsspec
@pytest.mark.parametrize("size", [3, 5, 0])
def test_other_size_than_stated(store: Store, size: int) -> None:
    store.info["size"] = size
    with pytest.raises(RemoteUnavailable, match=rf"^4 bytes came where {size} were stated \(tried 4 times\)$"):
        read("made://take.wav")


@needs_fsspec
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_no_space_is_not_tried_again(store: Store, tmp_path: Path, number: int) -> None:
    store.errors = [OSError(number, "full"), OSError(number, "full")]
    with pytest.raises(RemoteUnavailable, match=r"^there is no space left for a temporary copy$"):
        read("made://take.wav", tmp_path)
    assert len(store.errors) == 1
    assert list(tmp_path.iterdir()) == []


@needs_fsspec
def test_unknown_failure_is_named_by_its_type_alone(store: Store) -> None:
    store.errors = [LookupError("token=hunter2")]
    with pytest.raises(RemoteUnavailable, match=r"^the file system failed with LookupError$") as caught:
        read("made://take.wav")
    assert caught.value.__context__ is None


@needs_fsspec
def test_want_of_memory_and_interruption_are_not_the_stores(store: Store, tmp_path: Path) -> None:
    for error in (MemoryError(), KeyboardInterrupt()):
        store.errors = [error]
        with pytest.raises(type(error)):
            read("made://take.wav", tmp_path)
    assert list(tmp_path.iterdir()) == []


@needs_fsspec
def test_google_is_asked_with_credentials_or_not_at_all(store: Store) -> None:
    assert read("gs://bucket/take.wav") == b"take"
    assert store.options["token"] == "google_default"


@needs_fsspec
def test_folder_for_the_copy_that_is_not_there(store: Store, tmp_path: Path) -> None:
    with pytest.raises(RemoteUnavailable, match=r"^no temporary file can be made for a copy: No such file"):
        read("made://take.wav", tmp_path / "none")


@needs_fsspec
@pytest.mark.parametrize("scheme", ["FILE", "file"])
def test_files_by_url(tmp_path: Path, scheme: str) -> None:
    place = tmp_path / "é a#b?c%20.wav"
    place.write_bytes(b"take")
    url = f"{scheme}://{place}"
    assert read(url) == b"take"
    before = remote.state(url)
    place.write_bytes(b"other")
    assert remote.state(url) != before
    with remote.open_binary(url) as opened:
        assert opened.read() == b"other"
    with pytest.raises(RemoteMissing, match=r"^it is not there$"):
        read(f"{scheme}://{tmp_path}/none.wav")
    with pytest.raises(RemoteMissing, match=r"^it is not there$"):
        remote.open_binary(f"{scheme}://{tmp_path}/none.wav")
    with pytest.raises(RemoteUnavailable, match=r"^it is a folder"):
        read(f"{scheme}://{tmp_path}")


@needs_fsspec
def test_memory() -> None:
    import fsspec

    memory = fsspec.filesystem("memory")
    memory.pipe("/clips/take.wav", b"take")
    try:
        assert read("memory://clips/take.wav") == b"take"
        assert remote.state("memory://clips/take.wav").startswith("size=4 created=")
    finally:
        memory.rm("/clips", recursive=True)


@needs_fsspec
@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("nonesuch://x/take.wav", "nothing here reads nonesuch://; use s3://, gs://, hf://, https:// or a file"),
        ("reference://x/take.wav", "reference:// needs more than a URL to be read; copy the files to a folder"),
    ],
)
def test_schemes_that_nothing_reads(url: str, said: str) -> None:
    for call in (remote.state, read, remote.open_binary):
        with pytest.raises(RemoteError) as caught:
            call(url)
        assert str(caught.value) == said


@pytest.mark.parametrize(
    ("url", "module", "command"),
    [
        ("s3://b/k", "s3fs", "pip install 'mediacheck[remote]'"),
        ("s3://b/k", "fsspec", "pip install 'mediacheck[remote]'"),
        ("https://example.org/k", "aiohttp", "pip install 'mediacheck[remote]'"),
        ("gs://b/k", "gcsfs", "pip install 'mediacheck[remote]' gcsfs"),
        ("hf://datasets/a/b/k", "huggingface_hub", "pip install 'mediacheck[remote]' huggingface_hub"),
    ],
)
def test_library_that_is_missing(url: str, module: str, command: str, tmp_path: Path) -> None:
    code = (
        f"import sys; sys.modules[{module!r}] = None\n"
        "from mediacheck.batch import remote, errors\n"
        f"try: remote.state({url!r})\n"
        "except errors.RemoteError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    scheme = url.partition(":")[0]
    assert done.stdout == f"reading {scheme}:// needs a library that is not installed; install it with: {command}\n"


@needs_fsspec
def test_reading_a_manifest_leaves_nothing_behind(tmp_path: Path) -> None:
    """Neither a library nor a thread that would keep workers from being forked."""
    (tmp_path / "manifest.jsonl").write_bytes(b"{}\n")
    code = (
        "import sys, threading\n"
        "from mediacheck.batch import remote\n"
        f"print(remote.open_binary('file://{tmp_path}/manifest.jsonl').read())\n"
        "print(threading.active_count(), sorted({'fsspec', 'asyncio', 'aiohttp', 'numpy'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "b'{}\\n'\n1 []\n"
