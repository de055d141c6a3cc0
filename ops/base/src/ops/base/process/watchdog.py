"""Ends a process whose event loop is blocked, so that its supervisor restarts it."""

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
"""Resets of the alarm within the time-out; each costs a thread."""


@asynccontextmanager
async def watched(seconds: float) -> AsyncIterator[None]:
    """End this process when its event loop is blocked for too long, within the context.

    faulthandler's thread does not need the interpreter, so it also ends a process that is blocked by a
    regular expression. It prints the stacks of all threads, without values, and exits with 1. A signal would
    not end the first process of a container.

    A process that was suspended for longer is ended when it continues: the database has closed its sessions.

    Args:
        seconds: maximum time without a turn of the loop; 0: unlimited, as for a debugger.
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
    """uvicorn's server with a watchdog."""

    def __init__(self, config: uvicorn.Config, *, stall_seconds: float) -> None:
        """Create a server; for `stall_seconds` see `watched`."""
        super().__init__(config)
        self._stall_seconds = stall_seconds

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until SIGINT or SIGTERM.

        Raises:
            SystemExit: the server could not start; the log says why.
        """
        with suppress(KeyboardInterrupt):  # raised after the shutdown
            super().run(sockets)
        if not self.started:
            sys.exit(STARTUP_FAILURE)

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until it is asked to stop."""
        async with watched(self._stall_seconds), trimmed():
            await super().serve(sockets)
