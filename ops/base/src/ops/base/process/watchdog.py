"""Ending a process whose event loop does not turn any more; whoever supervises it starts it again."""

import asyncio
import faulthandler
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

import uvicorn
from uvicorn.config import STARTUP_FAILURE

from ops.base.process.heap import trimmed

_BEATS: Final = 4
"""How often in the time that a loop may stand still it says that it turns: each time costs a thread."""


@asynccontextmanager
async def watched(seconds: float) -> AsyncIterator[None]:
    """End this process, for as long as the context lasts, when its event loop has not turned for a while.

    The alarm is faulthandler's: its thread needs no interpreter, so it also ends a process that one regular
    expression holds up. It prints where each thread was (files, lines, functions, no values) and exits with
    1. A signal would not do: the first process of a container is ended by none.

    A process that was frozen for so long is ended when it goes on: the database has given up its sessions.

    Args:
        seconds: how long the loop may stand still; 0: for ever, as for a debugger.
    """
    if not seconds:
        yield
        return
    beating = asyncio.create_task(_beat(seconds))
    try:
        yield
    finally:
        beating.cancel()
        faulthandler.cancel_dump_traceback_later()


async def _beat(seconds: float) -> None:
    interval = seconds / _BEATS
    while True:
        faulthandler.dump_traceback_later(seconds + interval, exit=True)
        await asyncio.sleep(interval)


class WatchedServer(uvicorn.Server):
    """uvicorn's server, which ends its process when it stands still."""

    def __init__(self, config: uvicorn.Config, *, stall_seconds: float) -> None:
        """Describe a server.

        Args:
            config: uvicorn's own.
            stall_seconds: see `watched`.
        """
        super().__init__(config)
        self._stall_seconds = stall_seconds

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until SIGINT or SIGTERM.

        Raises:
            SystemExit: it could not start; the log says why.
        """
        with suppress(KeyboardInterrupt):  # it has ended by then
            super().run(sockets)
        if not self.started:
            sys.exit(STARTUP_FAILURE)

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until it is asked to stop."""
        async with watched(self._stall_seconds), trimmed():
            await super().serve(sockets)
