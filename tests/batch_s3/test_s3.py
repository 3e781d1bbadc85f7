"""Objects of a real S3 API: whole or with the reason why not, whatever happens on the way."""

from __future__ import annotations

import os
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from mediacheck.batch import remote
from mediacheck.batch.remote import RemoteMissing, RemoteUnavailable
from mediacheck.workers import Pool, WorkerFailure
from tests.batch_s3.conftest import BUCKET, KEY, SECRET
from tests.batch_s3.faulty import Fault, Faulty
from tests.needs import needs_module

pytestmark = [needs_module("boto3", "moto", "s3fs"), pytest.mark.xdist_group("s3")]

BODY = bytes(range(256)) * 800
URL = f"s3://{BUCKET}/take.wav"


def put(store: Any, key: str = "take.wav", body: bytes = BODY) -> None:
    store.put_object(Bucket=BUCKET, Key=key, Body=body)


def read(url: str = URL, folder: Path | None = None) -> bytes:
    with remote.fetched(url, folder) as path:
        return path.read_bytes()


def test_whole_object_in_a_file_that_goes_away(store: Any, tmp_path: Path) -> None:
    put(store)
    with remote.fetched(URL, tmp_path) as path:
        assert path.parent == tmp_path
        assert path.suffix == ".wav"
        assert path.read_bytes() == BODY
    assert list(tmp_path.iterdir()) == []


def test_file_goes_away_when_its_user_fails(store: Any, tmp_path: Path) -> None:
    put(store)
    with pytest.raises(ZeroDivisionError), remote.fetched(URL, tmp_path):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_empty_object(store: Any) -> None:
    put(store, body=b"")
    assert read() == b""


@pytest.mark.parametrize(
    "key",
    [
        "two words.wav", "é/ü 音.wav", "a#b.wav", "a?b.wav", "100%.wav", "a%20b.wav", "a+b.wav", "a::b.wav",
        "e*[1].wav", "a&b=c.wav", "a//b.wav", "a@b:c.wav", "no-suffix", "odd.wav?x",
    ],
)  # fmt: skip
def test_names_of_keys(store: Any, key: str) -> None:
    put(store, key, key.encode())
    # What a wrongly read name would find instead.
    put(store, "a", b"another")
    put(store, "a b.wav", b"another")
    assert read(f"s3://{BUCKET}/{key}") == key.encode()


def test_state_changes_with_the_bytes_and_only_then(store: Any) -> None:
    put(store)
    before = remote.state(URL)
    assert before.startswith(f"size={len(BODY)} ETag=")
    put(store)
    assert remote.state(URL) == before
    put(store, body=BODY[::-1])
    assert remote.state(URL) != before


@pytest.mark.parametrize("url", [f"s3://{BUCKET}/none.wav", "s3://no-such-bucket-here/take.wav"])
def test_missing(proxy: Faulty, tmp_path: Path, url: str) -> None:
    with pytest.raises(RemoteMissing):
        read(url, tmp_path)
    assert list(tmp_path.iterdir()) == []
    # Asked once: the key, and whether it is a folder.
    assert len(proxy.seen) == 2
    with pytest.raises(RemoteMissing):
        remote.state(url)
    with pytest.raises(RemoteMissing):
        remote.open_binary(url)


def test_missing_bucket_is_named_as_such(store: Any) -> None:
    with pytest.raises(RemoteMissing, match=r"^there is no such bucket$"):
        read("s3://no-such-bucket-here/take.wav")


def test_folder_is_no_file(store: Any) -> None:
    put(store, "clips/take.wav")
    with pytest.raises(RemoteUnavailable, match=r"^it is a folder"):
        read(f"s3://{BUCKET}/clips")


def test_bucket_name_that_cannot_be(store: Any) -> None:
    with pytest.raises(RemoteUnavailable, match=r"^the URL is not a valid one$"):
        read("s3://NO BUCKET!/take.wav")


FAULTS = {
    "503": (Fault(status=503), "the server answered 503"),
    "500": (Fault(status=500), "the server answered 500"),
    "429": (Fault(status=429), "the server answered 429"),
    "cut": (Fault(cut=70_000), "the connection broke off before the end"),
    "cut at once": (Fault(cut=0), "the connection broke off before the end"),
    "reset": (Fault(reset=70_000), "the connection broke off before the end"),
    "stall": (Fault(stall=70_000), "the server did not answer in time"),
    "too long": (Fault(longer=5), "the connection broke off before the end"),
    "too short": (Fault(longer=-5), "the bytes that came do not fit their checksum"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_may_pass_is_tried_again(
    store: Any, proxy: Faulty, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    put(store)
    fault, clause = FAULTS[name]
    stalls = fault.stall is not None
    # Long enough for what goes well on a busy machine.
    monkeypatch.setattr(remote, "READ_TIMEOUT_S", 1.0 if stalls else 30.0)
    proxy.faults.extend([fault] * (1 if stalls else remote.TRIES - 1))
    assert read(folder=tmp_path) == BODY
    assert not proxy.faults

    monkeypatch.setattr(remote, "READ_TIMEOUT_S", 0.15 if stalls else 30.0)
    proxy.faults.extend([fault] * remote.TRIES)
    proxy.seen.clear()
    with pytest.raises(RemoteUnavailable) as caught, remote.fetched(URL, tmp_path):
        pytest.fail("a part of an object was handed out")
    assert str(caught.value) == f"{clause} (tried 4 times)"
    # Neither botocore nor s3fs tries again on its own.
    assert max(proxy.count("GET"), proxy.count("HEAD")) == remote.TRIES
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("new_file_systems")
def test_nobody_listens(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with Faulty() as closed:
        monkeypatch.setenv("AWS_ENDPOINT_URL", closed.url)
    with pytest.raises(RemoteUnavailable, match=r"^the server cannot be reached \(tried 4 times\)$"):
        read()


@pytest.mark.parametrize("body", [BODY[::-1], BODY + b"more", BODY[:-1]], ids=["same size", "longer", "shorter"])
def test_overwritten_between_the_look_and_the_read(store: Any, proxy: Faulty, body: bytes) -> None:
    put(store)
    proxy.faults.append(Fault(first=lambda: put(store, body=body)))
    assert read() == body
    assert proxy.count("GET") == 2


def test_overwritten_again_and_again(store: Any, proxy: Faulty) -> None:
    put(store)
    bodies = iter(bytes([number]) * len(BODY) for number in range(10))
    proxy.faults.extend([Fault(first=lambda: put(store, body=next(bodies)))] * remote.TRIES)
    with pytest.raises(RemoteUnavailable, match=r"^it changed while it was read \(tried 4 times\)$"):
        read()


def test_deleted_between_the_look_and_the_read(store: Any, proxy: Faulty) -> None:
    put(store)
    proxy.faults.append(Fault(first=lambda: store.delete_object(Bucket=BUCKET, Key="take.wav")))
    with pytest.raises(RemoteMissing):
        read()


def test_refused(store: Any, proxy: Faulty) -> None:
    put(store)
    proxy.faults.append(Fault(status=403))
    with pytest.raises(RemoteUnavailable, match=r"^access was denied \(403\)$"):
        read()
    assert len(proxy.seen) == 1


def check_keys(proxy: Faulty, *, after: bytes) -> None:
    """From how many requests on moto looks at who asks."""
    assert proxy.upstream is not None
    host, port = proxy.upstream
    headers = {"Content-Type": "text/plain"}
    request = urllib.request.Request(f"http://{host}:{port}/moto-api/reset-auth", data=after, headers=headers)
    urllib.request.urlopen(request).close()


def test_wrong_key(store: Any, proxy: Faulty) -> None:
    put(store)
    check_keys(proxy, after=b"0")
    try:
        with pytest.raises(RemoteUnavailable) as caught:
            read()
    finally:
        check_keys(proxy, after=b"inf")
    assert str(caught.value) == "access was denied (403)"
    assert read() == BODY


@pytest.mark.usefixtures("new_file_systems")
def test_no_key_is_no_leave_to_ask_without(store: Any, proxy: Faulty, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(RemoteUnavailable, match=r"^no credentials were found for it$"):
        read()
    assert proxy.seen == []


def test_secrets_stand_nowhere(store: Any, proxy: Faulty, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in the message, and not in what a traceback prints either."""
    import traceback

    put(store)
    signed = store.generate_presigned_url("get_object", Params={"Bucket": BUCKET, "Key": "none.wav"})
    assert KEY in signed
    signature = signed.partition("Signature=")[2].partition("&")[0]
    host = proxy.url.removeprefix("http://")
    path = signed.partition("://")[2].partition("/")[2]
    printed = []
    for url, fault in (
        (f"http://user:hunter2@{host}/{path}", Fault()),
        (f"http://user:hunter2@{host}/{path}", Fault(status=403)),
        (URL, Fault(status=403)),
        (URL, Fault(cut=9)),
    ):
        proxy.faults.extend([fault] * 8)
        try:
            read(url)
        except Exception as error:
            printed.append("".join(traceback.format_exception(error)))
        proxy.faults.clear()
    assert len(printed) == 4
    for secret in (KEY, SECRET, signature, "hunter2", "Signature", host):
        assert all(secret not in text for text in printed), secret


def test_presigned_url(store: Any) -> None:
    put(store, "two words.wav")
    signed = store.generate_presigned_url("get_object", Params={"Bucket": BUCKET, "Key": "two words.wav"})
    with remote.fetched(signed) as path:
        assert path.suffix == ".wav"
        assert path.read_bytes() == BODY


def test_manifest_is_read_in_another_process(store: Any) -> None:
    put(store, "manifest.jsonl", b'{"id": "a"}\n' * 3)
    with remote.open_binary(f"s3://{BUCKET}/manifest.jsonl") as lines:
        assert lines.readlines() == [b'{"id": "a"}\n'] * 3
        assert lines.seek(0) == 0
        assert lines.readline() == b'{"id": "a"}\n'
        assert not Path(lines.name).exists()


def fetch_in_worker(url: str) -> tuple[int, bytes, str]:
    with remote.fetched(url) as path:
        return os.getpid(), path.read_bytes(), remote.state(url)


@pytest.mark.parametrize("started", ["fork", "spawn"])
def test_workers_side_by_side(store: Any, monkeypatch: pytest.MonkeyPatch, started: str) -> None:
    """Forked from a process whose own file system is in use, too: fsspec's thread does not come along."""
    import multiprocessing

    from mediacheck import workers

    context = multiprocessing.get_context(started)
    monkeypatch.setattr(workers, "_context", lambda: context)
    bodies = {f"s3://{BUCKET}/{number}.wav": bytes([number]) * 1000 for number in range(12)}
    for url, body in bodies.items():
        put(store, url.rpartition("/")[2], body)
    urls = [*bodies, f"s3://{BUCKET}/none.wav"]
    read(urls[0])
    with Pool(fetch_in_worker, jobs=3, timeout_s=30, memory_bytes=2 << 30) as pool:
        outcomes = dict(pool.run(urls))
    missing = outcomes.pop(len(bodies))
    assert isinstance(missing, WorkerFailure)
    assert isinstance(missing.error, RemoteMissing)
    assert [outcomes[index][1] for index in range(len(bodies))] == list(bodies.values())
    assert os.getpid() not in {outcome[0] for outcome in outcomes.values()}


def fetch_with_little_room(url: str) -> str:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    try:
        read(url)
    except RemoteUnavailable as error:
        return str(error)
    return "read"


@pytest.mark.parametrize("scheme", ["s3", "http"])
def test_no_space_for_the_copy(store: Any, scheme: str) -> None:
    put(store)
    signed = store.generate_presigned_url("get_object", Params={"Bucket": BUCKET, "Key": "take.wav"})
    url = URL if scheme == "s3" else signed
    with Pool(fetch_with_little_room, timeout_s=30) as pool:
        assert list(pool.run([url])) == [(0, "there is no space left for a temporary copy")]


def memory_to_fetch(url: str) -> tuple[int, int]:
    import tracemalloc

    remote.state(url)
    tracemalloc.start()
    with remote.fetched(url) as path:
        return path.stat().st_size, tracemalloc.get_traced_memory()[1]


def test_large_object_takes_little_memory(store: Any) -> None:
    """s3fs reads what is larger than 50 MB in parts side by side, each held in memory, unless told otherwise."""
    size = 60 << 20
    put(store, body=bytes(size))
    with Pool(memory_to_fetch, timeout_s=30) as pool:
        ((_, (came, peak)),) = pool.run([URL])
    assert came == size
    # Less than half of it: the interpreter's own table of interned strings may be made anew meanwhile, at 8 MB.
    assert peak < size / 2
