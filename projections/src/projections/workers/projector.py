"""Keeps projections up to date: reads each batch once, and applies it to all projections at its position."""

import asyncio
from collections.abc import Sequence
from typing import Final, Never

import psycopg
import structlog
from psycopg import sql

from command_api.event_store.statements import APPENDED_CHANNEL
from ops.base.database.connection import connect
from ops.base.database.prepared import PreparedSession
from ops.base.process.tasks import running
from projections.engine.batch import Target, apply
from projections.engine.projection import Projection
from projections.event_log import EventBatch, read_batch
from projections.leadership.sessions import ANSWER_SECONDS, end_when_silent
from projections.progress.positions import TablePosition
from projections.workers.lease import Lease

logger = structlog.get_logger()

POLL_SECONDS: Final = 1.0
"""Delay of an event whose notification was lost."""
LOCK_SECONDS: Final = 0.2
"""The longest wait for a lock, which delays the other projections."""
_PAUSE_SECONDS: Final = 0.5
_IDLE_SECONDS: Final = 3600.0

# Commits need not wait for the disk: a crash of the server loses rows and position together, never those of
# one commit without those of later ones, and the events are applied again. A single connection creates 25 %
# more records, because commands no longer wait for these commits to reach the disk.
_SETTINGS: Final = """
SELECT set_config('lock_timeout', %s, false), set_config('synchronous_commit', 'off', false)
"""

_POSITION: Final = (
    b"SELECT position, generation FROM read.positions WHERE projection = %b::text AND version = %b::integer"
)


class Projector:
    """Applies the log's events to the projections whose leases this process holds.

    Projections at the same position advance in one transaction. If it fails, each advances alone: a failing
    projection releases its lease, a locked one is retried after a pause, and neither delays the others.
    """

    def __init__(
        self, projections: Sequence[Projection], dsn: str, *, poll_seconds: float = POLL_SECONDS
    ) -> None:
        self._poll_seconds = poll_seconds
        self.leases = [Lease(projection, dsn, self._wake) for projection in projections]
        self._dsn = dsn
        self._session: PreparedSession | None = None

    def _wake(self) -> None:
        if self._session is not None:
            self._session.wake()

    async def run(self) -> Never:
        """Work until cancelled."""
        async with running(*(lease.run for lease in self.leases)):
            while True:
                try:
                    async with await self._connect() as session:
                        self._session = session
                        while True:
                            while await self._advance(session):
                                pass
                            waits = [wait for lease in self.leases if (wait := lease.wait_seconds)]
                            await session.notified(seconds=min([self._poll_seconds, *waits]))
                except Exception as error:  # noqa: BLE001 - every failure is followed by a new connection
                    logger.warning("projector_disconnected", error=type(error).__name__)
                finally:
                    self._session = None
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _connect(self) -> PreparedSession:
        connection = await connect(self._dsn, autocommit=True, answer_seconds=ANSWER_SECONDS)
        # This session holds no lock between transactions, so it may be idle.
        await end_when_silent(connection, idle_seconds=_IDLE_SECONDS, transaction_seconds=ANSWER_SECONDS)
        lock_timeout = f"{round(1000 * LOCK_SECONDS)}ms"
        await connection.execute(_SETTINGS, (lock_timeout,))
        # Before the first read, so that an event is either read or notified.
        await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(APPENDED_CHANNEL)))
        return PreparedSession(connection)

    async def _advance(self, session: PreparedSession) -> bool:
        """Apply a batch to each group of projections at one position; return whether any advanced."""
        groups: dict[int, list[Lease]] = {}
        for lease in self.leases:
            if lease.place is not None and lease.wait_seconds == 0:
                groups.setdefault(lease.place.position, []).append(lease)
        moved, ahead = False, None
        for position in sorted(groups, reverse=True):
            moved |= await self._advance_group(session, groups[position], position, ahead)
            ahead = position
        return moved

    async def _advance_group(
        self, session: PreparedSession, group: Sequence[Lease], position: int, ahead: int | None
    ) -> bool:
        try:
            batch = await read_batch(session, after=position)
        except Exception as error:
            if session.closed:
                raise
            for lease in group:
                lease.fail(error)
            return False
        if ahead is not None:  # catch up with the group ahead, to advance together from there
            batch = batch.up_to(ahead)
        if not batch:
            for lease in group:
                lease.advance(position)
            return False
        if await self._apply(session, group, batch):
            return True
        if len(group) == 1:
            return False
        return any([await self._apply(session, [lease], batch) for lease in group])

    async def _apply(self, session: PreparedSession, group: Sequence[Lease], batch: EventBatch) -> bool:
        targets = [Target(lease.projection, lease.place) for lease in group if lease.place is not None]
        if len(targets) < len(group):  # a lease was lost meanwhile
            return False
        reached = batch.after
        try:
            reached = await apply(session, targets, batch)
        except psycopg.errors.LockNotAvailable:
            pass
        except Exception as error:
            if session.closed:
                raise
            if len(group) == 1:
                group[0].fail(error)
            else:
                logger.info("projections_separated", error=type(error).__name__)
            return False
        if reached > batch.after:
            for lease in group:
                lease.advance(reached)
        elif len(group) == 1:
            (lease,) = group
            table = lease.projection.table
            rows = await session.fetch(_POSITION, [table.name, table.version])
            lease.relocate(TablePosition(*rows[0]) if rows else None)
        return reached > batch.after
