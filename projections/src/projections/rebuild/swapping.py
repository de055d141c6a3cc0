"""Swapping the next table in, in one short transaction that keeps readers waiting for an instant at most."""

import asyncio
from typing import Final

import psycopg
import structlog
from psycopg import AsyncConnection, sql

from ops.base.failpoints import failpoint
from projections import positions
from projections.applying import apply_batch, apply_next_events
from projections.failures import NewerVersion
from projections.log import read_batch
from projections.projection import Projection
from projections.rebuild import next_table
from projections.rebuild.comparison import Differences, compare_again

logger = structlog.get_logger()

READERS_WAIT_SECONDS: Final = 0.05
"""Readers queue up behind the swap while it waits for those who are at work already: no longer than this."""
MOST_READERS_WAIT_SECONDS: Final = 1.0
"""But longer at each try, up to this, where reading itself takes long."""
WORKER_WAIT_SECONDS: Final = 5.0
_PAUSE_FACTOR: Final = 3


async def swap(
    connection: AsyncConnection, projection: Projection, differences: Differences | None
) -> Differences | None:
    """Put the next table in the place of a projection's table, as soon as its readers let it.

    Args:
        connection: in autocommit mode.
        projection: whose next table is filled and nearly caught up.
        differences: what a comparison has found.

    Returns:
        The differences, with those that could be told only now.

    Raises:
        NewerVersion: a later release fills the table.
    """
    following = projection.on_next_table()
    readers_wait = READERS_WAIT_SECONDS
    while True:
        await _catch_up(connection, following)
        failpoint("rebuild.before_swap")
        try:
            async with connection.transaction():
                found = await _settle(connection, projection, following, differences)
                await _set_lock_timeout(connection, readers_wait)
                statement = sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE")
                await connection.execute(statement.format(projection.table.identifier))
                await next_table.take_place(connection, projection.table)
                failpoint("rebuild.swapping")
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected) as error:
            logger.info("rebuild_waits", projection=projection.table.name, error=type(error).__name__)
            await asyncio.sleep(_PAUSE_FACTOR * readers_wait)  # those who queued up go first
            readers_wait = min(2 * readers_wait, MOST_READERS_WAIT_SECONDS)
        else:
            failpoint("rebuild.swapped")
            return found


async def settle(
    connection: AsyncConnection, projection: Projection, differences: Differences | None
) -> Differences | None:
    """Tell the differences that can only be told while neither table moves on, without swapping."""
    following = projection.on_next_table()
    await _catch_up(connection, following)
    async with connection.transaction():
        return await _settle(connection, projection, following, differences)


async def _catch_up(connection: AsyncConnection, following: Projection) -> None:
    while await apply_next_events(connection, following):
        pass


async def _settle(
    connection: AsyncConnection,
    projection: Projection,
    following: Projection,
    differences: Differences | None,
) -> Differences | None:
    """Keep the worker out until the transaction's end, and bring the next table to where the old one is."""
    table = projection.table
    await _set_lock_timeout(connection, WORKER_WAIT_SECONDS)
    filled_by, position = await positions.lock(connection, table)
    if filled_by > table.version:
        raise NewerVersion(filled_by, table.version)
    # Whoever has read a position of the old table must find it in the new one.
    while (reached := await positions.read(connection, following.table)) < position:
        batch = await read_batch(connection, after=reached)
        if not batch:
            break  # the old table had been filled from a longer log
        await apply_batch(connection, following, batch)
    if differences is None:
        return None
    return differences + await compare_again(connection, projection, differences.unsettled)


async def _set_lock_timeout(connection: AsyncConnection, seconds: float) -> None:
    await connection.execute("SELECT set_config('lock_timeout', %s, true)", (f"{round(1000 * seconds)}ms",))
