"""The gateway writes no part of a request or an answer to disk, however slow its clients are."""

import http.client
import select
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import ClassVar

import psutil
import pytest

from ops.testing.conditions import wait_for
from ops.testing.gateway import Gateway, Handler, http_server, running_nginx

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="open files are read from /proc")

ANSWER_BYTES = 128 * 1024 * 1024
"""Far more than sockets hold: on Linux, up to 32 megabytes of received data each."""
PIECE = b"p" * 64 * 1024
MOST_AHEAD = ANSWER_BYTES // 2
"""Bytes that kernel and nginx may hold between service and client."""
API = "/api/v1/drivers"


class Large(Handler):
    """Reads the whole request, then answers with far more than fits into sockets and buffers."""

    sent: ClassVar[int] = 0
    received: ClassVar[list[int]] = []

    def answer(self) -> None:
        # nginx has joined the chunks, so the body has a length.
        self.received.append(len(self.rfile.read(int(self.headers.get("Content-Length", 0)))))
        self.send_response(200)
        self.send_header("Content-Length", str(ANSWER_BYTES))
        self.end_headers()
        for _ in range(0, ANSWER_BYTES, len(PIECE)):
            self.wfile.write(PIECE)
            Large.sent += len(PIECE)

    do_GET = do_POST = answer  # noqa: N815


def open_files(gateway: Gateway, folder: Path) -> list[str]:
    """Return the files that nginx has open in its folder, including those that are deleted already."""
    master = psutil.Process(gateway.process.pid)
    links = [
        str(descriptor.readlink())
        for process in (master, *master.children(recursive=True))
        for descriptor in Path(f"/proc/{process.pid}/fd").iterdir()
        if descriptor.is_symlink()
    ]
    return [link for link in links if link.startswith(str(folder))]


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Gateway]:
    Large.sent = 0
    Large.received.clear()
    with http_server(Large) as server, running_nginx(tmp_path, server) as gateway:
        yield gateway


@pytest.mark.parametrize(
    ("path", "method"),
    [(API, "GET"), (API, "POST"), ("/openapi/query.json", "GET"), ("/oauth/token", "POST")],
)
def test_a_slow_client_slows_down_the_service(
    gateway: Gateway, tmp_path: Path, path: str, method: str
) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=60)
    with closing(connection):
        connection.connect()
        connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, len(PIECE))
        connection.request(method, path)
        answer = connection.getresponse()
        received = 0
        for _ in range(20):
            received += len(answer.read(16 * 1024))
            time.sleep(0.01)  # a slow client; the assertions hold at any speed
            assert open_files(gateway, tmp_path) == []
            assert Large.sent - received < MOST_AHEAD
        while piece := answer.read(1024 * 1024):
            received += len(piece)
    assert received == ANSWER_BYTES


@contextmanager
def sending_chunks(gateway: Gateway, *, chunks: int, size: int) -> Iterator[socket.socket]:
    """Send a body in chunks, all but its end."""
    head = f"POST {API} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"%x\r\n%s\r\n" % (size, b"x" * size)
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=60) as connection:
        connection.sendall(head.encode() + chunk * chunks)
        yield connection


def status_of(connection: socket.socket) -> int:
    answer = http.client.HTTPResponse(connection)
    answer.begin()
    return answer.status


@pytest.mark.parametrize(("chunks", "size"), [(1, 300_000), (40, 8 * 1024), (20_000, 8)])
def test_chunked_bodies_reach_the_service(gateway: Gateway, chunks: int, size: int) -> None:
    with sending_chunks(gateway, chunks=chunks, size=size) as connection:
        connection.sendall(b"0\r\n\r\n")
        assert status_of(connection) == 200
    assert Large.received == [chunks * size]


def test_an_oversized_body_is_refused_and_not_written_to_disk(gateway: Gateway, tmp_path: Path) -> None:
    """Small chunks take many times their content: 200 kB are 1.2 MB here."""
    with sending_chunks(gateway, chunks=200_000, size=1) as connection:
        wait_for(lambda: open_files(gateway, tmp_path) != [] or has_answer(connection))
        assert open_files(gateway, tmp_path) == []
        assert status_of(connection) == 503
    assert Large.received == []


def has_answer(connection: socket.socket) -> bool:
    readable, _, _ = select.select([connection], [], [], 0)
    return bool(readable)
