"""Swaps the next table with the old one, in a transaction that delays readers only briefly."""

import asyncio
from contextlib import suppress
from typing import Final

import psycopg
import structlog
from psycopg import AsyncConnection

from ops.base.process.failpoints import failpoint
from projections.engine.batch import Target, apply
from projections.engine.projection import Projection
from projections.entity_tables.search_terms import follow
from projections.event_log import BATCH_EVENTS, ConnectionSession, read_batch, read_head
from projections.progress import positions, searches
from projections.rebuild import next_table
from projections.rebuild.comparison import Differences, compare_again
from read_model.tables import EntityTable

logger = structlog.get_logger()

READERS_WAIT_SECONDS: Final = 0.05
"""First limit of the wait for running queries, while new ones queue up behind the swap."""
MOST_READERS_WAIT_SECONDS: Final = 1.0
"""Longest limit; each attempt doubles it."""
WORKER_WAIT_SECONDS: Final = 5.0
_PAUSE_FACTOR: Final = 3


async def swap(
    connection: AsyncConnection, projection: Projection, differences: Differences | None
) -> Differences | None:
    """Replace a projection's table with its next table, as soon as running queries allow it.

    Args:
        connection: in autocommit mode.
        projection: a projection whose next table has nearly caught up.

    Returns:
        The differences, including the rows that could not be compared before.

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
            await asyncio.sleep(_PAUSE_FACTOR * readers_wait)  # let the queued readers proceed
            readers_wait = min(2 * readers_wait, MOST_READERS_WAIT_SECONDS)
        else:
            failpoint("rebuild.swapped")
            await next_table.drop_old_table(connection, projection.table)
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
        await _update_search_terms(connection, projection)
        failpoint("rebuild.swap")
        statements = next_table.swap_statements(projection.table, patience_seconds=readers_wait)
        await connection.execute(statements, prepare=False)  # several statements cannot be prepared
    except BaseException:
        with suppress(psycopg.Error):  # a lost connection needs no rollback
            await connection.rollback()
        raise
    return found


async def _update_search_terms(connection: AsyncConnection, projection: Projection) -> None:
    """Update the search terms to the next table's rows, or mark them as lost."""
    table, following = projection.table, projection.on_next_table().table
    if not isinstance(table, EntityTable) or not isinstance(following, EntityTable):
        return
    filled_by, before = await positions.lock(connection, table)
    reached = (await positions.read_place(connection, following)).position
    if filled_by != table.version or before > reached:
        # The terms belong to other rows, or to another log, so searches must not use them.
        await connection.execute("DELETE FROM read.searches WHERE projection = %s", (table.name,))
    elif before < reached and await searches.is_complete(connection, table):
        await follow(connection, table, following, before)


async def settle(
    connection: AsyncConnection, projection: Projection, differences: Differences | None
) -> Differences | None:
    """Return all differences, including rows that can only be compared under the lock, without swapping."""
    await _catch_up(connection, projection.on_next_table())
    async with connection.transaction():
        return await _settle(connection, projection, differences)


async def _catch_up(connection: AsyncConnection, following: Projection, *, up_to: int | None = None) -> None:
    """Apply the log's events, up to a position if one is given, to the next table."""
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
            return  # constant writers always leave some events, which are applied under the lock


async def _settle(
    connection: AsyncConnection, projection: Projection, differences: Differences | None
) -> Differences | None:
    """Block the worker until the transaction ends, and let the next table reach the old table's position."""
    table, following = projection.table, projection.on_next_table()
    await connection.execute(
        "SELECT set_config('lock_timeout', %s, true)", (f"{round(1000 * WORKER_WAIT_SECONDS)}ms",)
    )
    filled_by, position = await positions.lock(connection, table)
    positions.require_not_newer(filled_by, table)
    # A client that has seen the old table's position must find it in the new table.
    await _catch_up(connection, following, up_to=position)  # the old table may be ahead of a restored log
    return differences and await compare_again(connection, projection, differences)
