"""Heartbeats: a process reports its health and request counts to the database."""

import asyncio
import json
import shutil
import socket
import uuid
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, Never

import psycopg
import structlog

from ops.base.database.connection import ANSWER_SECONDS, BoundedConnection, connect
from ops.base.encryption.cache_purge import CachePurge
from ops.base.http.health import Health
from ops.base.observability.metrics import release
from ops.base.process.sampling import samples_of

BEAT_SECONDS: Final = 10.0
GONE_SECONDS: Final = 3 * BEAT_SECONDS
"""A process without a heartbeat for this long counts as gone."""
_UNTIL_READY_SECONDS: Final = 1.0
_RETRY_SECONDS: Final = 1.0
LAST_WORD_SECONDS: Final = 1.0
_REPORT: Final = """
SELECT operations.report(
  %s::uuid, %s::text, %s::text, %s::text, %s::timestamptz, %s::text, %s::text, %s::json, %s::bigint
)
"""
_SAMPLE: Final = """
SELECT operations.sample(
  %s::uuid, to_timestamp(%s), %s::bigint, %s::bigint, %s::bigint, %s::bigint, %s::bigint[]
)
"""

logger = structlog.get_logger()


class Heartbeat:
    """Reports this process to the database, and reconnects after outages."""

    def __init__(
        self,
        dsn: str,
        service: str,
        health: Callable[[], Awaitable[Health]],
        *,
        instance: str = "",
        disk: Path | None = None,
        purge: CachePurge | None = None,
        last_word_seconds: float = LAST_WORD_SECONDS,
    ) -> None:
        """Create a heartbeat; `run` starts it.

        Args:
            dsn: the database, as any of the services' roles.
            health: returns the process's health.
            instance: the name of this instance of the service; empty: derived from the host's name.
            purge: the cache purges, which are reported at once; None: the process caches nothing.
        """
        self._dsn = dsn
        self._service = service
        self._health = health
        self._instance = instance or f"{service}-{socket.gethostname()}"
        self._disk = disk
        self._purge = purge or CachePurge()
        self._last_word_seconds = last_word_seconds
        self._process = uuid.uuid4()
        self._started = datetime.now(UTC)
        self._samples = samples_of(service)

    async def run(self) -> Never:
        """Report until cancelled, and then the end of the process."""
        lost = False
        while True:
            try:
                async with await connect(self._dsn, autocommit=True, answer_seconds=ANSWER_SECONDS) as opened:
                    await opened.execute("SET synchronous_commit = off")
                    lost = False
                    await self._beat(opened)
            except psycopg.Error as error:
                if not lost:
                    logger.warning("heartbeat_lost", error=type(error).__name__)
                lost = True
            await asyncio.sleep(_RETRY_SECONDS)

    async def _beat(self, connection: BoundedConnection) -> Never:
        try:
            while True:
                self._purge.purged.clear()
                health = await self._health()
                await self._report(connection, "ready" if health.ready else "not_ready", health)
                await self._report_samples(connection)
                with suppress(TimeoutError):
                    async with asyncio.timeout(BEAT_SECONDS if health.ready else _UNTIL_READY_SECONDS):
                        await self._purge.purged.wait()
        except asyncio.CancelledError:
            await self._report_end()
            raise

    async def _report(
        self, connection: BoundedConnection, word: Literal["ready", "not_ready", "ended"], health: Health
    ) -> None:
        state: dict[str, Any] = {"checks": health.as_json()}
        if self._disk is not None:
            with suppress(OSError):
                disk = await asyncio.to_thread(shutil.disk_usage, self._disk)
                state["disk"] = {"free": disk.free, "total": disk.total}
        row = (
            *(self._process, self._instance, self._service, release(), self._started),
            *(word, health.reason, json.dumps(state), self._purge.number),
        )
        await connection.execute(_REPORT, row)

    async def _report_samples(self, connection: BoundedConnection) -> None:
        self._samples.current()
        steps = {step: sample.columns() for step, sample in self._samples.steps.items()}
        for step, columns in steps.items():
            await connection.execute(_SAMPLE, (self._process, step, *columns))
        self._samples.drop(steps)

    async def _report_end(self) -> None:
        # Over a new connection: the cancelled statement has closed the former one.
        seconds = self._last_word_seconds
        try:
            async with (
                asyncio.timeout(seconds),
                await connect(self._dsn, autocommit=True, answer_seconds=seconds) as connection,
            ):
                await self._report_samples(connection)
                await self._report(connection, "ended", Health(ready=False, checks={}))
        except (psycopg.Error, TimeoutError) as error:
            logger.info("end_not_reported", error=type(error).__name__)
