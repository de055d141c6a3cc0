"""One projection at work: it leads or stands by, is woken or polls, and begins again after whatever fails."""

import asyncio
import traceback
from dataclasses import dataclass
from typing import Final, Literal, Never

import psycopg
import structlog
from psycopg import AsyncConnection, sql

from ops.base.connection import connect, unhurried
from projections import metrics, positions
from projections.applying import apply_next_events
from projections.failures import ProjectionStopped
from projections.leadership import SILENCE_SECONDS, end_when_silent, try_to_lead
from projections.log import APPENDED_CHANNEL
from projections.projection import Projection

logger = structlog.get_logger()

POLL_SECONDS: Final = 1.0
"""How long a lost notification can delay an event, and a dead leader's lock a spare."""

_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE_WITHOUT_DATABASE: Final = 2.0
_LONGEST_PAUSE: Final = 30.0


@dataclass(frozen=True)
class Standing:
    """What a follower is doing."""

    role: Literal["connecting", "standby", "leading"]
    error: str | None = None
    """Why it last began again; None as soon as it works."""

    @property
    def ok(self) -> bool:
        """Whether it does its work, or is ready to take it over."""
        return self.error is None and self.role != "connecting"


class Follower:
    """Keeps one projection up with the log, on one connection that it opens again whenever it is lost."""

    def __init__(self, projection: Projection, dsn: str, *, poll_seconds: float = POLL_SECONDS) -> None:
        self.projection = projection
        self.standing = Standing("connecting")
        self._dsn = dsn
        self._poll_seconds = poll_seconds
        self._pause = _FIRST_PAUSE
        self._log = logger.bind(projection=projection.table.name)

    async def run(self) -> None:
        """Follow the log until cancelled."""
        while True:
            try:
                async with await connect(
                    self._dsn, autocommit=True, answer_seconds=SILENCE_SECONDS
                ) as connection:
                    await self._work(connection)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is told, and tried again
                await self._recover(error)

    async def _work(self, connection: AsyncConnection) -> Never:
        await end_when_silent(connection)
        while not await try_to_lead(connection, self.projection.table):
            self._stand("standby")
            await asyncio.sleep(self._poll_seconds)
        self._log.info("projection_leads")
        # Before the first reading: an event appended between the two is then either read or notified.
        await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(APPENDED_CHANNEL)))
        while True:
            try:
                with unhurried(connection):  # it may empty a large table
                    emptied = await positions.prepare(connection, self.projection.table)
                if emptied:
                    self._log.warning("projection_emptied", reason="rows of an earlier version")
                await self._follow(connection)
            except positions.PositionTaken:
                self._log.info("position_taken")

    async def _follow(self, connection: AsyncConnection) -> Never:
        while True:
            while await apply_next_events(connection, self.projection):
                self._stand("leading")
            self._stand("leading")
            async for _ in connection.notifies(timeout=self._poll_seconds, stop_after=1):
                pass  # how many, and which, does not matter: the log is read in any case

    def _stand(self, role: Literal["standby", "leading"]) -> None:
        if self.standing.role != role or self.standing.error:
            self._log.info("projection_works", role=role)
        self.standing = Standing(role)
        self._pause = _FIRST_PAUSE
        metrics.LEADING.labels(self.projection.table.name).set(role == "leading")

    async def _recover(self, error: Exception) -> None:
        kind = type(error).__name__
        # Other exceptions' messages may quote an event.
        description = str(error) if isinstance(error, ProjectionStopped) else kind
        self.standing = Standing("connecting", description)
        metrics.LEADING.labels(self.projection.table.name).set(0)
        metrics.FAILURES.labels(self.projection.table.name, kind).inc()
        if isinstance(error, psycopg.OperationalError):
            longest = _LONGEST_PAUSE_WITHOUT_DATABASE
            self._log.warning("database_lost", error=kind, retry_seconds=self._pause)
        else:
            longest = _LONGEST_PAUSE
            trace = None if isinstance(error, ProjectionStopped) else traceback.format_tb(error.__traceback__)
            self._log.error("projection_stopped", error=description, retry_seconds=self._pause, trace=trace)
        await asyncio.sleep(self._pause)
        self._pause = min(2 * self._pause, longest)
