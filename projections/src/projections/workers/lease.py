"""The lease of one projection: the worker that holds it applies the projection's events."""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Final, Never

import structlog
from psycopg import AsyncConnection

from projections import metrics
from projections.engine.projection import Projection
from projections.event_log import stop
from projections.failures import BeyondHead, OlderVersion
from projections.leadership.leader import STANDBY_SECONDS, Leader, LeaderState
from projections.progress import positions
from projections.progress.positions import TablePosition
from projections.rebuild.rebuild import RebuildRunning, rebuild
from read_model.lock_keys import lead_key

logger = structlog.get_logger()

CHECK_SECONDS: Final = 1.0
"""Time between checks that no other version fills the table; each check also keeps the session alive."""
BUSY_SECONDS: Final = 0.05
"""Pause after another process has locked the projection's position or table."""


class Lease(Leader):
    """An advisory lock on one projection, on a connection of its own; released when the projection fails.

    Args:
        dsn: where to connect, with the projection worker's rights.
        acquired: called when events can be applied.
    """

    def __init__(self, projection: Projection, dsn: str, acquired: Callable[[], None]) -> None:
        name = projection.table.name
        log, leading = logger.bind(projection=name), metrics.LEADING.labels(name)
        super().__init__("projection", dsn, log, leading, partial(metrics.FAILURES.labels, name))
        self.projection = projection
        self._acquired = acquired
        self.place: TablePosition | None = None
        """The progress of the projection; None while the lease is not held."""
        self._busy_until = 0.0
        self._released: asyncio.Future[None] | None = None

    @property
    def wait_seconds(self) -> float | None:
        """The time until events can be applied; None while the lease is not held."""
        return None if self.place is None else max(self._busy_until - time.monotonic(), 0.0)

    def advance(self, position: int) -> None:
        """Record the projection's new position, or that it has reached the log's end."""
        if self.place is not None:
            self.place = self.place._replace(position=position)
            if self.state != LeaderState("leading"):
                self._set_role("leading")

    def relocate(self, place: TablePosition | None) -> None:
        """Record the progress after another process has locked or moved the projection.

        Args:
            place: the progress; None if another version fills the table.
        """
        self._busy_until = time.monotonic() + BUSY_SECONDS
        if self.place is not None:
            self.place = place
        if place is None and self._released is not None and not self._released.done():
            self._released.set_result(None)

    def fail(self, error: Exception) -> None:
        """Release the lease because events cannot be applied."""
        self.place = None
        if self._released is not None and not self._released.done():
            self._released.set_exception(error)

    async def _work(self, connection: AsyncConnection) -> Never:
        # Before leading: the current leader continues with the old rows until the rebuild is complete.
        await positions.require_this_version(connection, self.projection.table)
        await self._wait_for(connection, lead_key(self.projection.table))
        self._log.info("projection_leads")
        try:
            while True:
                await self._hold(connection)
        finally:
            self.place = None

    async def _hold(self, connection: AsyncConnection) -> None:
        """Hold the lease until the projection fails, or another version fills the table."""
        table = self.projection.table
        try:
            await positions.prepare(connection, table)
            self._released = released = asyncio.get_running_loop().create_future()
            self.place = await positions.read_place(connection, table)
            self._acquired()
            while not released.done():
                await asyncio.wait({released}, timeout=CHECK_SECONDS)
                await positions.read_place(connection, table)
            await released
        except positions.PositionTaken:
            self.place = None
            self._log.info("position_taken")
        except BeyondHead as error:
            await stop(connection, f"{table.name}: {error}")

    async def _rebuild(self) -> None:
        """Rebuild a table that an earlier release filled."""
        self.state = LeaderState("rebuilding")
        try:
            await rebuild(self._dsn, self.projection)
        except RebuildRunning:
            self._set_role("standby")
            await asyncio.sleep(STANDBY_SECONDS)
        except Exception as error:  # noqa: BLE001 - handled like any other failure
            await self._recover(error)

    async def _recover(self, error: Exception) -> None:
        await (self._rebuild() if isinstance(error, OlderVersion) else super()._recover(error))
