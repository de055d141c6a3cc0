"""HTTP requests with headers of arbitrary bytes, which other clients refuse to send."""

import http.client
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class BareAnswer:
    status: int
    headers: http.client.HTTPMessage
    content: bytes


def request_bytes(
    origin: str, method: str, path: str, headers: Iterable[tuple[bytes, bytes]], content: bytes = b""
) -> BareAnswer:
    """Send a request on a new connection, and return its complete answer."""
    parts = urlsplit(origin)
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)) as connection:
        connection.putrequest(method, path, skip_accept_encoding=True)
        connection.putheader("Content-Length", str(len(content)))
        connection.putheader("Content-Type", "application/json")
        for name, value in headers:
            connection.putheader(name, value)
        with suppress(BrokenPipeError, ConnectionResetError):
            # The server may answer and close before it has read everything.
            connection.endheaders(content)
        answer = connection.getresponse()
        return BareAnswer(answer.status, answer.headers, answer.read())
