"""A server on loopback that fails as it is told: in front of another server, or with files of its own."""

from __future__ import annotations

import gzip
import hashlib
import http.client
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

LONGEST_STALL_S = 5.0
BUSY = b"<?xml version='1.0'?><Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>"


@dataclass(frozen=True)
class Fault:
    """What happens to one request; the defaults are harmless."""

    status: int | None = None
    """Answer with it, and nothing else."""
    cut: int | None = None
    """Close the connection after so many bytes of the body."""
    reset: int | None = None
    """Reset the connection after so many bytes of the body."""
    stall: int | None = None
    """Send nothing more after so many bytes of the body."""
    longer: int = 0
    """State so many bytes more than there are, or fewer, and send what there is."""
    first: Callable[[], object] | None = None
    """Called before the request is answered."""


class Handler(BaseHTTPRequestHandler):
    server: Faulty
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _answer(self) -> None:
        own = self.server
        with own.lock:
            own.seen.append(f"{self.command} {self.path}")
            # A fault waits for a request that has a body to break, unless it is a status.
            fault = Fault()
            if own.faults and (self.command == "GET" or own.faults[0].status):
                fault = own.faults.popleft()
        if fault.first is not None:
            fault.first()
        if fault.status is not None:
            return self._send(fault.status, [("Content-Type", "application/xml")], BUSY, Fault())
        status, headers, body = own.forward(self) if own.upstream else own.stored(self)
        self._send(status, headers, body, fault)

    def _send(self, status: int, headers: list[tuple[str, str]], body: bytes, fault: Fault) -> None:
        stated = {name.lower() for name, _ in headers}
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() == "content-length" and fault.longer:
                value = str(int(value) + fault.longer)
            self.send_header(name, value)
        if "content-length" not in stated and "transfer-encoding" not in stated and self.server.lengths:
            self.send_header("Content-Length", str(len(body) + fault.longer))
        self.close_connection = True
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command == "HEAD":
            return
        ends = [end for end in (fault.cut, fault.reset, fault.stall) if end is not None]
        self.wfile.write(body[: ends[0]] if ends else body)
        self.wfile.flush()
        if fault.stall is not None:
            self.server.over.wait(LONGEST_STALL_S)
        if fault.reset is not None:
            # To linger for no time is to reset.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()


class Faulty(ThreadingHTTPServer):
    """Each request takes the next of ``faults``; when none is left, all goes well."""

    daemon_threads = True

    def __init__(
        self,
        upstream: tuple[str, int] | None = None,
        files: dict[str, bytes] | None = None,
        *,
        tags: bool = True,
        lengths: bool = True,
        head: int = 200,
    ) -> None:
        """Listen on a free port.

        Args:
            upstream: host and port that requests are forwarded to.
            files: what it serves itself, by decoded path.
            tags: whether it states an ETag.
            lengths: whether it states a Content-Length; without, a body ends with its connection.
            head: what it answers to HEAD; 200: as it should.
        """
        super().__init__(("127.0.0.1", 0), Handler)
        self.upstream = upstream
        self.files = files or {}
        self.tags = tags
        self.lengths = lengths
        self.head = head
        self.moved: dict[str, str] = {}
        """Redirects, from path to path."""
        self.faults: deque[Fault] = deque()
        self.seen: list[str] = []
        self.lock = threading.Lock()
        self.over = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is what the tests are about."""

    def count(self, method: str) -> int:
        return sum(line.startswith(f"{method} ") for line in self.seen)

    def forward(self, handler: Handler) -> tuple[int, list[tuple[str, str]], bytes]:
        assert self.upstream is not None
        connection = http.client.HTTPConnection(*self.upstream, timeout=10)
        try:
            connection.putrequest(handler.command, handler.path, skip_host=True, skip_accept_encoding=True)
            for name, value in handler.headers.items():
                if name.lower() != "connection":
                    connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            body = answer.read()
            kept = [pair for pair in answer.getheaders() if pair[0].lower() not in ("connection", "transfer-encoding")]
            return answer.status, kept, body
        finally:
            connection.close()

    def stored(self, handler: Handler) -> tuple[int, list[tuple[str, str]], bytes]:
        if handler.command == "HEAD" and self.head != 200:
            return self.head, [], b""
        if target := self.moved.get(handler.path):
            return 302, [("Location", target)], b""
        body = self.files.get(unquote(urlsplit(handler.path).path))
        if body is None:
            return 404, [], b"no such file"
        headers = [("ETag", f'"{hashlib.md5(body).hexdigest()}"')] if self.tags else []
        # As servers do that are set up for web pages.
        if "gzip" in handler.headers.get("Accept-Encoding", ""):
            return 200, [*headers, ("Content-Encoding", "gzip")], gzip.compress(body)
        return 200, headers, body


@contextmanager
def serving(server: Faulty) -> Iterator[Faulty]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
        thread.join()
