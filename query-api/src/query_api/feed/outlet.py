"""The way out to one reader of a stream."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Final

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ops.base.http.protocol import connection_of
from ops.base.sign_in.long_responses import notify_revocation
from query_api.feed.formats import Reason

GRACE_SECONDS: Final = 1.0
"""For what was sent to be taken, once a stream must end."""


class Outlet:
    """Sends to one reader no faster than they take it, and knows when the stream must end.

    It holds no more than one piece that is being sent; the connection holds a few dozen kilobytes.

    Attributes:
        ended: why the stream must end; None: it goes on.
        bell: ends a wait when it is set.
    """

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, *, expires_at: float, stall_seconds: float
    ) -> None:
        """Prepare to send.

        Args:
            scope: the request's.
            receive: tells when the reader has gone.
            send: sends to them.
            expires_at: seconds since 1970 until which they may read.
            stall_seconds: after which who takes nothing is cut off.
        """
        self.ended: Reason | None = None
        self.bell = asyncio.Event()
        self._scope = scope
        self._connection = connection_of(scope)
        self._receive = receive
        self._send = send
        self._expires_at = expires_at
        self._stall_seconds = stall_seconds
        self._sending = False
        self._gone = asyncio.Event()

    async def run(self, write: Callable[["Outlet"], Awaitable[bool]]) -> None:
        """Let a stream be written.

        Args:
            write: writes it, and returns whether it is whole; if not, the answer is cut short.
        """
        loop = asyncio.get_running_loop()
        watching = asyncio.create_task(self._watch())
        expiry = loop.call_later(max(0.0, self._expires_at - time.time()), self.stop, "expired")
        self._connection.on_ending(lambda: self.stop("stopping"))
        try:
            with notify_revocation(self._scope, lambda: self.stop("revoked")):
                whole = await write(self)
            if whole and not self._gone.is_set():
                await self._send({"type": "http.response.body", "body": b"", "more_body": False})
            else:
                await self._break_off()
        finally:
            expiry.cancel()
            watching.cancel()

    def stop(self, reason: Reason) -> None:
        """Have the stream end; it stays at the first reason."""
        if self.ended is None:
            self.ended = reason
            self.bell.set()
            asyncio.get_running_loop().call_later(GRACE_SECONDS, self._abort_if_sending)

    async def send(self, piece: bytes) -> None:
        """Send a piece, as soon as most of what came before has been taken."""
        if not piece:
            return
        body: bytes = piece
        self._sending = True
        unsent = self._connection.unsent_bytes
        try:
            while True:
                try:
                    async with asyncio.timeout(GRACE_SECONDS if self.ended else self._stall_seconds):
                        await self._send({"type": "http.response.body", "body": body, "more_body": True})
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
        """Wait until the bell rings, but not for longer than so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.bell.wait()

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._gone.set()
        self.stop("gone")

    async def _break_off(self) -> None:
        self._connection.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_SECONDS):
                await self._gone.wait()
        self._connection.abort()
        await self._gone.wait()

    def _abort_if_sending(self) -> None:
        if self._sending:
            self._connection.abort()


class Streamed(Response):
    """An answer that is written to an outlet."""

    def __init__(
        self,
        write: Callable[[Outlet], Awaitable[bool]],
        *,
        expires_at: datetime,
        stall_seconds: float,
        headers: Mapping[str, str],
        media_type: str,
    ) -> None:
        """Describe the answer; see `Outlet`."""
        self.status_code = 200
        self.media_type = media_type
        self.background = None
        self.init_headers(headers)
        self._write = write
        self._expires_at = expires_at.timestamp()
        self._stall_seconds = stall_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        outlet = Outlet(scope, receive, send, expires_at=self._expires_at, stall_seconds=self._stall_seconds)
        await outlet.run(self._write)
