"""Swapping the next table in, in one short transaction that keeps readers waiting for an instant at most."""

import asyncio
from contextlib import suppress
from typing import Final

import psycopg
import structlog
from psycopg import AsyncConnection

from ops.base.process.failpoints import failpoint
from projections.engine.batch import Target, apply
from projections.engine.projection import Projection
from projections.entity_tables.searching import follow
from projections.failures import NewerVersion
from projections.progress import positions, searches
from projections.reading.log import BATCH_EVENTS, read_batch, read_head
from projections.reading.session import ConnectionSession
from projections.rebuild import next_table
from projections.rebuild.comparison import Differences, compare_again
from projections.tables import EntityTable

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
            found = await _swap(connection, projection, differences, readers_wait)
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected) as error:
            logger.info("rebuild_waits", projection=projection.table.name, error=type(error).__name__)
            await asyncio.sleep(_PAUSE_FACTOR * readers_wait)  # those who queued up go first
            readers_wait = min(2 * readers_wait, MOST_READERS_WAIT_SECONDS)
        else:
            failpoint("rebuild.swapped")
            await next_table.tidy_up(connection, projection.table)
            return found


async def _swap(
    connection: AsyncConnection,
    projection: Projection,
    differences: Differences | None,
    readers_wait: float,
) -> Differences | None:
    await connection.execute("BEGIN")
    try:
        found = await _settle(connection, projection, differences)
        await _search(connection, projection)
        failpoint("rebuild.swapping")
        statements = next_table.swap_statements(projection.table, patience_seconds=readers_wait)
        await connection.execute(statements, prepare=False)  # several at once cannot be prepared
    except BaseException:
        with suppress(psycopg.Error):  # a connection that is lost needs none
            await connection.rollback()
        raise
    return found


async def _search(connection: AsyncConnection, projection: Projection) -> None:
    """Let what is searched go on with the next table from where it will be."""
    table, following = projection.table, projection.on_next_table().table
    if not isinstance(table, EntityTable) or not isinstance(following, EntityTable):
        return
    filled_by, before = await positions.lock(connection, table)
    reached = await positions.read(connection, following)
    if filled_by != table.version or before > reached:
        await searches.lose(connection, table)  # it is of other rows, or of another log
    elif before < reached and await searches.is_whole(connection, table):
        await follow(connection, table, following, before)


async def settle(
    connection: AsyncConnection, projection: Projection, differences: Differences | None
) -> Differences | None:
    """Tell the differences that can only be told while neither table moves on, without swapping."""
    await _catch_up(connection, projection.on_next_table())
    async with connection.transaction():
        return await _settle(connection, projection, differences)


async def _catch_up(connection: AsyncConnection, following: Projection, *, up_to: int | None = None) -> None:
    """Apply what the log holds, or what it holds up to a position, to the next table."""
    session = ConnectionSession(connection)
    while True:
        place = await positions.read_place(connection, following.table)
        if up_to is not None and place.position >= up_to:
            return
        batch = await read_batch(session, after=place.position)
        if not batch:
            return
        reached = await apply(session, [Target(following, place)], batch)
        if up_to is None and await read_head(connection) - reached < BATCH_EVENTS:
            return  # Constant writers always leave some events; the rest is applied under the lock.


async def _settle(
    connection: AsyncConnection, projection: Projection, differences: Differences | None
) -> Differences | None:
    """Keep the worker out until the transaction's end, and bring the next table to where the old one is."""
    table, following = projection.table, projection.on_next_table()
    await connection.execute(
        "SELECT set_config('lock_timeout', %s, true)", (f"{round(1000 * WORKER_WAIT_SECONDS)}ms",)
    )
    filled_by, position = await positions.lock(connection, table)
    if filled_by > table.version:
        raise NewerVersion(filled_by, table.version)
    # Whoever has read a position of the old table must find it in the new one.
    await _catch_up(connection, following, up_to=position)  # the old table may be ahead of a restored log
    if differences is None:
        return None
    return differences + await compare_again(connection, projection, differences.unsettled)
