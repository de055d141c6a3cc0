"""One projection at work: it is woken, or polls."""

import asyncio
from typing import Never

import structlog
from prometheus_client import Counter
from psycopg import AsyncConnection

from projections import metrics
from projections.applying.projection import Projection
from projections.applying.step import apply_events
from projections.failures import BeyondHead, OlderVersion
from projections.leading.leader import STANDBY_SECONDS, Leader, LeaderState
from projections.leading.sharing import Share
from projections.progress import positions
from projections.progress.positions import Place
from projections.reading.log import read_batch, read_head, stop
from projections.rebuild.rebuilding import RebuildRunning, rebuild
from projections.worker.convoy import Convoy

logger = structlog.get_logger()


class Follower(Leader):
    """Keeps one projection up with the log."""

    def __init__(self, projection: Projection, dsn: str, convoy: Convoy, share: Share) -> None:
        """Describe the follower; `run` makes it work.

        Args:
            projection: what it keeps up.
            dsn: where to connect, with the projection worker's rights.
            convoy: what it rides with; somebody must run it.
            share: what its worker leads of what it runs.
        """
        name = projection.table.name
        super().__init__("projection", dsn, logger.bind(projection=name), metrics.LEADING.labels(name))
        self.projection = projection
        self.convoy = convoy
        self._share = share

    async def _work(self, connection: AsyncConnection) -> Never:
        # Before it leads: whoever does so goes on with the old rows until the new ones are there.
        await positions.require_this_version(connection, self.projection.table)
        while not await self._share.offer(connection, self.projection.table):  # noqa: ASYNC110 - no event to await
            await asyncio.sleep(STANDBY_SECONDS)
        while True:
            while not await self._share.take(connection, self.projection.table):
                self._set_role("standby")
                await asyncio.sleep(STANDBY_SECONDS)
            self._log.info("projection_leads")
            await self._lead(connection)
            self._log.info("projection_handed_over")

    async def _lead(self, connection: AsyncConnection) -> None:
        """Follow the log until the projection was handed over."""
        while True:
            try:
                await positions.prepare(connection, self.projection.table)
                return await self._follow(connection)
            except positions.PositionTaken:
                self._log.info("position_taken")
            except BeyondHead as error:
                await stop(connection, f"{self.projection.table.name}: {error}")

    async def _follow(self, connection: AsyncConnection) -> None:
        table, tail = self.projection.table, self.convoy.tail
        while not await self._share.hand_over(connection, table):
            # By itself when it is far behind, or the tail was cut off.
            place = await positions.place_of(connection, table)
            events = await read_batch(connection, after=place.position)
            while events:
                reached = await apply_events(connection, self.projection, events)
                place = place._replace(position=reached)
                self._set_role("leading")
                events = tail.after(reached)
            self._set_role("leading")
            await self._ride(connection, place)

    async def _ride(self, connection: AsyncConnection, place: Place) -> None:
        """Be moved on with others, until there is something that it must do alone."""
        table, rider = self.projection.table, self.convoy.join(self.projection, place)
        try:
            while True:
                before = rider.place
                await asyncio.wait({rider.left}, timeout=self.convoy.tail.poll_seconds)
                if rider.left.done() or await self._share.is_owed(connection, table):
                    break
                # A later release, or a rebuild, may have taken the table over.
                if (await positions.place_of(connection, table)).generation != place.generation:
                    break
                if rider.place == before and await read_head(connection) > before.position:
                    break
        finally:
            rider.leave()
        await rider.left

    async def _rebuild(self) -> None:
        """Rebuild what an earlier release filled; whoever leads may go on with the old rows meanwhile."""
        self.state = LeaderState("rebuilding")
        try:
            await rebuild(self._dsn, self.projection)
        except RebuildRunning:
            self._set_role("standby")
            await asyncio.sleep(STANDBY_SECONDS)
        except Exception as error:  # noqa: BLE001 - as whatever else fails
            await self._recover(error)

    async def _recover(self, error: Exception) -> None:
        await (self._rebuild() if isinstance(error, OlderVersion) else super()._recover(error))

    def _failures(self, error: str) -> Counter:
        return metrics.FAILURES.labels(self.projection.table.name, error)
