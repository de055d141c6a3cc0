"""Writing of a stream to one reader, with back pressure."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Final

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ops.base.http.long_responses import notify_revocation
from ops.base.http.protocol import connection_of
from query_api.feed.formats import Reason

GRACE_SECONDS: Final = 1.0
"""Time in which a reader can take the last bytes of a stream that must end."""


class StreamWriter:
    """Sends a stream no faster than its reader takes it, and knows when the stream must end.

    Memory holds one piece that is being sent, plus a few dozen kilobytes in the connection.

    Attributes:
        ended: why the stream must end, or None.
        wakeup: ends a `wait` when it is set.
    """

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, *, expires_at: float, stall_seconds: float
    ) -> None:
        """Wrap an ASGI connection.

        Args:
            expires_at: when the stream must end, in seconds since 1970.
            stall_seconds: time after which a reader that takes nothing is disconnected.
        """
        self.ended: Reason | None = None
        self.wakeup = asyncio.Event()
        self._scope = scope
        self._connection = connection_of(scope)
        self._receive = receive
        self._send = send
        self._expires_at = expires_at
        self._stall_seconds = stall_seconds
        self._sending = False
        self._disconnected = asyncio.Event()

    async def run(self, write: Callable[["StreamWriter"], Awaitable[bool]]) -> None:
        """Run a function that writes the stream; if it returns False, the response is cut short."""
        loop = asyncio.get_running_loop()
        watching = asyncio.create_task(self._watch())
        expiry = loop.call_later(max(0.0, self._expires_at - time.time()), self.stop, "expired")
        self._connection.on_ending(lambda: self.stop("stopping"))
        try:
            with notify_revocation(self._scope, lambda: self.stop("revoked")):
                is_complete = await write(self)
            if is_complete and not self._disconnected.is_set():
                await self._send({"type": "http.response.body", "body": b"", "more_body": False})
            else:
                await self._cut_short()
        finally:
            expiry.cancel()
            watching.cancel()

    def stop(self, reason: Reason) -> None:
        """Make the stream end; the first reason counts."""
        if self.ended is None:
            self.ended = reason
            self.wakeup.set()
            asyncio.get_running_loop().call_later(GRACE_SECONDS, self._abort_if_sending)

    async def send(self, piece: bytes) -> None:
        """Send a piece once the reader has taken most of the previous ones."""
        if not piece:
            return
        self._sending = True
        unsent = self._connection.unsent_bytes
        try:
            while True:
                try:
                    # uvicorn waits only before it writes, so after a time-out nothing of the piece was sent.
                    async with asyncio.timeout(GRACE_SECONDS if self.ended else self._stall_seconds):
                        await self._send({"type": "http.response.body", "body": piece, "more_body": True})
                    break
                except TimeoutError:
                    if self.ended or self._connection.unsent_bytes >= unsent:
                        self.stop("stalled")
                        self._connection.abort()
                        break
                    unsent = self._connection.unsent_bytes
        finally:
            self._sending = False

    async def wait(self, seconds: float) -> None:
        """Wait for `wakeup`, but not longer than a number of seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.wakeup.wait()

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._disconnected.set()
        self.stop("gone")

    async def _cut_short(self) -> None:
        self._connection.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_SECONDS):
                await self._disconnected.wait()
        self._connection.abort()
        await self._disconnected.wait()

    def _abort_if_sending(self) -> None:
        if self._sending:
            self._connection.abort()


class StreamResponse(Response):
    """A response whose body a function writes to a `StreamWriter`."""

    def __init__(
        self,
        write: Callable[[StreamWriter], Awaitable[bool]],
        *,
        expires_at: datetime,
        stall_seconds: float,
        headers: Mapping[str, str],
        media_type: str,
    ) -> None:
        self.status_code = 200
        self.media_type = media_type
        self.background = None
        self.init_headers(headers)
        self._write = write
        self._expires_at = expires_at.timestamp()
        self._stall_seconds = stall_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        writer = StreamWriter(
            scope, receive, send, expires_at=self._expires_at, stall_seconds=self._stall_seconds
        )
        await writer.run(self._write)
