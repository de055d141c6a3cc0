"""Graceful shutdown: no request is refused while load balancers notice that the server stops.

Some load balancers poll `/readyz`; others (nginx) notice that connections are refused; both keep idle
connections open. After SIGTERM the server first becomes unready, then closes its listening sockets, and keeps
answering on open connections, closing each after its next answer. The rest is closed at the deadline.
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
"""Share of the time in which an unready server still accepts connections."""
_POLL_SECONDS: Final = 0.02
_RESTART_SECONDS: Final = 3.0
"""Maximum for a restart, during which new clients wait: longer than gateways keep idle connections, but
shorter than slow clients may read."""
_ROUNDS: Final = 3
"""Iterations of the event loop; each accepts all waiting connections."""


class DrainingState(ServerState):
    """The server's state for its connections.

    Attributes:
        is_draining: whether connections close after their next answer.
    """

    def __init__(self) -> None:
        super().__init__()
        self.is_draining = False


class DrainingServer(WatchedServer):
    """A watched server with a graceful shutdown, at whose beginning `app.state.is_ending` is set.

    Attributes:
        inherited: the listening socket for the restarted process; None: the server stops for good.
    """

    def __init__(self, config: uvicorn.Config, app: FastAPI, *, seconds: float, stall_seconds: float) -> None:
        """Create a server.

        Args:
            seconds: duration of the shutdown: longer than load balancers keep idle connections, or 0.
        """
        super().__init__(config, stall_seconds=stall_seconds)
        self.server_state: DrainingState = DrainingState()
        self._app = app
        self._seconds = seconds
        self.inherited: socket.socket | None = None

    def restart(self, listener: socket.socket) -> None:
        """Shut down for a restart on the same socket; a signal in the meantime stops the server for good."""
        if not self._app.state.is_ending:
            self.inherited = listener.dup()  # the server closes its own
            self._app.state.is_ending = self.should_exit = True

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin the shutdown; a second SIGINT ends it at once."""
        self._app.state.is_ending = True
        if self.inherited is not None:
            self.inherited.close()
            self.inherited = None
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        """Drain connections, and then shut down as usual."""
        if self._seconds and not self.force_exit:
            await self._drain()
        await super().shutdown(sockets)  # type: ignore[arg-type]

    async def _drain(self) -> None:
        seconds = self._seconds if self.inherited is None else min(self._seconds, _RESTART_SECONDS)
        deadline = time.monotonic() + seconds
        if self.inherited is None:
            await asyncio.sleep(seconds * _STILL_ACCEPTING)
        for _ in range(_ROUNDS):  # accept the connections that arrived while the loop was busy
            await asyncio.sleep(0)
        for server in self.servers:
            server.close()
        self.server_state.is_draining = True
        while self.server_state.connections and time.monotonic() < deadline and not self.force_exit:  # noqa: ASYNC110 - no event to await
            await asyncio.sleep(_POLL_SECONDS)
