"""Answers that leave in one piece, so that a server that is killed leaves all of one behind, or nothing."""

import asyncio
from typing import Any


class JoinedWrites:
    """A transport that sends a write together with the next one, or without it if none comes soon.

    The server writes an answer's head and its body one after the other. If it were killed in between, the
    gateway would have passed the head on, and could not ask another server any more.
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
