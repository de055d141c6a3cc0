"""The lease of one projection: the worker that holds it applies the projection's events."""

import asyncio
import time
from collections.abc import Callable
from typing import Final, Never

import structlog
from prometheus_client import Counter
from psycopg import AsyncConnection

from projections import metrics
from projections.engine.projection import Projection
from projections.failures import BeyondHead, OlderVersion
from projections.leases.leader import STANDBY_SECONDS, Leader, LeaderState
from projections.leases.locks import lead_key, try_to_lock
from projections.progress import positions
from projections.progress.positions import Place
from projections.reading.log import stop
from projections.rebuild.rebuilding import RebuildRunning, rebuild

logger = structlog.get_logger()

CHECK_SECONDS: Final = 1.0
"""Time between checks that no other version fills the table; each also keeps the session alive."""
BUSY_SECONDS: Final = 0.05
"""Pause after somebody else held the projection's position or table."""


class Lease(Leader):
    """An advisory lock on one projection, on a connection of its own; released when the projection fails."""

    def __init__(self, projection: Projection, dsn: str, acquired: Callable[[], None]) -> None:
        """Describe the lease; `run` tries to hold it.

        Args:
            projection: which.
            dsn: where to connect, with the projection worker's rights.
            acquired: called when the projection can be moved.
        """
        name = projection.table.name
        super().__init__("projection", dsn, logger.bind(projection=name), metrics.LEADING.labels(name))
        self.projection = projection
        self._acquired = acquired
        self.place: Place | None = None
        """The progress of the projection; None while the lease is not held."""
        self._busy_until = 0.0
        self._released: asyncio.Future[None] | None = None

    @property
    def wait_seconds(self) -> float | None:
        """The time until the projection can be moved; None: its lease is not held."""
        return None if self.place is None else max(self._busy_until - time.monotonic(), 0.0)

    def advance(self, position: int) -> None:
        """Note that the projection has been moved, or is at the log's end."""
        if self.place is not None:
            self.place = self.place._replace(position=position)
            if self.state != LeaderState("leading"):
                self._set_role("leading")

    def relocate(self, place: Place | None) -> None:
        """Note where the projection is after somebody else held or moved it; None: at another version."""
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
        # Before it leads: the process that does goes on with the old rows until the new ones are complete.
        await positions.require_this_version(connection, self.projection.table)
        while not await try_to_lock(connection, lead_key(self.projection.table)):
            self._set_role("standby")
            await asyncio.sleep(STANDBY_SECONDS)
        self._log.info("projection_leads")
        try:
            while True:
                await self._hold(connection)
        finally:
            self.place = None

    async def _hold(self, connection: AsyncConnection) -> None:
        """Let the projector move the projection until it fails, or another version fills the table."""
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
        """Rebuild a table that an earlier release filled; another worker may go on with the old rows."""
        self.state = LeaderState("rebuilding")
        try:
            await rebuild(self._dsn, self.projection)
        except RebuildRunning:
            self._set_role("standby")
            await asyncio.sleep(STANDBY_SECONDS)
        except Exception as error:  # noqa: BLE001 - as any other failure
            await self._recover(error)

    async def _recover(self, error: Exception) -> None:
        await (self._rebuild() if isinstance(error, OlderVersion) else super()._recover(error))

    def _failures(self, error: str) -> Counter:
        return metrics.FAILURES.labels(self.projection.table.name, error)
