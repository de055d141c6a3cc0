"""Ending a server so that nobody who still comes is turned away.

Balancers learn in two ways that a server is about to go: some ask `/readyz`, others (nginx) notice that it
takes no more connections, and both keep connections open between requests. So after SIGTERM a server says
first that it is not ready, then takes no more connections, and goes on answering on those that are there,
each answer being the last one of its connection. Only what is left at the end of that time is closed.
"""

import asyncio
import socket
import time
from types import FrameType
from typing import Final

import uvicorn
from fastapi import FastAPI
from uvicorn.server import ServerState

from ops.base.process.watchdog import WatchedServer

_STILL_ACCEPTING: Final = 0.2
"""The share of the time in which it takes connections although it is not ready any more."""
_LOOK_SECONDS: Final = 0.02
_RESTART_SECONDS: Final = 3.0
"""The most for a server that begins anew, for new clients wait: longer than gateways keep idle connections,
and not for as long as a slow client reads."""
_ROUNDS: Final = 3
"""Of the event loop, each of which takes all connections that wait."""


class DrainingState(ServerState):
    """What the server's connections know of it.

    Attributes:
        is_draining: whether each answer had better be the last one of its connection.
    """

    def __init__(self) -> None:
        """Describe a server at its start."""
        super().__init__()
        self.is_draining = False


class DrainingServer(WatchedServer):
    """A watched server, which ends more slowly.

    Its applications find `app.state.is_ending` set as soon as it is asked to end.

    Attributes:
        handed_on: what listens while it ends only to begin anew; None: it ends for good, and nothing does.
    """

    def __init__(self, config: uvicorn.Config, app: FastAPI, *, seconds: float, stall_seconds: float) -> None:
        """Describe a server.

        Args:
            config: uvicorn's own.
            app: what it serves.
            seconds: how long it goes on answering: longer than balancers keep idle connections, or 0.
            stall_seconds: see `WatchedServer`.
        """
        super().__init__(config, stall_seconds=stall_seconds)
        self.server_state: DrainingState = DrainingState()
        self._app = app
        self._seconds = seconds
        self.handed_on: socket.socket | None = None

    def begin_anew(self, listener: socket.socket) -> None:
        """End so that the program can run once more; who wants it to end meanwhile has it end for good.

        Args:
            listener: on which it serves: who connects from now on waits there.
        """
        if not self._app.state.is_ending:
            self.handed_on = listener.dup()  # the server closes its own
            self._app.state.is_ending = self.should_exit = True

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take a signal; a second SIGINT ends it at once."""
        self._app.state.is_ending = True
        if self.handed_on is not None:
            self.handed_on.close()
            self.handed_on = None
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        """Go on for a while, and then end as usual."""
        if self._seconds and not self.force_exit:
            await self._drain()
        await super().shutdown(sockets)  # type: ignore[arg-type]

    async def _drain(self) -> None:
        seconds = self._seconds if self.handed_on is None else min(self._seconds, _RESTART_SECONDS)
        deadline = time.monotonic() + seconds
        if self.handed_on is None:
            await asyncio.sleep(seconds * _STILL_ACCEPTING)
        for _ in range(_ROUNDS):  # those that have connected while the loop was busy are taken first
            await asyncio.sleep(0)
        for server in self.servers:
            server.close()
        self.server_state.is_draining = True
        while self.server_state.connections and time.monotonic() < deadline and not self.force_exit:  # noqa: ASYNC110 - no event to await
            await asyncio.sleep(_LOOK_SECONDS)
