"""The HTTP server's protocol: problem documents for malformed requests, and shutdown of long answers."""

import asyncio
import json
import uuid
from collections.abc import Callable
from typing import Any, Final, cast

from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ops.base.http.draining import DrainingState
from ops.base.http.problems import MEDIA_TYPE, Problem, problem_document


class JoinedWrites:
    """A transport that sends a write together with the next one, or without it if none comes soon.

    The server writes head and body of an answer separately. If it were killed in between, the gateway would
    have forwarded the head, and could not retry at another server.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        """Wrap a transport; a write waits at most for the next iteration of the loop."""
        self._transport = transport
        self._loop = loop
        self._held = b""

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the transport."""
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send the held data and this, or hold this."""
        if not self._held:
            self._held = data
            self._loop.call_soon(self._send_held)
        elif data:
            held, self._held = self._held, b""
            self._transport.writelines((held, data))

    def get_write_buffer_size(self) -> int:
        """Return the number of unsent bytes."""
        return self._transport.get_write_buffer_size() + len(self._held)

    def close(self) -> None:
        """Close after sending everything."""
        self._send_held()
        self._transport.close()

    def abort(self) -> None:
        """Close at once, and discard held data."""
        self._held = b""
        self._transport.abort()

    def _send_held(self) -> None:
        held, self._held = self._held, b""
        if held:
            self._transport.write(held)


_NOT_HTTP: Final = Problem(400, "invalid-request", "The request is not well-formed HTTP.")


_EXTENSION: Final = "fleetlog.connection"


class Connection:
    """The connection of a request, for long answers.

    Attributes:
        ending: whether the answer should end, because the server shuts down or the client has disconnected.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self.ending = False
        self._transport = transport
        self._on_ending: Callable[[], None] | None = None

    @property
    def unsent_bytes(self) -> int:
        """The number of unsent bytes."""
        return self._transport.get_write_buffer_size()

    def close(self) -> None:
        """Close after sending all data; clients detect an incomplete answer."""
        self._transport.close()

    def abort(self) -> None:
        """Close at once."""
        self._transport.abort()

    def on_ending(self, callback: Callable[[], None]) -> None:
        """Register a function to call when the answer should end."""
        self._on_ending = callback

    def request_end(self) -> None:
        """Request the end of the answer."""
        self.ending = True
        if self._on_ending is not None:
            self._on_ending()


def connection_of(scope: Scope) -> Connection:
    """Return the connection of a request."""
    connection: Connection = scope["extensions"][_EXTENSION]
    return connection


class ProblemProtocol(HttpToolsProtocol):
    """uvicorn's protocol with problem documents for malformed requests, and with a shutdown of long answers.

    nginx forwards some requests that this parser refuses, such as control characters in headers. Endless
    answers would otherwise delay a shutdown until its deadline.
    """

    _connection: Connection | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Handle a new connection."""
        super().connection_made(transport)
        self.transport = cast("asyncio.Transport", JoinedWrites(transport, self.loop))

    def on_message_begin(self) -> None:
        """Handle the start of a request."""
        super().on_message_begin()
        self._connection = Connection(self.transport)
        self.scope["extensions"] = {_EXTENSION: self._connection}  # type: ignore[dict-item]

    def on_headers_complete(self) -> None:
        """Handle the head of a request."""
        super().on_headers_complete()
        state = self.server_state
        if self.cycle is not None and isinstance(state, DrainingState) and state.is_draining:
            self.cycle.keep_alive = False

    def shutdown(self) -> None:
        """Shut down after the current answer."""
        super().shutdown()
        if self._connection is not None:
            self._connection.request_end()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the current answer: the client has disconnected."""
        super().connection_lost(exc)
        if self._connection is not None:
            self._connection.request_end()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - may quote the request
        """Refuse a malformed request, and close the connection."""
        request_id = uuid.uuid4().hex
        body = json.dumps(problem_document(_NOT_HTTP, request_id)).encode()
        head = (
            "HTTP/1.1 400 Bad Request\r\n"
            f"content-type: {MEDIA_TYPE}\r\n"
            f"content-length: {len(body)}\r\n"
            f"x-request-id: {request_id}\r\n"
            "connection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()
