"""The HTTP server's protocol: problems told for what is no request, and ends for long answers."""

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

    The server writes an answer's head and its body one after the other. If it is killed in between, the
    gateway has passed on the head, and cannot retry at another server: the fault tests that kill servers
    under load need this.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        """Join writes.

        Args:
            transport: where they go.
            loop: whose turn's end is what a write waits for at most.
        """
        self._transport = transport
        self._loop = loop
        self._held = b""

    def __getattr__(self, name: str) -> Any:
        """All the rest is the transport's."""
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send what is held and this, or hold this."""
        if not self._held:
            self._held = data
            self._loop.call_soon(self._send_held)
        elif data:
            held, self._held = self._held, b""
            self._transport.writelines((held, data))

    def get_write_buffer_size(self) -> int:
        """Return how many bytes the system has not taken yet."""
        return self._transport.get_write_buffer_size() + len(self._held)

    def close(self) -> None:
        """Close when everything has been sent."""
        self._send_held()
        self._transport.close()

    def abort(self) -> None:
        """Close at once; what is held is not sent."""
        self._held = b""
        self._transport.abort()

    def _send_held(self) -> None:
        held, self._held = self._held, b""
        if held:
            self._transport.write(held)


_NOT_HTTP: Final = Problem(400, "invalid-request", "The request is not well-formed HTTP.")


_EXTENSION: Final = "fleetlog.connection"


class Connection:
    """The connection that a request came on, as far as an answer that lasts must know of it.

    Attributes:
        ending: whether the answer had better end: the server is about to stop, or the client has gone.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self.ending = False
        self._transport = transport
        self._on_ending: Callable[[], None] | None = None

    @property
    def unsent_bytes(self) -> int:
        """How much of what was sent has not been taken by the system, so far."""
        return self._transport.get_write_buffer_size()

    def close(self) -> None:
        """End it when all that was sent is on its way; an answer without its end is seen to be cut short."""
        self._transport.close()

    def abort(self) -> None:
        """End it now, whatever was sent."""
        self._transport.abort()

    def on_ending(self, callback: Callable[[], None]) -> None:
        """Have something called when the answer had better end."""
        self._on_ending = callback

    def tell_ending(self) -> None:
        """Tell that the answer had better end."""
        self.ending = True
        if self._on_ending is not None:
            self._on_ending()


def connection_of(scope: Scope) -> Connection:
    """Return the connection of a request that `ProblemProtocol` has received."""
    connection: Connection = scope["extensions"][_EXTENSION]
    return connection


class ProblemProtocol(HttpToolsProtocol):
    """uvicorn's own protocol; its plain text for malformed requests is replaced, and answers know their end.

    nginx passes on what this parser refuses, such as control characters in headers. An answer that lasts for
    ever would otherwise hold up a shutdown until the server loses its patience.
    """

    _connection: Connection | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection."""
        super().connection_made(transport)
        self.transport = cast("asyncio.Transport", JoinedWrites(transport, self.loop))

    def on_message_begin(self) -> None:
        """Begin a request."""
        super().on_message_begin()
        self._connection = Connection(self.transport)
        self.scope["extensions"] = {_EXTENSION: self._connection}  # type: ignore[dict-item]

    def on_headers_complete(self) -> None:
        """Take a request's head."""
        super().on_headers_complete()
        state = self.server_state
        if self.cycle is not None and isinstance(state, DrainingState) and state.is_draining:
            self.cycle.keep_alive = False

    def shutdown(self) -> None:
        """Let the answer that is under way end, and then the connection."""
        super().shutdown()
        if self._connection is not None:
            self._connection.tell_ending()

    def connection_lost(self, exc: Exception | None) -> None:
        """Let the answer that is under way end: nobody is there to take it."""
        super().connection_lost(exc)
        if self._connection is not None:
            self._connection.tell_ending()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - may quote the request
        """Refuse what is not HTTP, and close the connection."""
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
