"""One projection at work: it leads or stands by, is woken or polls, and begins again after whatever fails."""

import asyncio
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Never

import psycopg
import structlog
from psycopg import AsyncConnection

from projections import metrics, positions
from projections.applying import apply_events
from projections.failures import BeyondHead, OlderVersion, ProjectionStopped
from projections.log import StoredEvent, has_room, read_batch, stop
from projections.pauses import Pauses
from projections.projection import Projection
from projections.rebuild.rebuilding import RebuildRunning, rebuild
from projections.sessions import open_session
from projections.sharing import Share
from projections.tail import Tail

logger = structlog.get_logger()

GATHER_SECONDS: Final = 0.05
"""How long events that nobody waits for may wait for further ones, so that fewer transactions carry them."""
STANDBY_SECONDS: Final = 0.5
"""How often a spare looks whether it is needed."""

_LONGEST_PAUSE_WITHOUT_DATABASE: Final = 2.0
_LONGEST_PAUSE: Final = 30.0


@dataclass(frozen=True)
class Standing:
    """What a follower is doing. While it rebuilds, old rows are served."""

    role: Literal["connecting", "rebuilding", "standby", "leading"]
    error: str | None = None
    """Why it last began again; None as soon as it works."""

    @property
    def ok(self) -> bool:
        """Whether it does its work, or is ready to take it over."""
        return self.error is None and self.role != "connecting"


class Follower:
    """Keeps one projection up with the log, on one connection that it opens again whenever it is lost."""

    def __init__(self, projection: Projection, dsn: str, tail: Tail, share: Share) -> None:
        """Describe the follower; `run` makes it work.

        Args:
            projection: what it keeps up.
            dsn: where to connect, with the projection worker's rights.
            tail: where new events come from; somebody must run it.
            share: what its worker leads of what it runs.
        """
        self.projection = projection
        self.tail = tail
        self.standing = Standing("connecting")
        self._dsn = dsn
        self._share = share
        self._pauses = Pauses()
        self._log = logger.bind(projection=projection.table.name)

    async def run(self) -> None:
        """Follow the log until cancelled."""
        while True:
            try:
                async with open_session(self._dsn) as connection:
                    await self._work(connection)
            except OlderVersion:
                await self._rebuild()
            except Exception as error:  # noqa: BLE001 - whatever it is, it is told, and tried again
                await self._recover(error)

    async def _work(self, connection: AsyncConnection) -> Never:
        # Before it leads: whoever does so goes on with the old rows until the new ones are there.
        await positions.require_this_version(connection, self.projection.table)
        while not await self._share.offer(connection, self.projection.table):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(STANDBY_SECONDS)
        while True:
            while not await self._share.take(connection, self.projection.table):
                self._stand("standby")
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
                self._stand("leading")
                events = await self.tail.after(position, seconds=self.tail.poll_seconds)
                if not events or clock() > until:
                    break

    async def _gather(self, events: Sequence[StoredEvent]) -> Sequence[StoredEvent]:
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
        self.standing = Standing("rebuilding")
        try:
            await rebuild(self._dsn, self.projection)
        except RebuildRunning:
            self._stand("standby")
            await asyncio.sleep(STANDBY_SECONDS)
        except Exception as error:  # noqa: BLE001 - as in `run`
            await self._recover(error)

    def _stand(self, role: Literal["standby", "leading"]) -> None:
        if self.standing.role != role or self.standing.error:
            self._log.info("projection_works", role=role)
        self.standing = Standing(role)
        if role == "leading":  # whoever fails at that is not handed it again at once
            self._pauses.reset()
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
            self._log.warning("database_lost", error=kind, retry_seconds=self._pauses.seconds)
        else:
            longest = _LONGEST_PAUSE
            trace = None if isinstance(error, ProjectionStopped) else traceback.format_tb(error.__traceback__)
            self._log.error(
                "projection_stopped", error=description, retry_seconds=self._pauses.seconds, trace=trace
            )
        await asyncio.sleep(self._pauses.seconds)
        self._pauses.next(longest=longest)
