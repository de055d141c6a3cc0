"""One projection at work: it is woken, or polls."""

import asyncio
from collections.abc import Sequence
from typing import Final, Never

import structlog
from prometheus_client import Counter
from psycopg import AsyncConnection

from command_api.event_store.records import RecordedEvent
from projections import metrics
from projections.applying.projection import Projection
from projections.applying.step import apply_events
from projections.failures import BeyondHead, OlderVersion
from projections.leading.leader import STANDBY_SECONDS, Leader, LeaderState
from projections.leading.sharing import Share
from projections.progress import positions
from projections.reading.log import has_room, read_batch, stop
from projections.reading.tail import Tail
from projections.rebuild.rebuilding import RebuildRunning, rebuild

logger = structlog.get_logger()

GATHER_SECONDS: Final = 0.05
"""How long events that nobody waits for may wait for further ones, so that fewer transactions carry them."""


class Follower(Leader):
    """Keeps one projection up with the log."""

    def __init__(self, projection: Projection, dsn: str, tail: Tail, share: Share) -> None:
        """Describe the follower; `run` makes it work.

        Args:
            projection: what it keeps up.
            dsn: where to connect, with the projection worker's rights.
            tail: where new events come from; somebody must run it.
            share: what its worker leads of what it runs.
        """
        name = projection.table.name
        super().__init__("projection", dsn, logger.bind(projection=name), metrics.LEADING.labels(name))
        self.projection = projection
        self.tail = tail
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
        clock = asyncio.get_running_loop().time
        while not await self._share.hand_over(connection, self.projection.table):
            until = clock() + self.tail.poll_seconds
            # By itself at first, when it is far behind, and at each poll: the tail may have been cut off, and
            # a later release, or another worker, may be waiting to take over.
            position = await positions.read(connection, self.projection.table)
            events = await read_batch(connection, after=position)
            while True:
                if events:
                    position = await apply_events(connection, self.projection, await self._gather(events))
                self._set_role("leading")
                events = await self.tail.after(position, seconds=self.tail.poll_seconds)
                if not events or clock() > until:
                    break

    async def _gather(self, events: Sequence[RecordedEvent]) -> Sequence[RecordedEvent]:
        """Wait a moment for further events, if nobody waits for these."""
        clock = asyncio.get_running_loop().time
        until = clock() + GATHER_SECONDS
        while has_room(events) and not self.projection.is_awaited(events):
            further = await self.tail.after(events[-1].position, seconds=max(0.0, until - clock()))
            if not further:
                break
            events = [*events, *further]
        return events

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
