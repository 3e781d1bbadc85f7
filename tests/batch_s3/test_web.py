"""Objects of plain web servers, which offer less than S3: some no length, some no ETag, some no HEAD."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mediacheck.batch import remote
from mediacheck.batch.remote import RemoteMissing, RemoteUnavailable
from tests.batch_s3.faulty import Fault, Faulty, serving
from tests.needs import needs_module

pytestmark = needs_module("aiohttp", "fsspec")

BODY = bytes(range(256)) * 800


def read(url: str, folder: Path | None = None) -> bytes:
    with remote.fetched(url, folder) as path:
        return path.read_bytes()


@pytest.fixture
def web() -> Iterator[Faulty]:
    with serving(Faulty(files={"/take.wav": BODY})) as server:
        yield server


@pytest.mark.parametrize("tags", [True, False])
@pytest.mark.parametrize("lengths", [True, False])
@pytest.mark.parametrize("head", [200, 403, 405, 500])
def test_servers_of_all_kinds(tags: bool, lengths: bool, head: int) -> None:
    with serving(Faulty(files={"/take.wav": BODY}, tags=tags, lengths=lengths, head=head)) as server:
        url = f"{server.url}/take.wav"
        assert read(url) == BODY
        # A length alone does not tell one recording from the next.
        assert ("ETag=" in remote.state(url)) is tags
        assert (remote.state(url) == "") is not tags
        server.files["/take.wav"] = BODY[::-1]
        assert read(url) == BODY[::-1]


def test_state_changes_with_the_bytes(web: Faulty) -> None:
    before = remote.state(f"{web.url}/take.wav")
    assert remote.state(f"{web.url}/take.wav") == before
    web.files["/take.wav"] = BODY[::-1]
    assert remote.state(f"{web.url}/take.wav") != before


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/a b.wav", "/a b.wav"), ("/a%20b.wav", "/a b.wav"), ("/é.wav", "/é.wav"), ("/a%23b.wav", "/a#b.wav"),
        ("/a%3Fb.wav", "/a?b.wav"), ("/100%25.wav", "/100%.wav"), ("/a+b.wav", "/a+b.wav"), ("/a%2Bb.wav", "/a+b.wav"),
        ("/a::b.wav", "/a::b.wav"), ("/take.wav?download=1#t=3", "/take.wav"),
    ],
)  # fmt: skip
def test_names(web: Faulty, path: str, name: str) -> None:
    web.files = {name: b"right", "/a": b"wrong"}
    with remote.fetched(web.url + path) as copy:
        assert copy.suffix == ".wav"
        assert copy.read_bytes() == b"right"


def test_redirect_is_followed(web: Faulty) -> None:
    web.moved["/latest.wav"] = "/take.wav"
    assert read(f"{web.url}/latest.wav") == BODY


@pytest.mark.parametrize("status", [404, 410])
def test_missing(web: Faulty, status: int) -> None:
    web.faults.extend([Fault(status=status)] * 2)
    with pytest.raises(RemoteMissing, match=r"^it is not there$"):
        read(f"{web.url}/take.wav")
    # HEAD and GET, once each: a server may refuse the one and answer the other.
    assert len(web.seen) == 2


@pytest.mark.parametrize(
    ("status", "clause"),
    [(401, "access was denied (401)"), (403, "access was denied (403)"), (418, "the server answered 418")],
)
def test_refused(web: Faulty, status: int, clause: str) -> None:
    web.faults.extend([Fault(status=status)] * 2)
    with pytest.raises(RemoteUnavailable) as caught:
        read(f"{web.url}/take.wav")
    assert str(caught.value) == clause
    assert len(web.seen) == 2


FAULTS = {
    "cut": (Fault(cut=70_000), "the connection broke off before the end"),
    "cut at once": (Fault(cut=0), "the connection broke off before the end"),
    "reset": (Fault(reset=70_000), "the connection broke off before the end"),
    "stall": (Fault(stall=70_000), "the server did not answer in time"),
    "too long": (Fault(longer=5), "the connection broke off before the end"),
    "too short": (Fault(longer=-5), "204,795 bytes came where 204,800 were stated"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_may_pass_is_tried_again(web: Faulty, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    fault, clause = FAULTS[name]
    url = f"{web.url}/take.wav"
    stalls = fault.stall is not None
    # Long enough for what goes well on a busy machine.
    monkeypatch.setattr(remote, "READ_TIMEOUT_S", 1.0 if stalls else 30.0)
    web.faults.extend([fault] * (1 if stalls else remote.TRIES - 1))
    assert read(url, tmp_path) == BODY
    assert not web.faults

    monkeypatch.setattr(remote, "READ_TIMEOUT_S", 0.15 if stalls else 30.0)
    web.faults.extend([fault] * remote.TRIES)
    with pytest.raises(RemoteUnavailable) as caught, remote.fetched(url, tmp_path):
        pytest.fail("a part of an object was handed out")
    assert str(caught.value) == f"{clause} (tried 4 times)"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_busy_server_is_tried_again(web: Faulty, status: int) -> None:
    # Each try asks twice: by HEAD, and where that fails by GET.
    web.faults.extend([Fault(status=status)] * 2 * (remote.TRIES - 1))
    assert read(f"{web.url}/take.wav") == BODY
    web.faults.extend([Fault(status=status)] * 2 * remote.TRIES)
    with pytest.raises(RemoteUnavailable, match=rf"^the server answered {status} \(tried 4 times\)$"):
        read(f"{web.url}/take.wav")


def test_overwritten_while_it_was_read(web: Faulty) -> None:
    web.faults.append(Fault(first=lambda: web.files.update({"/take.wav": BODY[::-1]})))
    assert read(f"{web.url}/take.wav") == BODY[::-1]
    assert web.count("GET") == 2


def test_nobody_listens() -> None:
    with Faulty() as closed:
        pass
    with pytest.raises(RemoteUnavailable, match=r"^the server cannot be reached \(tried 4 times\)$"):
        read(f"{closed.url}/take.wav")


def test_what_is_no_web_server(web: Faulty) -> None:
    """A port that speaks another protocol."""
    import socket
    import threading

    with socket.create_server(("127.0.0.1", 0)) as listening:
        stop = threading.Event()

        def speak() -> None:
            while not stop.is_set():
                connection, _ = listening.accept()
                with connection:
                    connection.sendall(b"220 mail.example.org ESMTP\r\n")

        thread = threading.Thread(target=speak, daemon=True)
        thread.start()
        with pytest.raises(RemoteUnavailable):
            read(f"http://127.0.0.1:{listening.getsockname()[1]}/take.wav")
        stop.set()
        socket.create_connection(listening.getsockname()).close()
        thread.join()
