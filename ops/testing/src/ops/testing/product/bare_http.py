"""HTTP requests whose headers are any bytes, over connections that are kept while the server keeps them."""

import http.client
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit


@dataclass(frozen=True)
class BareAnswer:
    """An answer as it came."""

    status: int
    headers: http.client.HTTPMessage
    content: bytes


class BareClient:
    """Sends what other clients refuse to send; a connection that the server closes is opened anew."""

    def __init__(self, origin: str) -> None:
        """Prepare to talk to `origin`, such as `http://localhost:8080`."""
        parts = urlsplit(origin)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)

    def __enter__(self) -> Self:
        """Use it as a context manager."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        self._connection.close()

    def request(
        self, method: str, path: str, headers: tuple[tuple[bytes, bytes], ...], content: bytes = b""
    ) -> BareAnswer:
        """Send a request and read its answer whole.

        Raises:
            OSError, http.client.HTTPException: twice in a row there was no answer.
        """
        try:
            return self._send(method, path, headers, content)
        except (OSError, http.client.HTTPException):
            # The server may close a kept connection just when it is used, or answer before it has read all.
            self._connection.close()
            return self._send(method, path, headers, content)

    def _send(
        self, method: str, path: str, headers: tuple[tuple[bytes, bytes], ...], content: bytes
    ) -> BareAnswer:
        connection = self._connection
        connection.putrequest(method, path, skip_accept_encoding=True)
        connection.putheader("Content-Length", str(len(content)))
        connection.putheader("Content-Type", "application/json")
        for name, value in headers:
            connection.putheader(name, value)
        with suppress(BrokenPipeError, ConnectionResetError):
            # The server may have had enough before all was sent; its answer is there all the same.
            connection.endheaders(content)
        with connection.getresponse() as response:
            return BareAnswer(response.status, response.headers, response.read())
