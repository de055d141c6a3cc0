"""Processes that make audit files: a minute of computation, during which other requests should be served."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from typing import Final

from starlette.types import Scope

from ops.base.http.limits import Limit
from ops.base.http.long_responses import PIECE_BYTES
from ops.base.http.protocol import connection_of
from ops.base.http.request_context import when_answered

MOST_AT_ONCE: Final = 2
_RETRY_SECONDS: Final = 10
_STALL_SECONDS: Final = 60.0


class AuditFileFailed(Exception):
    """A process has ended before its file was complete."""


class AuditFileProcesses:
    """The running processes of this service."""

    def __init__(self, dsn: str, *, stall_seconds: float = _STALL_SECONDS) -> None:
        """Create it without a process.

        Args:
            dsn: of the primary.
            stall_seconds: time after which a client that takes nothing is disconnected.
        """
        self.dsn: Final = dsn
        self._limit = Limit("audit-files", MOST_AT_ONCE)
        self._running: set[Process] = set()
        self._stall_seconds = stall_seconds

    def admit(self, scope: Scope) -> None:
        """Count a request until it has been answered.

        Raises:
            Problem: 429, too many are running.
        """
        self._limit.take(scope, "audit-files", retry_after=_RETRY_SECONDS)

    async def stream(self, scope: Scope, job: bytes) -> AsyncIterator[bytes]:
        """Yield the file that a new process makes; the process ends with the answer to the request.

        Raises:
            AuditFileFailed: the process has failed, or was killed.
        """
        command = [sys.executable, "-P", "-m", "query_api.audit_file"]
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, start_new_session=True
        )
        self._running.add(process)
        connection = connection_of(scope)
        when_answered(scope, partial(self._kill, process))
        connection.on_ending(partial(self._kill, process))
        try:
            assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018 - pipes
            process.stdin.write(job)
            process.stdin.close()
            while piece := await process.stdout.read(PIECE_BYTES):
                stalled = asyncio.get_running_loop().call_later(self._stall_seconds, connection.abort)
                try:
                    yield piece
                finally:
                    stalled.cancel()
            if await process.wait():
                raise AuditFileFailed
        finally:
            self._kill(process)

    def kill(self) -> None:
        """Kill all processes, which may have decrypted personal data; their answers are aborted."""
        for process in [*self._running]:
            self._kill(process)

    def _kill(self, process: Process) -> None:
        """Kill a process and its workers, which are one process group, unless that was done."""
        if process in self._running:
            self._running.discard(process)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
